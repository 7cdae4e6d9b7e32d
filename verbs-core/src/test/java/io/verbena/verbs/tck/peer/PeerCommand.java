package io.verbena.verbs.tck.peer;

import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import java.io.Serializable;
import java.util.ArrayList;

/**
 * What side B can be asked to do. Objects of side B are named by handles, numbers that it gave out. Every command may
 * throw the VerbsException of the call it makes.
 *
 * @param <R> the kind of answer
 */
public sealed interface PeerCommand<R extends Serializable> extends Serializable {
    /** The answer of commands that have nothing to tell. */
    enum Done {
        /** Carried out. */
        DONE
    }

    /**
     * Commands about shared receive queues, address handles and multicast groups.
     *
     * @param <R> the kind of answer
     */
    sealed interface Sharing<R extends Serializable> extends PeerCommand<R> permits SharingCommand {}

    /** Handle of the protection domain that queue pairs belong to. */
    int DOMAIN = 0;
    /** Handle of a second protection domain. */
    int OTHER_DOMAIN = 1;

    /**
     * Creates a completion queue, with a channel of its own when it is to have events.
     *
     * @param cqe its size
     * @param events whether it has a channel
     * @param threading who may poll
     */
    record CreateCompletionQueue(int cqe, boolean events, Threading threading) implements PeerCommand<Integer> {}

    /**
     * Creates a queue pair in RESET.
     *
     * @param spec its type and sizes
     * @param sendCq handle of the queue for sends
     * @param recvCq handle of the queue for receives
     */
    record CreateQueuePair(QueuePairSpec spec, int sendCq, int recvCq)
            implements PeerCommand<PeerAnswer.QueuePairInfo> {}

    /**
     * Takes a queue pair from RESET through INIT and RTR to RTS.
     *
     * @param qp handle
     * @param endpoint the other end, as QueuePairEndpoint writes it
     * @param link the attributes
     */
    record Connect(int qp, String endpoint, LinkSpec link) implements PeerCommand<Done> {}

    /**
     * Changes a queue pair's state or access flags.
     *
     * @param qp handle
     * @param state the new state, or null to leave it
     * @param access the new access flags, or -1 to leave them
     */
    record Modify(int qp, QueuePairState state, int access) implements PeerCommand<Done> {}

    /**
     * Queries a queue pair.
     *
     * @param qp handle
     */
    record Query(int qp) implements PeerCommand<PeerAnswer.QueuePairView> {}

    /**
     * Allocates zeroed memory with guard bytes on both sides.
     *
     * @param bytes without the guards
     * @param kind where it comes from
     */
    record Allocate(long bytes, MemoryKind kind) implements PeerCommand<Integer> {}

    /**
     * Registers a part of allocated memory.
     *
     * @param domain {@link #DOMAIN} or {@link #OTHER_DOMAIN}
     * @param memory handle
     * @param offset first byte
     * @param bytes how many
     * @param access rights
     */
    record Register(int domain, int memory, long offset, long bytes, int access)
            implements PeerCommand<PeerAnswer.RegionInfo> {}

    /**
     * Reregisters a region.
     *
     * @param region handle
     * @param flags what to change
     * @param domain the new domain
     * @param memory handle of the new memory, all of it
     * @param access the new rights
     */
    record Reregister(int region, int flags, int domain, int memory, int access)
            implements PeerCommand<PeerAnswer.RegionInfo> {}

    /**
     * Allocates a memory window.
     *
     * @param domain {@link #DOMAIN} or {@link #OTHER_DOMAIN}
     * @param type how it is bound
     */
    record AllocateWindow(int domain, MemoryWindow.Type type) implements PeerCommand<PeerAnswer.WindowInfo> {}

    /**
     * Posts a bind of a type 1 window.
     *
     * @param qp handle
     * @param bind what to bind, as {@link WorkSpec#bind} says; the key is ignored, the region may be -1 for none
     */
    record BindWindow(int qp, WorkSpec bind) implements PeerCommand<Integer> {}

    /**
     * Asks for the key of a window.
     *
     * @param window handle
     */
    record WindowKey(int window) implements PeerCommand<Integer> {}

    /**
     * Closes any object: a region, a window, a queue (with its channel) or allocated memory. Memory of an arena is
     * closed even while registered. The handle is forgotten.
     *
     * @param handle the object
     */
    record Destroy(int handle) implements PeerCommand<Done> {}

    /**
     * Fills memory with a pattern.
     *
     * @param memory handle
     * @param offset first byte
     * @param bytes how many
     * @param seed which pattern, see {@link Pattern}
     */
    record Fill(int memory, long offset, long bytes, long seed) implements PeerCommand<Done> {}

    /**
     * Compares memory with a pattern.
     *
     * @param memory handle
     * @param offset first byte
     * @param bytes how many
     * @param seed which pattern
     */
    record Check(int memory, long offset, long bytes, long seed) implements PeerCommand<Long> {}

    /**
     * Reads memory.
     *
     * @param memory handle
     * @param offset first byte
     * @param bytes how many
     */
    record ReadBytes(int memory, long offset, int bytes) implements PeerCommand<byte[]> {}

    /**
     * Posts receives as one list.
     *
     * @param qp handle
     * @param receives what to post
     */
    record PostReceive(int qp, ArrayList<WorkSpec> receives) implements PeerCommand<Integer> {}

    /**
     * Posts sends as one list.
     *
     * @param qp handle
     * @param sends what to post
     */
    record PostSend(int qp, ArrayList<WorkSpec> sends) implements PeerCommand<Integer> {}

    /**
     * Polls until enough completions have come or time is up.
     *
     * @param cq handle
     * @param count how many to wait for
     * @param timeoutNanos how long to wait; 0 polls once
     */
    record Poll(int cq, int count, long timeoutNanos) implements PeerCommand<ArrayList<Completion>> {}

    /**
     * Arms a completion queue.
     *
     * @param cq handle
     * @param solicitedOnly which completions count
     */
    record Arm(int cq, boolean solicitedOnly) implements PeerCommand<Integer> {}

    /**
     * Takes and acknowledges the oldest event.
     *
     * @param cq handle of the completion queue whose channel is meant, or -1 for asynchronous events
     * @param timeoutNanos how long to wait
     */
    record TakeEvent(int cq, long timeoutNanos) implements PeerCommand<PeerAnswer.Event> {}

    /**
     * Starts something that runs on a thread of its own.
     *
     * @param spec what to run
     */
    record StartService(ServiceSpec spec) implements PeerCommand<Integer> {}

    /**
     * Stops a service and waits until its thread has ended.
     *
     * @param handle the service
     */
    record StopService(int handle) implements PeerCommand<PeerAnswer.ServiceReport> {}

    /**
     * Carries out commands one after another without a gap.
     *
     * @param commands what to do
     */
    record Sequence(ArrayList<PeerCommand<?>> commands) implements PeerCommand<ArrayList<Serializable>> {}
}
