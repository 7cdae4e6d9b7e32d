package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Whoever arms and then polls sees a flushed receive or gets an event. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "seen, signalled or both")
@Outcome(expect = Expect.FORBIDDEN, desc = "asleep with a completion waiting")
@State
public class ArmFlushStress {
    private final Rings.Events events = new Rings.Events();
    private final CompletionCore core = new CompletionCore(Rings.DEPTH, true, false, events);
    private final ReceiveQueue queue = Rings.receiveQueue(false);
    private final ReceiveLane lane = Rings.receiveLane(core, queue);

    /** Posts the receive that is flushed. */
    public ArmFlushStress() {
        queue.post(3, 0, 0, 0);
    }

    /** Goes into error. */
    @Actor
    public void sealer() {
        lane.seal();
    }

    /** Arms, then polls. */
    @Actor
    public void consumer(II_Result r) {
        core.arm(true);
        r.r1 = core.poll(new WorkCompletion(), 1);
    }

    /** Counts events. */
    @Arbiter
    public void later(II_Result r) {
        r.r2 = events.completions.get();
    }
}
