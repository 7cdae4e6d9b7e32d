package io.verbena.nic.ring;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Who polls a completion of a shared lane sees all of it, and the work request id that the poster gave. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "polled once, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or torn")
@State
public class SharedLaneStress {
    private static final long WR_ID = 0x1234_5678_9ABC_DEFL;
    private static final int IMM = 0xCAFE;

    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SharedQueue queue = new SharedQueue(1, 1, () -> { }, Rings.blocks());
    private final SharedLane lane = Rings.sharedLane(core, queue);
    private boolean produced;

    /** Posts, then polls. */
    @Actor
    public void posterAndPoller(II_Result r) {
        queue.post(WR_ID, 64, 9, 5);
        r.r1 = poll();
    }

    /** Takes the receive if it is there, and completes it. */
    @Actor
    public void producer() {
        produced = produce();
    }

    private boolean produce() {
        int id = queue.take();
        return id >= 0 && lane.produce(
                id, Detail.of(queue.totalBytes(id), 128, 0, 2), IMM, 77L << Integer.SIZE | 88, false,
                QueuePairCounters.NOWHERE);
    }

    /** Polls later; completes what was posted too late for the producer. */
    @Arbiter
    public void later(II_Result r) {
        produced = produced || produce();
        r.r2 = poll();
    }

    private int poll() {
        WorkCompletion completion = new WorkCompletion();
        if (core.poll(completion, 1) == 0) {
            return 0;
        }
        boolean whole = completion.wrId() == WR_ID && completion.byteLen() == 9 && completion.opcodeCode() == 128
                && completion.flags() == 2 && completion.imm() == IMM && completion.qpNum() == 77
                && completion.srcQp() == 88;
        return whole ? 1 : 100;
    }
}
