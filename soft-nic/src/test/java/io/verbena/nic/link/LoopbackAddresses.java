package io.verbena.nic.link;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Addresses of the loopback interface that no other test uses at the same time: port 4791 of an address belongs to one
 * socket, and tests run in several JVMs.
 */
public final class LoopbackAddresses {
    private static final int ADDRESSES = 253;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private static final long DEADLINE_NANOS = 60_000_000_000L;
    private static final Gid IPV6 = new Gid(0, 1);

    private LoopbackAddresses() {}

    /**
     * An address.
     *
     * @return 127.x.y.z; 253 of them, then again the first
     */
    public static Gid next() {
        long pid = ProcessHandle.current().pid() & 0xFFFF;
        long second = 1 + NEXT.getAndIncrement() % ADDRESSES;
        return new Gid(0, 0xFFFF_0000_0000L | 127L << 24 | second << 16 | pid);
    }

    /**
     * Opens a link at the one IPv6 address; waits for other tests that have it.
     *
     * @param kind which sockets
     * @return the link
     */
    static CountedLink openIpv6(SocketKind kind) {
        long end = System.nanoTime() + DEADLINE_NANOS;
        for (;;) {
            try {
                return PacketLinks.open(IPV6, kind, Faults.NONE);
            } catch (VerbsException e) {
                assumeTrue(e.errno() != Errno.EADDRNOTAVAIL, "no IPv6 here");
                if (e.errno() != Errno.EADDRINUSE || System.nanoTime() > end) {
                    throw e;
                }
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}
