package io.verbena.nic.direct;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;

/**
 * The other end of a connection, as the requester of this end sees it: an {@link Endpoint} of this process, or what
 * another process shows of one of its own.
 */
public interface Peer {
    /** The transport service. */
    QueuePairType type();

    /** The queue pair number. */
    int qpNum();

    /** The state now. */
    QueuePairState state();

    /** Whether requests are served now. */
    boolean isServing();

    /** Whether requests are served in a state. */
    static boolean serves(QueuePairState state) {
        return switch (state) {
            case RTR, RTS, SQD, SQE -> true;
            case RESET, INIT, ERR -> false;
        };
    }

    /** Attributes of its side; another object whenever they have changed; null before it was first connected. */
    Path path();

    /** Another number after every reset: tells its connections apart. */
    long lives();

    /** Changes when one of its keys was revoked. */
    long epoch();

    /** Where its completions of receives are produced. */
    ReceiveLane receiveLane();

    /** Where its receives are posted. */
    ReceiveQueue receiveQueue();

    /** Where receives come from when it is not the receive queue, or null. */
    SharedReceives shared();

    /** An empty cache of its keys of a kind, LOCAL or REMOTE of MemoryTable. */
    KeyCache keys(int kind);

    /** Where its NIC counts what it refuses. */
    NicCounters nicCounters();

    /** Says who produces its completions from now on; before the state is looked at. */
    void producer(Requester requester);

    /** The first message before RTS has arrived. */
    void noteEstablished();

    /**
     * Makes it fail.
     *
     * @param event what to report there, or null
     * @return whether this call did it, as far as is known
     */
    boolean enterError(Kind event);

    /** Where another process counts the changes that must be looked at again; 0 in this process. */
    default long generationAt() {
        return 0;
    }

    /** Where to announce data calls to another process; 0 in this process. */
    default long guardAt() {
        return 0;
    }

    /** Whether its process has ended, or was cut off. */
    default boolean isGone() {
        return false;
    }

    /** Has it count as gone, since it does not answer any more. */
    default void cutOff() {}

    /** Whether its process has given this one up, so that what is written there may go nowhere. */
    default boolean hasCutOff() {
        return false;
    }

    /** Whether memory of its is about to be mapped here, so that a request had better wait a moment. */
    default boolean isMapping() {
        return false;
    }

    /** Whether it was reset since it was found, so that it has to be looked for again; never in this process. */
    default boolean isOutdated() {
        return false;
    }

    /** Whether messages that take a receive go through its own process, {@link #delegate()}. */
    default boolean isDelegating() {
        return false;
    }

    /** Who executes what can't be executed from here; null in this process. */
    default Delegate delegate() {
        return null;
    }
}
