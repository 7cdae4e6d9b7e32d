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

/** A producer announces a lane that the poller takes off the ready list, and so does another then: both are polled. */
@JCStressTest
@Outcome(id = {"0, 2", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "both polled")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class SharedLaneReadyStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SharedQueue queue = new SharedQueue(2, 1, () -> { }, Rings.blocks());
    private final SharedLane lane = Rings.sharedLane(core, queue);
    private final int first;
    private final int second;

    /** Two receives were taken; the lane is on the ready list although it is empty, as after a poll too late. */
    public SharedLaneReadyStress() {
        queue.post(1, 64, 9, 5);
        queue.post(2, 64, 9, 5);
        first = queue.take();
        second = queue.take();
        if (lane.setReady()) {
            core.pushReady(lane);
        }
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

    /** Finds the lane empty, or not, and takes it off the ready list; then completes the other. */
    @Actor
    public void consumerAndOtherProducer(II_Result r) {
        r.r1 = core.poll(new WorkCompletion(), 1);
        produce(second);
    }

    /** Polls until nothing comes. */
    @Arbiter
    public void later(II_Result r) {
        while (core.poll(new WorkCompletion(), 1) == 1) {
            r.r2++;
        }
    }
}
