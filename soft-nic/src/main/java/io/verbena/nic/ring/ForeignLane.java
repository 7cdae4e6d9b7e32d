package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;

/** The producer's end of a receive lane whose consumer is in another process. It is never polled here. */
public final class ForeignLane extends ReceiveLane {
    private static final CompletionCore NOBODY = new CompletionCore(1, false, true, CompletionListener.NOBODY);

    private final ReceiveQueue queue;
    private final Bell bell;
    private final long psnAt;

    /** How the process of the consumer learns that there is something. */
    public interface Bell {
        /**
         * Has the consumer look at the lane; after the completion was published and a full barrier.
         *
         * @param polled whether the consumer looks at the lane unasked, so that only who waits for an event must know
         * @param solicited whether the completion matches an arm for solicited completions only
         */
        void ring(boolean polled, boolean solicited);
    }

    /**
     * Makes the end of a lane.
     *
     * @param queue a view of the receive queue
     * @param qpNum the queue pair
     * @param next index of the next completion
     * @param bell how to be noticed
     * @param psnAt where the consumer's process reads the packet sequence number that comes next
     */
    public ForeignLane(ReceiveQueue queue, int qpNum, long next, Bell bell, long psnAt) {
        super(NOBODY, qpNum, queue, null, null, null);
        this.queue = queue;
        this.bell = bell;
        this.psnAt = psnAt;
        tailRelease(next);
    }

    @Override
    public void expectPsn(int value) {
        super.expectPsn(value);
        OffHeap.putLong(psnAt, value);
    }

    /** Goes on after the consumer's process has produced in the place of this one. */
    public void goOnAt(long next) {
        tailRelease(next);
    }

    @Override
    void announceSlowly(boolean solicited) {
        if (queue.howHot() == ReceiveQueue.POLLED) {
            return;
        }
        // The completion must be visible before the word is read again: the other side changes it, then looks.
        VarHandle.fullFence();
        long how = queue.howHot();
        if (how != ReceiveQueue.POLLED) {
            bell.ring((how & ReceiveQueue.POLLED) != 0, solicited);
        }
    }

    @Override
    void take(WorkCompletion completion) {
        throw new IllegalStateException("this end of the lane only produces");
    }
}
