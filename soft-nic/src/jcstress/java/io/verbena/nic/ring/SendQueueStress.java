package io.verbena.nic.ring;

import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads post sends: each is executed once, whoever leaves last, and nobody keeps the claim. */
@JCStressTest
@Outcome(id = "2, 3, 0", expect = Expect.ACCEPTABLE, desc = "both executed")
@Outcome(expect = Expect.FORBIDDEN, desc = "a send is lost or doubled, or the claim is")
@State
public class SendQueueStress {
    private static final SendQueue.Shape SHAPE = new SendQueue.Shape(Rings.DEPTH, Rings.DEPTH, 1, 0);

    private final SendQueue queue =
            new SendQueue(Rings.block(SHAPE.bytes()), 0, SHAPE, Rings.sendLane(Rings.core(Rings.DEPTH)));
    private int executed;

    /** Posts. */
    @Actor
    public void first() {
        post(1);
    }

    /** Posts. */
    @Actor
    public void second() {
        post(2);
    }

    private void post(int wrId) {
        long ticket = queue.reserve(1);
        long sequence = ticket >>> 1;
        SendWqe.request(queue.entry(sequence), wrId, 0, 0);
        queue.publish(sequence);
        if ((ticket & 1) != 0) {
            drain();
            queue.unclaim();
        } else {
            VarHandle.fullFence();
        }
        while (queue.hasNext() && queue.tryClaim()) {
            drain();
            queue.unclaim();
        }
    }

    private void drain() {
        long sequence = queue.next();
        while (queue.isPublished(sequence)) {
            executed += (int) SendWqe.wrId(queue.entry(sequence));
            queue.done(sequence++);
        }
    }

    /** Looks at what is left. */
    @Arbiter
    public void later(III_Result r) {
        r.r1 = (int) queue.next();
        r.r2 = executed;
        r.r3 = queue.tryClaim() ? 0 : 1;
    }
}
