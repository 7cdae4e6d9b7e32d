package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.ServiceReport;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ServiceSpec;
import io.verbena.verbs.tck.peer.Station;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Producer and consumer that sleeps between events: no wake-up is lost. */
@DisplayName("C56 lost wake-ups")
@Timeout(900)
class EventStressC56Test extends FixtureTest {
    private static final int SHORT = Station.isLossy() ? 10_000 : 20_000;
    private static final int LONG = 1_000_000;
    private static final int RACES = 4_000;
    private static final int BYTES = 16;
    private static final int SLOTS = 16;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    private final WorkCompletion completion = new WorkCompletion();
    private Pair pair;
    private Buffer local;
    private int service;

    private void start(ServiceSpec.Kind kind, Threading threading, long count) {
        pair = fixture.connected(new PairSpec().events().threading(threading));
        local = fixture.local(BYTES * SLOTS, MemoryKind.DEVICE);
        RemoteBuffer remote = fixture.remote(BYTES * SLOTS, MemoryKind.DEVICE);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
        service = fixture.b().execute(new PeerCommand.StartService(new ServiceSpec(kind,
                new ServiceSpec.Objects(pair.remoteQp(), pair.remoteSendCq(), pair.remoteRecvCq()), remote.region(),
                BYTES, count, null)));
    }

    private void postReceive(long slot) {
        assertEquals(PostStatus.OK,
                pair.qp().postReceive(slot, local.address() + slot * BYTES, BYTES, local.lkey()));
    }

    private void stop(long messages) {
        assertEquals(new ServiceReport(messages, ""), fixture.b().execute(new PeerCommand.StopService(service)));
    }

    /** Waits for an event and acknowledges and arms, as the loop that loses nothing does. */
    private void sleepAndArm(CompletionQueue cq, boolean solicited, Object progress) {
        assertNotNull(cq.channel().get(PATIENCE_NANOS), () -> "lost wake-up: no event after " + progress);
        cq.acknowledge(1);
        assertEquals(PostStatus.OK, cq.arm(solicited));
    }

    private void consumeStream(Threading threading, boolean solicited, int count) {
        start(ServiceSpec.Kind.SENDER, threading, count);
        CompletionQueue cq = pair.recvCq();
        assertEquals(PostStatus.OK, cq.arm(solicited));
        long received = 0;
        while (received < count) {
            received += drain(cq, received);
            if (received < count) {
                sleepAndArm(cq, solicited, received);
            }
        }
        stop(count);
    }

    private long drain(CompletionQueue cq, long before) {
        long received = 0;
        while (cq.poll(completion) > 0) {
            assertEquals(0, completion.statusCode(), completion::toString);
            assertEquals(before + received, local.getLong(completion.wrId() * BYTES), "order of messages");
            received++;
            postReceive(completion.wrId());
        }
        return received;
    }

    /** Each round: arm, ask, sleep; B answers from another thread while this one goes to sleep. */
    private void pingPong(Threading threading, boolean solicited, int count) {
        start(ServiceSpec.Kind.ECHO, threading, 0);
        Buffer ping = fixture.local(BYTES, MemoryKind.DEVICE);
        CompletionQueue cq = pair.recvCq();
        assertEquals(PostStatus.OK, cq.arm(solicited));
        for (long round = 0; round < count; round++) {
            ping.setLong(0, round);
            assertEquals(PostStatus.OK,
                    pair.qp().postSend(round, ping.address(), BYTES, ping.lkey(), SendFlags.SIGNALED));
            long received = 0;
            while (received == 0) {
                received = drainOne(cq);
                if (received == 0) {
                    sleepAndArm(cq, solicited, round);
                }
            }
            pair.await();
        }
        stop(count);
    }

    /** The answer comes from another thread just when this one arms, then looks once more, then sleeps. */
    private void armAgainstAnswer(Threading threading, boolean solicited, int count) {
        start(ServiceSpec.Kind.ECHO, threading, 0);
        Buffer ping = fixture.local(BYTES, MemoryKind.DEVICE);
        CompletionQueue cq = pair.recvCq();
        Random random = new Random(56);
        long usual = 2_000;
        for (long round = 0; round < count; round++) {
            assertEquals(PostStatus.OK,
                    pair.qp().postSend(round, ping.address(), BYTES, ping.lkey(), SendFlags.SIGNALED));
            long start = System.nanoTime();
            long delay = random.nextLong(2 * usual);
            while (System.nanoTime() - start < delay) {
                Thread.onSpinWait();
            }
            assertEquals(PostStatus.OK, cq.arm(solicited));
            boolean atOnce = drainOne(cq) > 0;
            usual = Math.clamp(usual + (atOnce ? -20 : 20), 200, 100_000);
            for (boolean received = atOnce; !received; received = drainOne(cq) > 0) {
                sleepAndArm(cq, solicited, round);
            }
            pair.await();
        }
        stop(count);
    }

    private int drainOne(CompletionQueue cq) {
        int polled = cq.poll(completion);
        if (polled > 0) {
            assertEquals(0, completion.statusCode(), completion::toString);
            postReceive(completion.wrId());
        }
        return polled;
    }

    @ParameterizedTest
    @CsvSource({"SAFE, false", "SAFE, true", "SINGLE, false", "SINGLE, true"})
    void consumerOfAStreamSleepsAndLosesNothing(Threading threading, boolean solicited) {
        consumeStream(threading, solicited, SHORT);
    }

    @ParameterizedTest
    @CsvSource({"SAFE, false", "SAFE, true", "SINGLE, false", "SINGLE, true"})
    void pingPongThatSleepsForEachAnswerLosesNothing(Threading threading, boolean solicited) {
        pingPong(threading, solicited, SHORT);
    }

    @ParameterizedTest
    @CsvSource({"SAFE, false", "SINGLE, true"})
    @Tag("ci")
    void consumerOfALongStreamLosesNothing(Threading threading, boolean solicited) {
        consumeStream(threading, solicited, LONG);
    }

    @ParameterizedTest
    @CsvSource({"SAFE, false", "SAFE, true", "SINGLE, false", "SINGLE, true"})
    void armingAtTheMomentOfTheAnswerLosesNothing(Threading threading, boolean solicited) {
        armAgainstAnswer(threading, solicited, RACES);
    }

    @ParameterizedTest
    @CsvSource({"SAFE, false", "SINGLE, true"})
    @Tag("ci")
    void armingAtTheMomentOfManyAnswersLosesNothing(Threading threading, boolean solicited) {
        armAgainstAnswer(threading, solicited, 50 * RACES);
    }

    @Test
    @Tag("ci")
    void longPingPongLosesNothing() {
        pingPong(Threading.SAFE, true, LONG);
    }
}
