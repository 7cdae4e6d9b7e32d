package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.regex.Pattern;

/** Checks the host that a client would connect to. */
final class Hosts {
    private static final int LONGEST = 253;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
            + "(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*");
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    private Hosts() {}

    /** Refuses a host: first when it is none, else because both ends are in this process today. */
    static void refuse(String host) {
        refuseUnlessHost(host);
        throw new BadOptionException("HOST is " + host + ", but on the loopback link both ends are in this process: "
                + "give --self instead; two processes need --link shm or --link udp");
    }

    /** Refuses a host that is not this one. */
    static void requireThisHost(String host) {
        refuseUnlessHost(host);
        try {
            InetAddress address = InetAddress.getByName(host);
            if (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null) {
                return;
            }
        } catch (IOException e) {
            throw BadOptionException.value("HOST", host, "this host, since --link shm leads no further, and " + host
                    + " is unknown");
        }
        throw BadOptionException.value("HOST", host, "localhost or another name of this host; --link shm leads no"
                + " further");
    }

    /** Refuses what is no host. */
    static void refuseUnlessHost(String host) {
        if (!isHost(host)) {
            throw BadOptionException.value("HOST", '"' + host + '"', "a host name, an IPv4 or an IPv6 address");
        }
    }

    /** Whether a text can be a host name or an address. */
    static boolean isHost(String host) {
        if (NUMBERS.matcher(host).matches() && !IPV4.matcher(host).matches()) {
            return false; // the JDK would take 10.0.0 for 10.0.0.0
        }
        if (IPV4.matcher(host).matches() || host.indexOf(':') >= 0) {
            try {
                InetAddress.ofLiteral(host);
                return true;
            } catch (IllegalArgumentException e) {
                return false;
            }
        }
        return host.length() <= LONGEST && NAME.matcher(host).matches();
    }
}
