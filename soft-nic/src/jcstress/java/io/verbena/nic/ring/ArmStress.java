package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Whoever arms and then polls sees the completion or gets an event. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "seen, signalled or both")
@Outcome(expect = Expect.FORBIDDEN, desc = "asleep with a completion waiting")
@State
public class ArmStress {
    private final Rings.Events events = new Rings.Events();
    private final CompletionCore core = new CompletionCore(Rings.DEPTH, true, false, events);
    private final SendLane lane = Rings.sendLane(core);

    /** Executes a send. */
    @Actor
    public void producer() {
        lane.produce(7, Detail.of(9, 1, 0, 0), 3);
    }

    /** Arms, then polls. */
    @Actor
    public void consumer(II_Result r) {
        core.arm(false);
        r.r1 = core.poll(new WorkCompletion(), 1);
    }

    /** Counts events. */
    @Arbiter
    public void later(II_Result r) {
        r.r2 = events.completions.get();
    }
}
