package io.verbena.nic.memory;

import io.verbena.rc.memory.MemoryWindows;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A window is closed while it is being unbound and bound again: in the end nobody holds its region. */
@JCStressTest
@Outcome(id = {"0, 1", "1, 1", "2, 1", "3, 1"}, expect = Expect.ACCEPTABLE, desc = "the region can go")
@Outcome(expect = Expect.FORBIDDEN, desc = "the region is held for ever, or let go twice")
@State
public class WindowCloseStress {
    private static final int OWNER = 77;

    private final WindowTable windows = new WindowTable();

    /** Bound. */
    public WindowCloseStress() {
        windows.bind(OWNER, 128);
    }

    /** Unbinds and binds anew, as work requests do; says how far it came. */
    @Actor
    public void data(II_Result r) {
        MemoryWindows all = windows.table.windows();
        long leaving = all.beginUnbind(windows.window, windows.key);
        if (leaving == 0) {
            return;
        }
        r.r1 = 1;
        if (!all.endUnbind(windows.window, leaving, true)) {
            return;
        }
        r.r1 = 2;
        MemoryWindows.hold(windows.region);
        if (all.publish(windows.window, windows.key, OWNER, windows.region, WindowTable.IOVA, 8, 0)) {
            r.r1 = 3;
        } else {
            MemoryWindows.drop(windows.region);
        }
    }

    /** Closes. */
    @Actor
    public void control() {
        windows.table.windows().close(windows.window);
    }

    /** Once no data call is in flight. */
    @Arbiter
    public void after(II_Result r) {
        windows.table.windows().release(windows.window);
        r.r2 = MemoryWindows.sealRegion(windows.region) ? 1 : 0;
    }
}
