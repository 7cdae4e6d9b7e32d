package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.Guard;
import io.verbena.verbs.Gid;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the software NICs of one JVM share: the way to each other's endpoints, the generation that data calls compare,
 * and the lock of all control planes. No data call takes the lock.
 */
public final class Fabric {
    /** How long a control call waits for processes that may have been stopped; less than they wait for an answer. */
    static final long FOREIGN_LIMIT_NS = 1_000_000_000L;

    /** Everybody is waited for so often, even when others have used the time up. */
    private static final int LEAST_SPINS = 11_000;

    /** The one fabric of this JVM. */
    public static final Fabric LOCAL = new Fabric();

    private final ConcurrentHashMap<Gid, EndpointTable> tables = new ConcurrentHashMap<>();
    private final EndpointList all = new EndpointList();
    private final Generation generation = new Generation();
    private final DatagramReceivers datagramReceivers = new DatagramReceivers();
    private final ReentrantLock controlLock = new ReentrantLock();
    /** Replaced as a whole: data calls that bind go through it, and allocate nothing. */
    private volatile ForeignUser[] foreignUsers = {};

    private Fabric() {}

    /** Taken by every control call that changes something. */
    public ReentrantLock controlLock() {
        return controlLock;
    }

    /** Changes whenever data calls must look again at what they remember. */
    public Generation generation() {
        return generation;
    }

    /** Makes an endpoint reachable. */
    public void add(Gid gid, Endpoint endpoint) {
        tables.computeIfAbsent(gid, address -> new EndpointTable()).add(endpoint);
        all.add(endpoint);
    }

    /** Waits from now on for an endpoint that nobody reaches; under the control lock. */
    void enlist(Endpoint endpoint) {
        all.add(endpoint);
    }

    /** Makes an endpoint unreachable; data calls that use it already are not stopped by this. */
    public void remove(Gid gid, Endpoint endpoint) {
        tables.get(gid).remove(endpoint);
    }

    /** Who takes datagrams. */
    public DatagramReceivers datagramReceivers() {
        return datagramReceivers;
    }

    /** Waits no longer for an endpoint; once it was reset for the last time. */
    public void forget(Endpoint endpoint) {
        all.remove(endpoint);
    }

    /** Whether the NIC of an address is, or was, in this process. */
    public boolean isHere(Gid gid) {
        return tables.containsKey(gid);
    }

    /** Finds an endpoint, or null. */
    public Endpoint find(Gid gid, int qpNum) {
        EndpointTable table = gid == null ? null : tables.get(gid);
        return table == null ? null : table.find(qpNum);
    }

    /** Whether a queue pair number is in use at an address. */
    public boolean isTaken(Gid gid, int qpNum) {
        return find(gid, qpNum) != null;
    }

    /** Makes data calls look again, and waits for those in flight; they use nothing revoked before this call. */
    public void quiesce() {
        generation.bump();
        Fences.heavy();
        generation.roster().awaitQuiescent();
        awaitForeign(foreignUsers);
    }

    /** Waits from now on for a requester of another process too; under the control lock. */
    public void add(ForeignUser user) {
        ForeignUser[] more = Arrays.copyOf(foreignUsers, foreignUsers.length + 1);
        more[more.length - 1] = user;
        foreignUsers = more;
    }

    /** Waits for it no longer; under the control lock. */
    public void remove(ForeignUser user) {
        foreignUsers = Arrays.stream(foreignUsers).filter(other -> other != user).toArray(ForeignUser[]::new);
    }

    /** Like {@link #quiesce} for what polls never use, such as keys of peers; by any thread outside all guards. */
    void quiesceRequesters() {
        generation.bump();
        Fences.heavy();
        all.awaitQuiescent();
        awaitForeign(foreignUsers);
    }

    /** Waits, for a limited time in all, until requesters of other processes have ended what is in flight. */
    static void awaitForeign(ForeignUser... users) {
        long end = System.nanoTime() + FOREIGN_LIMIT_NS;
        for (ForeignUser user : users) {
            long sample = user.sample();
            for (int spins = 0; !user.hasEnded(sample); spins++) {
                if (spins > LEAST_SPINS && System.nanoTime() - end >= 0) {
                    user.giveUp();
                    break;
                }
                Guard.pause(spins);
            }
        }
    }
}
