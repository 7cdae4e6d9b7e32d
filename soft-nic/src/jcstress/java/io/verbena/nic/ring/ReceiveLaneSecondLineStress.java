package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/** A message of 64 bytes that travels in the completion entry arrives with its completion, all of it. */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1, 3, 56", expect = Expect.ACCEPTABLE, desc = "message and notice")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn")
@State
public class ReceiveLaneSecondLineStress {
    private static final int BYTES = 64;

    private final long buffer = Rings.block(BYTES).address();
    private final ReceiveQueue queue = Rings.receiveQueue(false);
    private final ReceiveLane lane = Rings.receiveLane(Rings.core(Rings.DEPTH), queue);

    /** Posts the receive that the message takes. */
    public ReceiveLaneSecondLineStress() {
        queue.post(3, buffer, BYTES, Rings.KEY);
    }

    /** Sends the message. */
    @Actor
    public void producer() {
        long payload = lane.payload(BYTES);
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            OffHeap.putLong(payload + at, 7);
        }
        lane.produceInline(Detail.of(BYTES, 0, 0, 0), 0, false);
    }

    /** Polls it and adds up what arrived. */
    @Actor
    public void consumer(IIJ_Result r) {
        WorkCompletion completion = new WorkCompletion();
        r.r1 = lane.poll(completion);
        r.r2 = (int) completion.wrId();
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            r.r3 += OffHeap.getLong(buffer + at);
        }
    }
}
