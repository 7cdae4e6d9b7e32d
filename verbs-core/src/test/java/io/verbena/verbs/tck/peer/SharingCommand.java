package io.verbena.verbs.tck.peer;

import java.io.Serializable;
import java.util.ArrayList;

/**
 * What side B can be asked to do with shared receive queues, address handles and multicast groups.
 *
 * @param <R> the kind of answer
 */
public sealed interface SharingCommand<R extends Serializable> extends PeerCommand.Sharing<R> {
    /**
     * What is known of a shared receive queue.
     *
     * @param capacity receives it can hold
     * @param maxSge entries of one receive
     * @param limit the armed limit
     */
    record SharedView(int capacity, int maxSge, int limit) implements Serializable {}

    /**
     * What a sink has done.
     *
     * @param messages how many it took
     * @param sum of their numbers
     * @param failure what went wrong; empty when nothing did
     */
    record SinkReport(long messages, long sum, String failure) implements Serializable {}

    /**
     * Creates a shared receive queue.
     *
     * @param domain handle of its protection domain
     * @param maxWr receives
     * @param maxSge entries of one receive
     */
    record CreateSharedQueue(int domain, int maxWr, int maxSge) implements SharingCommand<Integer> {}

    /**
     * Creates a queue pair in RESET that draws from a shared receive queue.
     *
     * @param spec its type and sizes
     * @param sendCq handle of the queue for sends
     * @param recvCq handle of the queue for receives
     * @param srq handle of the shared receive queue
     */
    record CreateQueuePairOn(QueuePairSpec spec, int sendCq, int recvCq, int srq)
            implements SharingCommand<PeerAnswer.QueuePairInfo> {}

    /**
     * Posts receives to a shared receive queue as one list.
     *
     * @param srq handle
     * @param receives what to post
     */
    record PostShared(int srq, ArrayList<WorkSpec> receives) implements SharingCommand<Integer> {}

    /**
     * Arms the limit of a shared receive queue.
     *
     * @param srq handle
     * @param limit receives
     */
    record SetLimit(int srq, int limit) implements SharingCommand<PeerCommand.Done> {}

    /**
     * Changes the capacity of a shared receive queue.
     *
     * @param srq handle
     * @param maxWr receives
     */
    record ResizeShared(int srq, int maxWr) implements SharingCommand<PeerCommand.Done> {}

    /**
     * Queries a shared receive queue.
     *
     * @param srq handle
     */
    record QueryShared(int srq) implements SharingCommand<SharedView> {}

    /**
     * Creates an address handle.
     *
     * @param domain handle of its protection domain
     * @param gid where it leads, 32 hexadecimal digits
     */
    record CreateHandle(int domain, String gid) implements SharingCommand<Integer> {}

    /**
     * Creates an address handle to the sender of a datagram.
     *
     * @param completion the datagram's completion
     * @param memory handle of the memory it was received into
     * @param offset where its header begins
     */
    record CreateReplyHandle(Completion completion, int memory, long offset) implements SharingCommand<Integer> {}

    /**
     * Joins or leaves a multicast group.
     *
     * @param qp handle
     * @param gid the group, 32 hexadecimal digits
     * @param join whether to join
     */
    record Group(int qp, String gid, boolean join) implements SharingCommand<PeerCommand.Done> {}

    /**
     * Changes a queue pair's queue key.
     *
     * @param qp handle
     * @param qkey the new key
     */
    record ChangeQueueKey(int qp, int qkey) implements SharingCommand<PeerCommand.Done> {}

    /**
     * Starts a thread that takes messages and posts their buffers again. Work request ids are numbers of buffers; a
     * message begins with a long, its number, and a long that names the sender.
     *
     * @param target where to post: a shared receive queue, or a queue pair
     * @param cq handle of the queue that receives complete in
     * @param buffer registered memory, cut into buffers
     * @param stride bytes of one buffer
     * @param header bytes before a message
     * @param ordered whether the numbers of each sender must grow
     */
    record StartSink(int target, int cq, PeerAnswer.RegionInfo buffer, int stride, int header, boolean ordered)
            implements SharingCommand<Integer> {}

    /**
     * What a sink has done so far.
     *
     * @param sink handle
     */
    record AskSink(int sink) implements SharingCommand<SinkReport> {}

    /**
     * Stops a sink.
     *
     * @param sink handle
     */
    record StopSink(int sink) implements SharingCommand<SinkReport> {}
}
