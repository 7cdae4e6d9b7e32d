package io.verbena.nic.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A window goes from one queue pair to another under the same key and with other bytes. Nobody waits for the second
 * one's peer, who presents the key all the while: it never gets at the old bytes.
 */
@JCStressTest
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "not yet")
@Outcome(id = "-1, 256", expect = Expect.ACCEPTABLE, desc = "the new binding")
@Outcome(expect = Expect.FORBIDDEN, desc = "bytes of the old binding")
@State
public class WindowHandOverStress {
    private static final int OLD = 77;
    private static final int NEW = 78;

    private final WindowTable windows = new WindowTable();

    /** Bound to the first queue pair. */
    public WindowHandOverStress() {
        windows.bind(OLD, 128);
    }

    /** Unbinds and binds anew. */
    @Actor
    public void owners() {
        windows.unbind();
        windows.bind(NEW, 256);
    }

    /** The peer of the second queue pair. */
    @Actor
    public void peer(II_Result r) {
        r.r1 = windows.look(NEW, 128);
        r.r2 = windows.look(NEW, 256);
    }
}
