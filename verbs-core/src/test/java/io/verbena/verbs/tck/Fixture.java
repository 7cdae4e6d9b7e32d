package io.verbena.verbs.tck;

import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.LocalPeer;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Peer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ProcessPeer;
import io.verbena.verbs.tck.peer.Station;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/**
 * Both sides of a case: A through the public API, B through commands. Closing it closes everything in reverse order,
 * and fails the test when an object can't be closed or a guard byte around registered memory has changed.
 */
final class Fixture implements AutoCloseable {
    /** Every right a region can grant. */
    static final int ALL_ACCESS =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    /** System property that puts side B into a process of its own. */
    static final String PROCESS_PROPERTY = "verbena.tck.process";

    private final Station a;
    private final Peer b;

    Fixture() {
        a = new Station();
        b = Boolean.getBoolean(PROCESS_PROPERTY) ? new ProcessPeer() : new LocalPeer();
    }

    Station a() {
        return a;
    }

    Peer b() {
        return b;
    }

    /** A pair in RESET. */
    Pair pair(PairSpec spec) {
        return new Pair(this, spec);
    }

    /** A pair in RTS. */
    Pair connected(PairSpec spec) {
        return new Pair(this, spec).connect();
    }

    /** A pair in RTS with the usual values. */
    Pair connected() {
        return connected(new PairSpec());
    }

    /** Registered memory of A with every right. */
    Buffer local(long bytes, MemoryKind kind) {
        return local(bytes, kind, ALL_ACCESS);
    }

    Buffer local(long bytes, MemoryKind kind, int access) {
        GuardedMemory memory = a.allocate(bytes, kind);
        return new Buffer(memory, a.register(memory, access));
    }

    /** Registered memory of B with every right. */
    RemoteBuffer remote(long bytes, MemoryKind kind) {
        return remote(bytes, kind, ALL_ACCESS);
    }

    RemoteBuffer remote(long bytes, MemoryKind kind, int access) {
        int memory = b.execute(new PeerCommand.Allocate(bytes, kind));
        return new RemoteBuffer(b, memory,
                b.execute(new PeerCommand.Register(PeerCommand.DOMAIN, memory, 0, bytes, access)));
    }

    /** Reports the test as skipped when the device has no multicast groups. */
    void requireMulticast() {
        Assumptions.assumeTrue(a.context().queryDevice().limit(DeviceLimit.MAX_MCAST_GRP) > 0,
                "optional: the device has no multicast groups");
    }

    /** Reports the test as skipped, with the reason, when the device answers EOPNOTSUPP. */
    static void orSkip(Executable call) throws Throwable {
        try {
            call.execute();
        } catch (VerbsException e) {
            Assumptions.assumeFalse(e.errno() == Errno.EOPNOTSUPP, "optional: " + e.getMessage());
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            a.close();
        } finally {
            b.close();
        }
    }
}
