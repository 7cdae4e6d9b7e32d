package io.verbena.nic.ring;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Completions of one queue pair are dropped while a poller polls and a sender of another queue pair completes: the
 * dropped one is polled before or never, the others come out once, and all places are free at the end.
 */
@JCStressTest
@Outcome(id = {"0, 2, 3", "1, 2, 3"}, expect = Expect.ACCEPTABLE, desc = "only its own are dropped")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled or kept")
@State
public class SharedLaneDiscardStress {
    private static final int GONE = 1;
    private static final int STAYS = 2;

    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SharedQueue queue = new SharedQueue(3, 1, () -> { }, Rings.blocks());
    private final SharedLane lane = Rings.sharedLane(core, queue);
    private final WorkCompletion completion = new WorkCompletion();
    private final int late;

    /** A completion of each queue pair is there. */
    public SharedLaneDiscardStress() {
        for (int i = 0; i < 3; i++) {
            queue.post(i, 64, 9, 5);
        }
        produce(queue.take(), GONE);
        produce(queue.take(), STAYS);
        late = queue.take();
    }

    private void produce(int id, long qpNum) {
        lane.produce(id, Detail.of(9, 128, 0, 0), 0, qpNum << Integer.SIZE, false,
                QueuePairCounters.NOWHERE);
    }

    /** Polls, then completes another of the queue pair that stays. */
    @Actor
    public void consumerAndProducer(III_Result r) {
        poll(r);
        produce(late, STAYS);
        poll(r);
    }

    /** Resets the other queue pair. */
    @Actor
    public void control() {
        lane.discard(GONE);
    }

    private boolean poll(III_Result r) {
        if (core.poll(completion, 1) == 0) {
            return false;
        }
        if (completion.qpNum() == GONE) {
            r.r1++;
        } else {
            r.r2++;
        }
        return true;
    }

    /** Polls the rest, and fills the queue. */
    @Arbiter
    public void later(III_Result r) {
        boolean more = poll(r);
        while (more) {
            more = poll(r);
        }
        while (queue.post(9, 64, 9, 5) == 0) {
            r.r3++;
        }
    }
}
