package io.verbena.nic.ring;

import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A receive posted while its queue is sealed is flushed, in single mode. */
@JCStressTest
@Outcome(id = "1, 5", expect = Expect.ACCEPTABLE, desc = "flushed")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost")
@State
public class SinglePostSealStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final ReceiveQueue queue = Rings.receiveQueue(true);
    private final ReceiveLane lane = Rings.receiveLane(core, queue);

    /** Posts as an endpoint does. */
    @Actor
    public void poster() {
        queue.post(3, 0, 0, 0);
        Fences.light();
        if (lane.isSealed()) {
            lane.announceFlush();
        }
    }

    /** Goes into error. */
    @Actor
    public void sealer() {
        lane.seal();
    }

    /** Polls when both are done. */
    @Arbiter
    public void later(II_Result r) {
        WorkCompletion completion = new WorkCompletion();
        r.r1 = core.poll(completion, 1);
        r.r2 = completion.statusCode();
    }
}
