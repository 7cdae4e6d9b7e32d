package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.Syndrome;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.WcStatus;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives that are not posted in time (IBA 9.7.5.2.8). */
class NotReadyTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void connect(long timeoutNs, int rnrRetry, int timer) {
        pair.requesting = new Requesting(0, timeoutNs, 3, rnrRetry, 4, 64, false);
        pair.responding = new Responding(Node.ALL, 4, timer, 0, 1, false);
        pair.connect();
    }

    private long rnrNaks() {
        return pair.sent(NotReadyTest::isRnrNak).size();
    }

    @Test
    void waitsAtLeastTheTimeThatWasAsked() {
        connect(1_000_000, 3, 12);
        pair.a.send(0, 100);
        pair.settle();
        assertEquals(1, rnrNaks());
        pair.b.postReceive(pair.b.place(0, 100));
        long wait = pair.a.connection.nextDeadline() - pair.now;
        assertEquals(RnrTimer.nanos(12), wait);
        pair.now += wait - 1;
        pair.a.connection.onTimeout(pair.now);
        pair.settle();
        assertTrue(pair.a.sent.isEmpty(), "not before the time");
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
        assertEquals(2, pair.sent(p -> p.type().isSend()).size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6})
    void givesUpAfterTheTriesAllowed(int retries) {
        connect(1_000_000, retries, 1);
        pair.a.send(0, 100);
        pair.a.send(0, 100);
        pair.run();
        assertEquals(retries + 1, rnrNaks());
        assertEquals(List.of(WcStatus.RNR_RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR), pair.a.sentStatuses());
    }

    @Test
    void sevenMeansWithoutEnd() {
        connect(1_000_000, 7, 1);
        pair.a.send(0, 100);
        for (int i = 0; i < 100; i++) {
            pair.settle();
            assertTrue(pair.jump());
        }
        assertEquals(100, rnrNaks());
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    @Test
    void progressGivesNewTries() {
        connect(1_000_000, 1, 1);
        for (int i = 0; i < 5; i++) {
            pair.a.send(0, 100);
        }
        for (int i = 0; i < 5; i++) {
            pair.settle();
            pair.b.postReceive(pair.b.place(0, 100));
            pair.jump();
        }
        pair.run();
        assertEquals(5, pair.a.sent.size());
        assertTrue(pair.a.sentStatuses().stream().allMatch(s -> s == WcStatus.SUCCESS));
    }

    @Test
    void aShortRetransmissionTimerDoesNotShortenTheWait() {
        connect(20_000, 3, 20);
        pair.a.send(0, 100);
        pair.settle();
        long start = pair.now;
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
        assertEquals(2, pair.sent(p -> p.type().isSend()).size());
        assertTrue(pair.now - start >= RnrTimer.nanos(20));
    }

    @Test
    void followersOfARefusedPacketAreNotReportedAsAGap() {
        connect(1_000_000, 3, 1);
        pair.a.send(0, 100);
        pair.a.write(pair.b, 0, 1000, 100);
        pair.settle();
        assertEquals(1, pair.sent(p -> p.to() == pair.a).size());
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    @Test
    void anImmediateWithoutReceiveHasNotWritten() {
        connect(1_000_000, 3, 1);
        pair.a.fill(0, 600, 1);
        byte[] before = pair.b.read(1000, 100);
        pair.a.post(Work.of(Opcode.RDMA_WRITE_WITH_IMM).remote(Node.IOVA + 1000, pair.b.rkey)
                .local(pair.a.place(0, 100)));
        pair.settle();
        assertArrayEquals(before, pair.b.read(1000, 100));
        pair.b.postReceive();
        pair.run();
        assertArrayEquals(pair.a.read(0, 100), pair.b.read(1000, 100));
        assertEquals(List.of(WcStatus.SUCCESS), pair.b.receivedStatuses());
    }

    @Test
    void answersThatArriveDuringTheWaitDoNotEndIt() {
        connect(100_000, 3, 12);
        pair.a.write(pair.b, 0, 1000, 10);
        pair.a.send(0, 100);
        pair.settle();
        Packet ack = pair.sent(p -> p.to() == pair.a).getFirst();
        Packet rnr = pair.sent(p -> p.to() == pair.a).getLast();
        long deadline = pair.a.connection.nextDeadline();
        pair.deliver(ack);
        pair.deliver(rnr);
        pair.settle();
        assertEquals(deadline, pair.a.connection.nextDeadline());
        assertEquals(1, pair.sent(p -> p.type().isSend()).size());
    }

    @Test
    void lossesDuringALongWaitDoNotAddUp() {
        connect(1_000_000, 7, 1);
        var sends = new int[1];
        // Every other try is lost; the one after it finds no receive.
        pair.lost = p -> p.type().isSend() && sends[0]++ % 2 == 0;
        pair.a.send(0, 100);
        for (int i = 0; i < 60; i++) {
            pair.settle();
            assertTrue(pair.jump());
        }
        assertTrue(rnrNaks() > 20);
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    private static boolean isRnrNak(Packet packet) {
        return packet.type() == PacketType.RC_ACKNOWLEDGE && Syndrome.kind(packet.syndrome()) == Syndrome.RNR;
    }

    private long tries() {
        return pair.sent(p -> p.type().isSend()).size();
    }

    @Test
    void copiesOfARefusalDoNotMultiplyTheTries() {
        pair.delayNs = 1_000_000;
        // Ten refusals arrive twice, the second time when the next try is under way.
        pair.doubled = p -> isRnrNak(p) && p.number() < 10;
        connect(100_000_000, 7, 1);
        pair.a.send(0, 100);
        long start = pair.now;
        while (pair.now - start < 200_000_000) {
            pair.settle();
            assertTrue(pair.jump());
        }
        assertTrue(tries() >= 90 && tries() <= 101, tries() + " tries in 100 round trips");
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    @Test
    void copiesOfARequestDoNotMultiplyTheTries() {
        pair.delayNs = 1_000_000;
        pair.doubled = p -> p.type().isSend() && p.number() < 10;
        connect(100_000_000, 7, 1);
        pair.a.send(0, 100);
        long start = pair.now;
        while (pair.now - start < 200_000_000) {
            pair.settle();
            assertTrue(pair.jump());
        }
        assertTrue(tries() >= 90 && tries() <= 101, tries() + " tries in 100 round trips");
    }

    @Test
    void aCopyOfARefusalDoesNotUseUpTheLastTry() {
        pair.delayNs = 1_000_000;
        pair.doubled = NotReadyTest::isRnrNak;
        connect(100_000_000, 1, 1);
        pair.a.send(0, 100);
        while (tries() < 2) {
            pair.settle();
            assertTrue(pair.jump());
        }
        // The last try is under way, and so is the copy of the first answer.
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    @Test
    void aWayThatBecameShorterDoesNotEndTheTries() {
        pair.delayNs = 1_000_000;
        connect(0, 3, 1);
        pair.a.send(0, 100);
        while (rnrNaks() == 0) {
            pair.settle();
            assertTrue(pair.jump());
        }
        pair.delayNs = 10_000;
        pair.run();
        assertEquals(List.of(WcStatus.RNR_RETRY_EXC_ERR), pair.a.sentStatuses());
        assertEquals(4, tries());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 6})
    void aFirstRoundTripThatWasSlowCostsNoWait(int retries) {
        pair.delayNs = 2_000_000;
        connect(0, retries, 27);
        pair.a.send(0, 100);
        long start = pair.now;
        while (rnrNaks() == 0) {
            pair.settle();
            assertTrue(pair.jump());
        }
        pair.delayNs = 50_000;
        pair.run();
        assertEquals(List.of(WcStatus.RNR_RETRY_EXC_ERR), pair.a.sentStatuses());
        assertEquals(retries + 1, tries());
        long late = pair.now - start - retries * RnrTimer.nanos(27);
        assertTrue(late >= 0 && late <= 4 * 4_000_000, late + " ns beyond the waits");
    }

    @Test
    void aCopyOfARefusalIsNotTheLastAnswer() {
        pair.delayNs = 1_000_000;
        pair.doubled = NotReadyTest::isRnrNak;
        connect(0, 1, 1);
        pair.a.send(0, 100);
        long start = pair.now;
        pair.run();
        assertEquals(List.of(WcStatus.RNR_RETRY_EXC_ERR), pair.a.sentStatuses());
        assertEquals(2, tries());
        assertTrue(pair.now - start >= 4_000_000 + RnrTimer.nanos(1), "two round trips and the wait between them");
    }

    @Test
    void aRefusalOfALaterMessageAcceptsTheOneThatHadItsLastTry() {
        pair.delayNs = 1_000_000;
        pair.doubled = p -> isRnrNak(p) && p.number() == 0;
        // The acknowledgement of the first message is lost; the refusal of the second stands for it.
        pair.lost = p -> p.to() == pair.a && p.number() == 1;
        connect(0, 1, 1);
        pair.a.send(0, 100);
        pair.a.send(0, 100);
        while (tries() < 4) {
            pair.settle();
            assertTrue(pair.jump());
        }
        pair.b.postReceive(pair.b.place(0, 100));
        while (rnrNaks() < 2) {
            pair.settle();
            assertTrue(pair.jump());
        }
        pair.b.postReceive(pair.b.place(0, 100));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), pair.a.sentStatuses());
    }

    @Test
    void creditsHoldMessagesBackUntilThereAreReceives() {
        pair.requesting = new Requesting(0, 1_000_000, 3, 0, 4, 64, true);
        pair.responding = new Responding(Node.ALL, 4, 1, 0, 1, true);
        pair.connect();
        pair.b.postReceive(pair.b.place(0, 100));
        pair.a.write(pair.b, 0, 1000, 10);
        pair.settle();
        pair.a.send(0, 100);
        pair.a.send(0, 100);
        pair.a.connection.onWork(pair.now);
        assertTrue(pair.a.connection.nextPacket(writer(), pair.now));
        assertFalse(pair.a.connection.nextPacket(writer(), pair.now), "the peer said that it has one receive");
    }

    private io.verbena.rc.packet.PacketWriter writer() {
        return pair.a.writer.wrap(pair.a.packetMemory.address(), io.verbena.rc.packet.PacketView.MAX_BYTES);
    }

    @Test
    void withoutLimitCreditsHoldNothingBack() {
        pair.requesting = new Requesting(0, 1_000_000, 3, 7, 4, 64, true);
        pair.b.shared = true;
        pair.responding = new Responding(Node.ALL, 4, 1, 0, 1, true);
        pair.connect();
        pair.a.write(pair.b, 0, 1000, 10);
        pair.settle();
        assertEquals(Syndrome.UNLIMITED, pair.sent(p -> p.to() == pair.a).getFirst().syndrome());
        for (int i = 0; i < 10; i++) {
            pair.a.send(0, 100);
            pair.b.postReceive(pair.b.place(0, 100));
        }
        pair.run();
        assertEquals(11, pair.a.sent.size());
        assertEquals(0, rnrNaks());
    }
}
