package io.verbena.nic.ring;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A full queue: a completion fits exactly when the poll before it has ended its count; otherwise the queue fails. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "polled first")
@Outcome(id = "0, 1, " + PostStatus.CQ_ERROR, expect = Expect.ACCEPTABLE, desc = "overflow")
@Outcome(expect = Expect.FORBIDDEN, desc = "counted wrongly")
@State
public class CountedStress {
    private final CompletionCore core = Rings.core(1);
    private final SendLane lane = Rings.sendLane(core);

    /** The queue is full. */
    public CountedStress() {
        lane.produce(1, Detail.of(9, 1, 0, 0), 0);
    }

    /** Adds another completion. */
    @Actor
    public void producer(III_Result r) {
        r.r1 = lane.produce(2, Detail.of(9, 1, 0, 0), 1) ? 1 : 0;
    }

    /** Makes room. */
    @Actor
    public void consumer(III_Result r) {
        r.r2 = core.poll(new WorkCompletion(), 1);
    }

    /** Polls what is left. */
    @Arbiter
    public void later(III_Result r) {
        r.r3 = core.poll(new WorkCompletion(), 1);
    }
}
