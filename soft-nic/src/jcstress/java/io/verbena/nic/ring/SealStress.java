package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A message that was delivered before the queue was sealed is never reported as flushed. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "nothing there yet")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the message")
@Outcome(expect = Expect.FORBIDDEN, desc = "the message is lost")
@State
public class SealStress {
    private final ReceiveQueue queue = Rings.receiveQueue(false);
    private final ReceiveLane lane = Rings.receiveLane(Rings.core(Rings.DEPTH), queue);

    /** Posts the receive that the message takes. */
    public SealStress() {
        queue.post(3, 0, 0, 0);
    }

    /** Delivers, then goes into error. */
    @Actor
    public void producer() {
        lane.produce(Detail.of(0, 0, 0, 0), 0, false);
        lane.seal();
    }

    /** Polls. */
    @Actor
    public void consumer(II_Result r) {
        WorkCompletion completion = new WorkCompletion();
        r.r1 = lane.poll(completion);
        r.r2 = completion.statusCode();
    }
}
