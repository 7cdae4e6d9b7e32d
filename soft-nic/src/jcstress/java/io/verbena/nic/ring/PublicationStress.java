package io.verbena.nic.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The assumption every ring rests on: bytes written to off-heap memory before a release store are seen by
 * whoever reads that store with acquire.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "body written, not published yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "published")
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "published before its body")
@State
public class PublicationStress {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final long FLAG = 0;
    private static final long BODY = 64;

    private final MemorySegment entry = Arena.ofAuto().allocate(128, 64);

    /** Fills the entry, then publishes it. */
    @Actor
    public void producer() {
        LONG.set(entry, BODY, 7L);
        LONG.setRelease(entry, FLAG, 1L);
    }

    /** Looks for the publication, then reads the body. */
    @Actor
    public void consumer(II_Result r) {
        r.r1 = (int) (long) LONG.getAcquire(entry, FLAG);
        r.r2 = (int) (long) LONG.get(entry, BODY);
    }
}
