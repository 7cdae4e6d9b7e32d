package io.verbena.nic.link;

import io.verbena.verbs.Gid;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Addresses of the loopback interface that no other test uses at the same time: port 4791 of an address belongs to one
 * socket, and tests run in several JVMs.
 */
public final class LoopbackAddresses {
    private static final int ADDRESSES = 253;
    private static final AtomicInteger NEXT = new AtomicInteger();

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
}
