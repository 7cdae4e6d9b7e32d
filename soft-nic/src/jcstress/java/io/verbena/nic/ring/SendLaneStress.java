package io.verbena.nic.ring;

import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** Whoever polls a send completion gets all of it: no field is older than its turn. */
@JCStressTest
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1, 7, 5, 9", expect = Expect.ACCEPTABLE, desc = "published as a whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn")
@State
public class SendLaneStress {
    private final CompletionCore core = Rings.core(Rings.DEPTH);
    private final SendLane lane = Rings.sendLane(core);

    /** Executes a send. */
    @Actor
    public void producer() {
        lane.produce(7, Detail.of(9, 1, 5, 0), 3);
    }

    /** Polls it. */
    @Actor
    public void consumer(IIII_Result r) {
        WorkCompletion completion = new WorkCompletion();
        r.r1 = lane.poll(completion);
        r.r2 = (int) completion.wrId();
        r.r3 = completion.statusCode();
        r.r4 = (int) completion.byteLen();
    }
}
