package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A queue of one cell, lap after lap: who takes its only id puts it back, and of two who look one finds it. */
@JCStressTest
@Outcome(id = {"0, 3, 1", "1, 3, 1", "2, 3, 1", "3, 0, 1", "3, 1, 1", "3, 2, 1", "3, 3, 1", "1, 1, 1", "1, 2, 1",
    "2, 1, 1", "2, 2, 1"}, expect = Expect.ACCEPTABLE, desc = "the id goes round")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class IdQueueWrapOneStress {
    private final IdQueue queue = Rings.idQueue(1);

    /** The only id. */
    public IdQueueWrapOneStress() {
        queue.offer(7);
    }

    private int rounds() {
        int found = 0;
        for (int i = 0; i < 3; i++) {
            int id = queue.poll();
            if (id >= 0) {
                found++;
                if (!queue.offer(id)) {
                    return 100;
                }
            }
        }
        return found;
    }

    /** Takes the id and puts it back. */
    @Actor
    public void one(III_Result r) {
        r.r1 = rounds();
    }

    /** So does the other. */
    @Actor
    public void other(III_Result r) {
        r.r2 = rounds();
    }

    /** The id is there, once. */
    @Arbiter
    public void rest(III_Result r) {
        int[] seen = new int[8];
        Rings.countAll(seen, queue);
        r.r3 = seen[7];
    }
}
