package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.Guard;
import io.verbena.verbs.Gid;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the software NICs of one JVM share: the way to each other's endpoints, the generation that data calls compare,
 * and the lock of all control planes. No data call takes the lock.
 */
public final class Fabric {
    /** So long processes are waited for with the control lock: who runs is done by then. */
    private static final int SPINS_WITH_LOCK = 10_000;
    /** Everybody is waited for so often, even when others have used the time up. */
    private static final int LEAST_SPINS = 11_000;

    /** The one fabric of this JVM. */
    public static final Fabric LOCAL = new Fabric();

    private final ConcurrentHashMap<Gid, EndpointTable> tables = new ConcurrentHashMap<>();
    private final EndpointList all = new EndpointList();
    private final Generation generation = new Generation();
    private final DatagramReceivers datagramReceivers = new DatagramReceivers();
    private final ReentrantLock controlLock = new ReentrantLock();
    private final Condition turns = controlLock.newCondition();
    /** Replaced as a whole: data calls that bind go through it, without the lock. */
    private volatile ForeignUser[] foreignUsers = {};

    private Fabric() {}

    /** Taken by every control call that changes something, and left to others while a process has to be waited for. */
    public ReentrantLock controlLock() {
        return controlLock;
    }

    /** Waits, under the control lock, which is left meanwhile, until {@link #turnEnded} is called. */
    public void awaitTurn() {
        turns.awaitUninterruptibly();
    }

    /** A control call that left the lock on its way has ended; under the control lock. */
    public void turnEnded() {
        turns.signalAll();
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

    /**
     * Waits from now on for an endpoint that nobody reaches this way; under the control lock.
     *
     * @param endpoint to wait for
     */
    public void enlist(Endpoint endpoint) {
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

    /**
     * Makes data calls look again, and waits for those in flight; they use nothing revoked before this call. The
     * control lock may be left to others on the way.
     */
    public void quiesce() {
        lookAgain();
        generation.roster().awaitQuiescent();
        awaitAllForeign();
    }

    /** Those of other processes that are waited for; under the control lock. */
    public List<ForeignUser> foreignUsers() {
        return List.of(foreignUsers);
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

    /** Makes data calls look again; those that don't show in their guards afterwards. By any thread. */
    void lookAgain() {
        generation.bump();
        Fences.heavy();
    }

    /**
     * Makes data calls look again, and notes all that may be using what was revoked before this call; not polls, which
     * never use keys of peers. By any thread; waits for nobody.
     */
    void noteUsers(Unbinding unbinding) {
        lookAgain();
        all.noteUsers(unbinding);
        for (ForeignUser user : foreignUsers) {
            unbinding.note(user);
        }
    }

    /**
     * Makes data calls look again, and waits for those in flight of requesters of this process, which wait for nobody.
     * By any thread outside all guards.
     */
    public void quiesceRequesters() {
        lookAgain();
        all.awaitQuiescent();
    }

    /** Waits for all of other processes, like {@link #awaitForeign(ForeignUser...)}. */
    void awaitAllForeign() {
        awaitForeign(foreignUsers);
    }

    /**
     * Waits until requesters of other processes have ended what is in flight, or were made harmless because they took
     * too long. The control lock is left to others if it is held and that takes a while.
     */
    static void awaitForeign(ForeignUser... users) {
        int holds = 0;
        try {
            for (ForeignUser user : users) {
                long start = System.nanoTime();
                long sample = user.sample();
                for (int spins = 0; !user.hasEnded(sample); spins++) {
                    if (spins == SPINS_WITH_LOCK && holds == 0) {
                        holds = LOCAL.leaveLock();
                    }
                    if (spins > LEAST_SPINS && System.nanoTime() - start >= user.patienceNs()) {
                        user.giveUp();
                    }
                    Guard.pause(spins);
                }
            }
        } finally {
            LOCAL.retakeLock(holds);
        }
    }

    private int leaveLock() {
        int holds = controlLock.isHeldByCurrentThread() ? controlLock.getHoldCount() : 0;
        for (int i = 0; i < holds; i++) {
            controlLock.unlock();
        }
        return holds;
    }

    private void retakeLock(int holds) {
        for (int i = 0; i < holds; i++) {
            controlLock.lock();
        }
    }
}
