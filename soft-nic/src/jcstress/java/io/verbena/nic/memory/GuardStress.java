package io.verbena.nic.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Once a control call has waited for the guard, no data call uses what it revoked. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "saw the revocation")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "used it in time")
@Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "used it after it was gone")
@State
public class GuardStress {
    private final Guard guard = new Guard();
    private final Generation generation = new Generation();
    private int memory = 1;

    /** A data call that remembers generation 0. */
    @Actor
    public void data(I_Result r) {
        guard.enter();
        if (generation.get() == 0) {
            r.r1 = memory;
        }
        guard.exit();
    }

    /** A deregistration, after which the memory is used for something else. */
    @Actor
    public void control() {
        generation.bump();
        Fences.heavy();
        guard.awaitQuiescent();
        memory = 2;
    }
}
