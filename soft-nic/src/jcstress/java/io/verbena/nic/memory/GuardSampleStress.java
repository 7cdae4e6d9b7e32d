package io.verbena.nic.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A control call that does not wait but looks once: when the guard is quiet, no data call uses what was revoked. */
@JCStressTest
@Outcome(id = {"0, 0", "0, 1", "1, 0", "1, 1"}, expect = Expect.ACCEPTABLE, desc = "in time or not at all")
@Outcome(expect = Expect.FORBIDDEN, desc = "used while seen quiet")
@State
public class GuardSampleStress {
    private final Guard guard = new Guard();
    private final Generation generation = new Generation();
    private int memory = 1;

    /** A data call that remembers generation 0. */
    @Actor
    public void data(II_Result r) {
        guard.enter();
        if (generation.get() == 0) {
            r.r1 = memory;
        }
        guard.exit();
    }

    /** Seals when the guard is quiet, or has moved on since the first look. */
    @Actor
    public void control(II_Result r) {
        generation.bump();
        Fences.heavy();
        if (guard.hasEnded(guard.sample())) {
            memory = 2;
            r.r2 = 1;
        }
    }
}
