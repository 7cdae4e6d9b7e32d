package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Concurrent polls of a thread-safe queue never return the same completion, and one of them returns the first. */
@JCStressTest
@Outcome(id = {"1, 2, 0", "2, 1, 0", "1, 0, 2", "0, 1, 2"}, expect = Expect.ACCEPTABLE, desc = "each once, in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "doubled, lost or out of order")
@State
public class PollRoleStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);

    /** Two completions wait. */
    public PollRoleStress() {
        SendLane lane = Rings.sendLane(core);
        lane.produce(1, Detail.of(9, 1, 0, 0), 0);
        lane.produce(2, Detail.of(9, 1, 0, 0), 1);
    }

    private int poll() {
        WorkCompletion completion = new WorkCompletion();
        return core.poll(completion, 1) == 1 ? (int) completion.wrId() : 0;
    }

    /** Polls. */
    @Actor
    public void first(III_Result r) {
        r.r1 = poll();
    }

    /** Polls. */
    @Actor
    public void second(III_Result r) {
        r.r2 = poll();
    }

    /** Polls what is left. */
    @Arbiter
    public void later(III_Result r) {
        r.r3 = poll();
    }
}
