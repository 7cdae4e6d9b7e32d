package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A completion that comes while the poller takes its lane off the ready list is polled then or later. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 0"}, expect = Expect.ACCEPTABLE, desc = "polled once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class ColdLaneStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SendLane lane = Rings.sendLane(core);

    /** The lane is on the ready list although it is empty, as after a poll that was too late. */
    public ColdLaneStress() {
        if (lane.setReady()) {
            core.pushReady(lane);
        }
    }

    /** Publishes, then announces. */
    @Actor
    public void producer() {
        lane.produce(7, Detail.of(9, 1, 0, 0), 3);
    }

    /** Finds the lane empty, or not. */
    @Actor
    public void consumer(II_Result r) {
        r.r1 = core.poll(new WorkCompletion(), 1);
    }

    /** Looks again when both are done. */
    @Arbiter
    public void later(II_Result r) {
        r.r2 = core.poll(new WorkCompletion(), 1);
    }
}
