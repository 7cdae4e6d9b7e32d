package io.verbena.nic.ring;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two takers make the armed limit come true: it is told once, and each receive is taken once. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "told once")
@Outcome(expect = Expect.FORBIDDEN, desc = "not told, or told twice, or a receive lost")
@State
public class SharedQueueLimitStress {
    private final AtomicInteger told = new AtomicInteger();
    private final SharedQueue queue = new SharedQueue(2, 1, told::incrementAndGet, Rings.blocks());
    private int first;
    private int second;

    /** Two receives are posted. */
    public SharedQueueLimitStress() {
        queue.post(1, 64, 9, 5);
        queue.post(2, 64, 9, 5);
        queue.limit(2);
    }

    /** Takes one. */
    @Actor
    public void oneTaker() {
        first = queue.take();
    }

    /** Takes one if the message fits. */
    @Actor
    public void otherTaker() {
        second = queue.takeFitting(9);
    }

    /** What was told and taken. */
    @Arbiter
    public void after(II_Result r) {
        r.r1 = told.get();
        r.r2 = first >= 0 && second >= 0 && first != second ? 2 : 0;
    }
}
