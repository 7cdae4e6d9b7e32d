package io.verbena.nic.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two producers, one of which takes as well: no id is lost or doubled. Two actors, since a test with more does not run
 * on a machine with two processors.
 */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "each once")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost or doubled")
@State
public class IdQueueProducersStress {
    private final IdQueue queue = Rings.idQueue(4);
    private int first;
    private int second;

    /** One id is there. */
    public IdQueueProducersStress() {
        queue.offer(3);
    }

    /** Adds an id. */
    @Actor
    public void oneProducer() {
        queue.offer(1);
    }

    /** Adds another, and takes what it finds. */
    @Actor
    public void otherProducerAndConsumer() {
        queue.offer(2);
        first = queue.poll();
        second = queue.poll();
    }

    /** Counts all. */
    @Arbiter
    public void rest(III_Result r) {
        int[] seen = new int[4];
        Rings.count(seen, first);
        Rings.count(seen, second);
        Rings.countAll(seen, queue);
        r.r1 = seen[1];
        r.r2 = seen[2];
        r.r3 = seen[3];
    }
}
