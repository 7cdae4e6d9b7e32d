package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever gives a connection up at once after a message has still acknowledged it: the sender must not ask in vain. */
class LastWordsTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String HOSTS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250);
    private static final int ROUNDS = 300;

    @ParameterizedTest
    @EnumSource(value = QueuePairState.class, names = {"ERR", "RESET"})
    void aMessageThatWasTakenIsAcknowledgedBeforeTheEnd(QueuePairState end) {
        Setup setup = Setup.of(Threading.SAFE, 4).withDevices("soft14?counters=off&link=udp&bind=" + HOSTS + ".104",
                "soft15?counters=off&link=udp&bind=" + HOSTS + ".105");
        WorkCompletion completion = new WorkCompletion();
        try (TwoEnds ends = new TwoEnds(setup)) {
            for (int round = 0; round < ROUNDS; round++) {
                End.ok(ends.b.receive(round, 0, 8));
                End.ok(ends.a.send(round, 0, 8));
                Crew.await("the message", () -> ends.b.recvCq.poll(completion) == 1);
                ends.b.modify(end);
                ends.b.sendCq.poll(completion);
                Crew.await("the end of the send", () -> ends.a.sendCq.poll(completion) == 1);
                assertTrue(completion.isSuccess(), "round " + round + ": " + completion);
                ends.reconnect();
            }
        }
    }
}
