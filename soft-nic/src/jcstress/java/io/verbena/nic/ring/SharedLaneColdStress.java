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

/** Two producers announce a cold lane at the same time: it gets on the ready list once, and both are polled. */
@JCStressTest
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "both polled")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class SharedLaneColdStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SharedQueue queue = new SharedQueue(2, 1, () -> { }, Rings.blocks());
    private final SharedLane lane = Rings.sharedLane(core, queue);
    private final int first;
    private final int second;

    /** Two receives were taken; the lane is cold. */
    public SharedLaneColdStress() {
        queue.post(1, 64, 9, 5);
        queue.post(2, 64, 9, 5);
        first = queue.take();
        second = queue.take();
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

    /** Completes the other. */
    @Actor
    public void otherProducer() {
        produce(second);
    }

    /** Polls until nothing comes; the lane was listed once. */
    @Arbiter
    public void later(II_Result r) {
        r.r2 = (lane.attention & LaneShared.READY) != 0 && lane.nextReady == null ? 1 : 0;
        while (core.poll(new WorkCompletion(), 1) == 1) {
            r.r1++;
        }
    }
}
