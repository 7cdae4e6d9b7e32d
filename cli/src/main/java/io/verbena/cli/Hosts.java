package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import java.net.InetAddress;
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
        if (!isHost(host)) {
            throw BadOptionException.value("HOST", '"' + host + '"', "a host name, an IPv4 or an IPv6 address");
        }
        throw new BadOptionException("HOST is " + host + ", but on the loopback link both ends are in this process: "
                + "give --self instead; two processes need --link shm or udp, which a later version brings");
    }

    private static boolean isHost(String host) {
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
