package io.verbena.nic.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who finds the key of a window that is being bound finds all of the binding. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not bound yet")
@Outcome(id = "128", expect = Expect.ACCEPTABLE, desc = "bound")
@Outcome(expect = Expect.FORBIDDEN, desc = "a part of the binding")
@State
public class WindowBindStress {
    private static final int OWNER = 77;

    private final WindowTable windows = new WindowTable();

    /** The binding queue pair. */
    @Actor
    public void bind() {
        windows.bind(OWNER, 128);
    }

    /** Its peer. */
    @Actor
    public void peer(I_Result r) {
        r.r1 = windows.look(OWNER, 128);
    }
}
