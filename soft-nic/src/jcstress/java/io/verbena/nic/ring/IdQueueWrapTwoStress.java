package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A queue of two cells, lap after lap, with two who take and put back: both ids are there at the end, once each. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "both ids go round")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class IdQueueWrapTwoStress {
    private final IdQueue queue = Rings.idQueue(2);
    private boolean refused;

    /** Both ids. */
    public IdQueueWrapTwoStress() {
        queue.offer(1);
        queue.offer(2);
    }

    private void rounds() {
        for (int i = 0; i < 4; i++) {
            int id = queue.poll();
            // Two hold at most one each, so there is always an id to find, and always room to put it back.
            if (id < 0 || !queue.offer(id)) {
                refused = true;
            }
        }
    }

    /** Takes an id and puts it back. */
    @Actor
    public void one() {
        rounds();
    }

    /** So does the other. */
    @Actor
    public void other() {
        rounds();
    }

    /** Counts all. */
    @Arbiter
    public void rest(II_Result r) {
        int[] seen = new int[3];
        Rings.countAll(seen, queue);
        r.r1 = refused ? 100 : seen[1];
        r.r2 = seen[2];
    }
}
