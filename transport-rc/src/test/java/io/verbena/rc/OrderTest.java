package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.packet.PacketType;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, fences, limits on what is outstanding, draining and flushing. */
class OrderTest {
    private final Pair pair = new Pair();
    private final Node a = pair.a;
    private final Node b = pair.b;

    @AfterEach
    void close() {
        pair.close();
    }

    private void connect(int maxReads, int window) {
        pair.requesting = new Requesting(0, 1_000_000, 7, 7, maxReads, window, false);
        pair.responding = new ConnectionConfig.Responding(Node.ALL, 16, 12, 0, 1, false);
        pair.connect();
    }

    @Test
    void aThousandRequestsOfAllKindsEndInOrder() {
        connect(4, 16);
        var random = new Random(3);
        for (int i = 0; i < 1000; i++) {
            int length = random.nextInt(900);
            switch (random.nextInt(4)) {
                case 0 -> {
                    b.postReceive(b.place(0, 1000));
                    a.send(0, length);
                }
                case 1 -> a.write(b, 0, 1000, length);
                case 2 -> a.read(b, 0, 5000, length);
                default -> a.fetchAdd(b, 8000, 1, 9000);
            }
        }
        pair.run();
        assertEquals(LongStream.range(0, 1000).boxed().toList(), a.sent.stream().map(Node.Sent::sequence).toList());
        assertTrue(a.sentStatuses().stream().allMatch(s -> s == WcStatus.SUCCESS));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void neverMoreReadsAreOutstandingThanAllowed(int maxReads) {
        connect(maxReads, 64);
        for (int i = 0; i < 40; i++) {
            if (i % 3 == 0) {
                a.fetchAdd(b, 0, 1, 100);
            } else {
                a.read(b, 0, 1000, 600);
            }
        }
        pair.run();
        int outstanding = 0;
        int most = 0;
        for (Packet packet : pair.wire) {
            boolean request = packet.to() == b;
            boolean ends = packet.to() == a && packet.type().isEnd();
            outstanding += request ? 1 : ends ? -1 : 0;
            most = Math.max(most, outstanding);
        }
        assertEquals(Math.min(maxReads, 16), most);
        assertEquals(40, a.sent.size());
    }

    @Test
    void aFenceWaitsForReadsAndForNothingElse() {
        connect(4, 64);
        b.fill(0, 600, 1);
        b.postReceive(b.place(10_000, 600));
        a.read(b, 0, 1000, 600);
        a.post(Work.of(Opcode.SEND).flags(SendFlags.FENCE).local(a.place(1000, 600)));
        a.write(b, 0, 20_000, 10);
        a.post(Work.of(Opcode.RDMA_WRITE).flags(SendFlags.FENCE).remote(Node.IOVA + 20_000, b.rkey)
                .local(a.place(0, 10)));
        pair.run();
        assertArrayEquals(b.read(0, 600), b.read(10_000, 600));
        var order = pair.wire.stream().map(Packet::type).toList();
        assertTrue(order.indexOf(PacketType.RC_SEND_FIRST) > order.indexOf(PacketType.RC_READ_RESPONSE_LAST));
        int fencedWrite = order.lastIndexOf(PacketType.RC_WRITE_ONLY);
        assertEquals(PacketType.RC_WRITE_ONLY, order.get(fencedWrite - 1), "writes do not hold a fence up");
    }

    @Test
    void localRequestsWaitForEverythingBeforeThem() {
        connect(4, 64);
        a.write(b, 0, 0, 2000);
        a.post(Work.of(Opcode.LOCAL_INV).flags(0));
        a.post(Work.of(Opcode.RDMA_WRITE).flags(SendFlags.FENCE).remote(Node.IOVA, b.rkey).local(a.place(0, 10)));
        while (pair.wire.isEmpty()) {
            pair.settle();
        }
        pair.run();
        assertEquals(List.of("local 1"), a.events);
        assertEquals(3, a.sent.size());
        int lastAck = 0;
        for (int i = 0; i < pair.wire.size(); i++) {
            lastAck = pair.wire.get(i).to() == a && lastAck == 0 ? i : lastAck;
        }
        assertEquals(PacketType.RC_WRITE_ONLY, pair.wire.get(lastAck + 1).type());
    }

    @Test
    void aLocalRequestThatFailsEndsTheConnection() {
        connect(4, 64);
        a.localStatus = WcStatus.MW_BIND_ERR.code();
        a.write(b, 0, 0, 10);
        a.post(Work.of(Opcode.BIND_MW));
        a.write(b, 0, 0, 10);
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.MW_BIND_ERR, WcStatus.WR_FLUSH_ERR), a.sentStatuses());
    }

    @Test
    void noMorePacketsAreOutstandingThanTheWindow() {
        connect(4, 5);
        a.write(b, 0, 0, 100 * 256);
        pair.a.connection.onWork(pair.now);
        int sent = 0;
        a.writer.wrap(a.packetMemory.address(), io.verbena.rc.packet.PacketView.MAX_BYTES);
        boolean asked = false;
        var packets = new ArrayList<Boolean>();
        while (a.connection.nextPacket(a.writer, pair.now)) {
            asked = a.packetMemory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 8) < 0;
            packets.add(asked);
            sent++;
        }
        assertEquals(5, sent);
        assertTrue(asked, "the last packet of a full window asks for an answer");
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses());
    }

    @Test
    void drainingFinishesWhatHasBegun() {
        connect(4, 4);
        a.write(b, 0, 0, 20 * 256);
        a.write(b, 0, 0, 10);
        a.writer.wrap(a.packetMemory.address(), io.verbena.rc.packet.PacketView.MAX_BYTES);
        assertTrue(a.connection.nextPacket(a.writer, pair.now));
        a.connection.drain();
        assertTrue(a.events.isEmpty());
        pair.run();
        assertEquals(List.of("drained"), a.events);
        assertEquals(1, a.sent.size());
        b.write(a, 0, 0, 10);
        pair.run();
        assertEquals(1, b.sent.size(), "requests of the peer are served meanwhile");
        a.connection.resume();
        pair.run();
        assertEquals(2, a.sent.size());
        a.connection.drain();
        assertEquals(List.of("drained", "drained"), a.events);
    }

    @Test
    void everythingPostedIsFlushedInOrder() {
        connect(4, 4);
        pair.lost = p -> true;
        a.write(b, 0, 0, 2000);
        a.post(Work.of(Opcode.SEND).flags(0));
        a.read(b, 0, 0, 10);
        pair.settle();
        a.connection.fail(null);
        a.write(b, 0, 0, 10);
        a.connection.onWork(pair.now);
        a.connection.onWork(pair.now);
        assertEquals(List.of(0L, 1L, 2L, 3L), a.sent.stream().map(Node.Sent::sequence).toList());
        assertTrue(a.sentStatuses().stream().allMatch(s -> s == WcStatus.WR_FLUSH_ERR));
        assertEquals(List.of("failed null"), a.events);
    }

    @Test
    void aFullCompletionQueueFailsTheConnection() {
        connect(4, 4);
        a.full = true;
        a.write(b, 0, 0, 10);
        a.write(b, 0, 0, 10);
        pair.run();
        assertEquals(List.of("failed QP_FATAL"), a.events);
        assertEquals(2, a.sent.size());
        assertEquals(QueuePairState.RTS, b.connection.state());
    }

    @Test
    void aReceiverWhoseCompletionQueueIsFullFailsAndSaysSo() {
        connect(4, 4);
        b.full = true;
        b.postReceive(b.place(0, 10));
        a.send(0, 10);
        pair.run();
        assertEquals(List.of("failed QP_FATAL"), b.events);
        assertEquals(List.of(WcStatus.REM_OP_ERR), a.sentStatuses());
    }

    @Test
    void aPlaceThatWasGivenUpEndsInItsTurn() {
        connect(4, 4);
        a.write(b, 0, 0, 10);
        a.nothingAt(a.post(new Work(null, 0, 0, 0, new long[2], 0, new Work.Place[0])));
        a.write(b, 0, 0, 10);
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), a.sentStatuses());
        assertTrue(a.events.isEmpty());
    }

    @Test
    void unknownOpcodesEndInAnError() {
        connect(0, 4);
        a.post(new Work(null, 0, 0, 0, new long[2], 0, new Work.Place[0]));
        pair.run();
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), a.sentStatuses());
    }

    @Test
    void withoutReadsAllowedAReadIsRefusedHere() {
        connect(0, 4);
        a.read(b, 0, 0, 10);
        pair.run();
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), a.sentStatuses());
        assertTrue(pair.wire.isEmpty());
    }
}
