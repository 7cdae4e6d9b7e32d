package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one reads when an address can't be had. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "/proc is Linux's")
class BindErrorsTest {
    private static VerbsException failure(Gid gid, SocketKind kind) {
        return assertThrows(VerbsException.class, () -> PacketLinks.open(gid, kind, Faults.NONE).close());
    }

    private static void says(VerbsException failure, String... words) {
        for (String word : words) {
            assertTrue(failure.getMessage().contains(word), "\"" + word + "\" in: " + failure.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTakenAddressSaysByWhomAndWhatToDo(SocketKind kind) {
        Gid gid = LoopbackAddresses.next();
        try (CountedLink first = PacketLinks.open(gid, SocketKind.AUTO, Faults.NONE)) {
            VerbsException failure = failure(first.gid(), kind);
            assertEquals(Errno.EADDRINUSE, failure.errno());
            says(failure, gid.toInetAddress().getHostAddress(), "4791", "by this process itself", "close the device",
                    "127.0.0.2", "namespace");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTakenIpv6AddressSaysSoToo(SocketKind kind) {
        try (CountedLink first = LoopbackAddresses.openIpv6(SocketKind.AUTO)) {
            VerbsException failure = failure(first.gid(), kind);
            assertEquals(Errno.EADDRINUSE, failure.errno());
            says(failure, "::1, UDP port 4791,", "by this process itself");
        }
    }

    @Test
    void anAddressThatAnotherProcessHasSaysWhich() throws IOException {
        Gid gid = LoopbackAddresses.next();
        Process other = holder(gid);
        try {
            says(failure(gid, SocketKind.AUTO), "by process " + other.pid() + " (", "java)");
        } finally {
            other.destroyForcibly();
        }
    }

    private static Process holder(Gid gid) throws IOException {
        Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m", "-XX:+AlwaysPreTouch", "-cp", System.getProperty("java.class.path"), Holder.class.getName(),
                gid.toInetAddress().getHostAddress()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertEquals('y', other.getInputStream().read());
        return other;
    }

    @Test
    void anAddressWhoseHolderIsJustEndingIsWaitedFor() throws IOException {
        Gid gid = LoopbackAddresses.next();
        for (SocketKind kind : SocketKind.values()) {
            Process other = holder(gid);
            other.destroyForcibly();
            PacketLinks.open(gid, kind, Faults.NONE).close();
        }
    }

    /** A process that has an address until its input ends. */
    static final class Holder {
        private Holder() {}

        /** Binds, says so, and waits. */
        public static void main(String[] arguments) throws IOException {
            try (DatagramSocket socket = new DatagramSocket(4791, InetAddress.getByName(arguments[0]))) {
                System.out.write('y');
                System.out.flush();
                System.exit(System.in.read() < 0 && socket.isBound() ? 0 : 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStrangeAddressSaysSo(SocketKind kind) {
        VerbsException failure = failure(new Gid(0, 0xFFFF_0000_0000L | 0xC000_0201L), kind);
        assertEquals(Errno.EADDRNOTAVAIL, failure.errno());
        says(failure, "192.0.2.1", "no address of this host", "ip address");
    }

    @ParameterizedTest
    @EnumSource
    void addressesOfNoHostAreRefused(SocketKind kind) {
        says(failure(new Gid(0, 0xFFFF_0000_0000L), kind), "bind is 0.0.0.0", "one address of this host");
        says(failure(Gid.ZERO, kind), "one address of this host");
        says(failure(new Gid(0xFF02L << 48, 1), kind), "one address of this host");
    }
}
