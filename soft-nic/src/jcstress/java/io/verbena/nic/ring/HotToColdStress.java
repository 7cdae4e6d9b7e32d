package io.verbena.nic.ring;

import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A completion that comes while its lane turns from hot to cold is found by the poller or announced. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "found")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost")
@State
public class HotToColdStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SendLane lane = Rings.sendLane(core);

    /** The lane is hot: nobody announces. */
    public HotToColdStress() {
        lane.mark(LaneShared.COLD, 0);
    }

    /** Publishes; announces when the lane is seen cold. */
    @Actor
    public void producer() {
        lane.produce(7, Detail.of(9, 1, 0, 0), 3);
    }

    /** What the selector does to a lane that gave nothing for long. */
    @Actor
    public void selector() {
        lane.mark(0, LaneShared.COLD);
        Fences.heavy();
        if (lane.hasCompletion() && lane.setReady()) {
            core.pushReady(lane);
        }
    }

    /** Polls when both are done. */
    @Arbiter
    public void later(I_Result r) {
        r.r1 = core.poll(new WorkCompletion(), 1);
    }
}
