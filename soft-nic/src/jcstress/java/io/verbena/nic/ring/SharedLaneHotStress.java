package io.verbena.nic.ring;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two producers complete while their lane turns from hot to cold: the poller finds both. */
@JCStressTest
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both found")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class SharedLaneHotStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SharedQueue queue = new SharedQueue(2, 1, () -> { }, Rings.blocks());
    private final SharedLane lane = Rings.sharedLane(core, queue);
    private final int first;
    private final int second;

    /** Two receives were taken; the lane is hot: nobody announces. */
    public SharedLaneHotStress() {
        queue.post(1, 64, 9, 5);
        queue.post(2, 64, 9, 5);
        first = queue.take();
        second = queue.take();
        lane.mark(LaneShared.COLD, 0);
    }

    private void produce(int id) {
        lane.produce(id, Detail.of(9, 128, 0, 0), 0, 1L << Integer.SIZE, false,
                QueuePairCounters.NOWHERE);
    }

    /** Completes one. */
    @Actor
    public void oneProducer() {
        produce(first);
    }

    /** Completes the other, then does what the selector does to a lane that gave nothing for long. */
    @Actor
    public void otherProducerAndSelector() {
        produce(second);
        lane.mark(0, LaneShared.COLD);
        Fences.heavy();
        if (lane.hasCompletion() && lane.setReady()) {
            core.pushReady(lane);
        }
    }

    /** Polls until nothing comes; all places are free then. */
    @Arbiter
    public void later(II_Result r) {
        while (core.poll(new WorkCompletion(), 1) == 1) {
            r.r1++;
        }
        r.r2 = queue.post(1, 64, 9, 5) + queue.post(2, 64, 9, 5);
    }
}
