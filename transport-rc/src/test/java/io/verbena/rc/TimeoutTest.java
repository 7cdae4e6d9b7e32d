package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.packet.PacketType;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that never come, and the timers of a connection (IBA 9.7.6.1.3). */
class TimeoutTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void connect(long timeoutNs, int retries) {
        pair.requesting = new Requesting(0, timeoutNs, retries, 3, 4, 64, false);
        pair.connect();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void aBlackHoleEndsAfterTheTriesAllowed(int retries) {
        connect(1_000_000, retries);
        pair.lost = p -> true;
        pair.a.write(pair.b, 0, 0, 10);
        pair.a.write(pair.b, 0, 0, 10);
        var times = new ArrayList<Long>();
        long start = pair.now;
        pair.settle();
        while (pair.jump()) {
            times.add(pair.now - start);
            pair.settle();
        }
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR), pair.a.sentStatuses());
        assertEquals(2 * (retries + 1), pair.wire.size());
        for (int i = 0; i <= retries; i++) {
            long expected = (i + 1) * 1_000_000L;
            assertTrue(times.get(i) >= expected && times.get(i) <= 4 * expected, times.toString());
        }
        assertEquals(QueuePairState.ERR, pair.a.connection.state());
    }

    @Test
    void noAnswerIsMissingBeforeAllThatCameWasSeen() {
        connect(1_000_000, 0);
        pair.lost = p -> true;
        pair.a.write(pair.b, 0, 0, 10);
        pair.settle();
        long seen = pair.now;
        pair.now += 2_000_000;
        pair.a.connection.onTimeout(pair.now, seen);
        assertEquals(QueuePairState.RTS, pair.a.connection.state());
        assertTrue(pair.a.connection.hasDeadline());
        pair.a.connection.onTimeout(pair.now, pair.now);
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR), pair.a.sentStatuses());
    }

    @Test
    void withoutTimeoutNothingIsEverSentAgain() {
        connect(0, 7);
        pair.lost = p -> true;
        pair.a.write(pair.b, 0, 0, 10);
        pair.settle();
        assertFalse(pair.a.connection.hasDeadline());
        assertTrue(pair.a.sent.isEmpty());
    }

    @Test
    void progressGivesNewTries() {
        connect(1_000_000, 1);
        var seen = new int[1];
        // Every packet gets through at its second try only.
        pair.lost = p -> p.to() == pair.b && seen[0]++ % 2 == 0;
        for (int i = 0; i < 20; i++) {
            pair.a.write(pair.b, 0, 0, 10);
            pair.run();
        }
        assertTrue(pair.a.sentStatuses().stream().allMatch(s -> s == WcStatus.SUCCESS));
    }

    @Test
    void anIdleConnectionHasNoDeadline() {
        connect(1_000_000, 7);
        assertFalse(pair.a.connection.hasDeadline() || pair.b.connection.hasDeadline());
        pair.a.write(pair.b, 0, 0, 1000);
        pair.a.read(pair.b, 0, 0, 1000);
        pair.settle();
        assertFalse(pair.a.connection.hasDeadline() || pair.b.connection.hasDeadline());
    }

    @Test
    void nothingHappensAfterTheEnd() {
        connect(1_000_000, 7);
        pair.lost = p -> true;
        pair.a.write(pair.b, 0, 0, 10);
        pair.settle();
        pair.a.connection.fail(null);
        assertFalse(pair.a.connection.hasDeadline());
        pair.now += 10_000_000;
        pair.a.connection.onTimeout(pair.now);
        pair.settle();
        assertEquals(1, pair.wire.size());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.a.sentStatuses());
    }

    @Test
    void acknowledgementsAreCollectedForAWhile() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        for (int i = 0; i < 3; i++) {
            pair.a.write(pair.b, 0, 0, 10);
        }
        pair.settle();
        assertTrue(pair.a.sent.isEmpty());
        assertEquals(pair.now + 50_000, pair.b.connection.nextDeadline());
        pair.run();
        assertEquals(3, pair.a.sent.size());
        assertEquals(1, pair.sent(p -> p.to() == pair.a).size());
    }

    @Test
    void anAcknowledgementWaitsForAFewPacketsOnly() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        for (int i = 0; i < 5; i++) {
            pair.a.write(pair.b, 0, 0, 10);
        }
        pair.settle();
        assertEquals(4, pair.a.sent.size());
    }

    @Test
    void theAcknowledgementOfALongMessageDoesNotWait() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        pair.a.write(pair.b, 0, 0, 4 * pair.mtu);
        pair.settle();
        assertEquals(1, pair.a.sent.size());
        pair.a.write(pair.b, 0, 0, 3 * pair.mtu);
        pair.settle();
        assertEquals(1, pair.a.sent.size());
    }

    @Test
    void anAcknowledgementThatExpectsNoCompanyDoesNotWait() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        pair.b.connection.onRest();
        pair.a.write(pair.b, 0, 0, pair.mtu);
        pair.settle();
        assertEquals(0, pair.a.sent.size());
        pair.b.connection.onRest();
        pair.settle();
        assertEquals(1, pair.a.sent.size());
    }

    @Test
    void answersThatStandForAnAcknowledgementBeginTheCountAnew() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        for (int i = 0; i < 4; i++) {
            pair.a.fetchAdd(pair.b, 0, 1, 8_000);
        }
        pair.settle();
        assertEquals(4, pair.a.sent.size());
        pair.a.write(pair.b, 0, 0, pair.mtu);
        pair.settle();
        assertEquals(4, pair.a.sent.size());
    }

    @Test
    void anAcknowledgementGoesAlongWithARequest() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        pair.b.postReceive(pair.b.place(0, 100));
        pair.a.postReceive(pair.a.place(0, 100));
        pair.a.send(0, 100);
        pair.settle();
        assertEquals(1, pair.wire.size());
        pair.b.send(0, 100);
        pair.settle();
        assertEquals(List.of(PacketType.RC_SEND_ONLY, PacketType.RC_SEND_ONLY, PacketType.RC_ACKNOWLEDGE),
                pair.wire.stream().map(Packet::type).toList());
        assertEquals(1, pair.a.sent.size());
    }

    @Test
    void theAnswerOfAReadIsAnAcknowledgement() {
        pair.responding = new Responding(Node.ALL, 4, 12, 50_000, 4, false);
        connect(10_000_000, 3);
        pair.a.write(pair.b, 0, 0, 10);
        pair.a.read(pair.b, 0, 100, 10);
        pair.settle();
        assertEquals(2, pair.a.sent.size());
        assertEquals(List.of(PacketType.RC_READ_RESPONSE_ONLY),
                pair.sent(p -> p.to() == pair.a).stream().map(Packet::type).toList());
        assertFalse(pair.b.connection.hasDeadline());
    }
}
