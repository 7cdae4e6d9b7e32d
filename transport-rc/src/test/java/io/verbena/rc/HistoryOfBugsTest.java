package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Syndrome;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What went wrong in other software transports, row by row as docs/testing.md counts them, and what happens here. Rows
 * that other tests show are named there: 3, 4, 13 to 15 with the packets; 6, 7 in NotReadyTest and TimeoutTest; 17, 40
 * in RefusalTest; 25, 26 in OrderTest.
 */
class HistoryOfBugsTest {
    private final Pair pair = new Pair();
    private final Node a = pair.a;
    private final Node b = pair.b;

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void row1AnAcknowledgementNeverCrossesAReadThatWaitsForData() {
        var seen = new HashSet<PacketType>();
        pair.lost = p -> p.type() == PacketType.RC_READ_RESPONSE_LAST && seen.add(p.type());
        pair.connect();
        b.fill(0, 600, 1);
        a.read(b, 0, 1000, 600);
        a.write(b, 0, 5000, 10);
        pair.settle();
        assertEquals(2, a.sent.size());
        assertArrayEquals(b.read(0, 600), a.read(1000, 600));
        var again = pair.sent(p -> p.type() == PacketType.RC_READ_RESPONSE_ONLY);
        assertEquals(1, again.size(), "the rest alone, as an answer of one packet");
    }

    @Test
    void row2StrayHintsOfOneLossCauseOneRetransmission() {
        pair.requesting = new Requesting(0, 1_000_000, 7, 7, 4, 64, false);
        pair.connect();
        pair.lost = p -> p.to() == b;
        a.write(b, 0, 0, 10 * 256);
        pair.settle();
        pair.lost = p -> p.to() == b && pair.wire.size() < 30;
        Packet nak = nak(pair.psnA);
        pair.deliver(nak);
        pair.deliver(nak);
        pair.settle();
        pair.deliver(nak);
        pair.settle();
        assertEquals(20, pair.sent(p -> p.to() == b).size());
    }

    /** A sequence NAK for a packet of a. */
    private Packet nak(int psn) {
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        a.writer.begin(PacketType.RC_ACKNOWLEDGE, 0x11, psn);
        a.writer.aeth(Syndrome.NAK_SEQUENCE, 0);
        a.writer.finish(0);
        return new Packet(0, a, a.packetMemory.asSlice(0, 20).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
    }

    @Test
    void row5ADuplicateAtomicIsAnsweredWithTheOldValue() {
        pair.connect();
        b.writeLong(0, 100);
        a.fetchAdd(b, 0, 1, 0);
        pair.settle();
        Packet request = pair.wire.getFirst();
        Packet answer = pair.wire.getLast();
        for (int i = 0; i < 3; i++) {
            b.writeLong(0, 500 + i);
            assertEquals(Verdict.DUPLICATE, pair.deliver(request));
            pair.settle();
            assertArrayEquals(answer.bytes(), pair.wire.getLast().bytes());
            assertEquals(500 + i, b.readLong(0));
        }
    }

    @Test
    void row8ErrorsWithoutAReceiveAreToldToTheRequester() {
        pair.connect();
        a.post(Work.of(Opcode.RDMA_WRITE).remote(Node.IOVA, 1).local(a.place(0, 8)));
        pair.settle();
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), a.sentStatuses());
    }

    @Test
    void row9MemoryTakenAwayInTheMiddleOfAReadEndsIt() {
        pair.connect();
        int key = b.table.insert(new MemoryEntry(Node.DOMAIN, Node.ALL, 0, 4096, b.memory.address(), 1),
                MemoryTable.REMOTE);
        a.post(Work.of(Opcode.RDMA_READ).remote(0, key).local(a.place(0, 2000)));
        a.connection.onWork(pair.now);
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        assertTrue(a.connection.nextPacket(a.writer, pair.now));
        assertEquals(Verdict.ACCEPTED, b.view.wrap(a.packetMemory.address(), a.writer.length() + 4));
        b.connection.onPacket(b.view, pair.now);
        b.writer.wrap(b.packetMemory.address(), PacketView.MAX_BYTES);
        for (int i = 0; i < 3; i++) {
            assertTrue(b.connection.nextPacket(b.writer, pair.now));
            assertEquals(Verdict.ACCEPTED, a.view.wrap(b.packetMemory.address(), b.writer.length() + 4));
            a.connection.onPacket(a.view, pair.now);
        }
        b.table.revoke(key);
        pair.settle();
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), a.sentStatuses());
        assertEquals(List.of("failed QP_ACCESS_ERR"), b.events);
        assertFalse(a.connection.hasDeadline());
    }

    @Test
    void row10EmptyAccessesNeedNoKeyButFlushesDo() {
        pair.responding = new ConnectionConfig.Responding(Node.ALL | Access.FLUSH_GLOBAL, 4, 12, 0, 1, false);
        pair.connect();
        a.post(Work.of(Opcode.RDMA_READ).remote(7, 7));
        a.post(Work.of(Opcode.RDMA_WRITE).remote(7, 7));
        a.post(Work.of(Opcode.FLUSH).remote(7, 7).imm(1));
        pair.settle();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR), a.sentStatuses());
    }

    @Test
    void row11AnImmediateTellsTheLengthOfItsWrite() {
        pair.connect();
        b.postReceive();
        a.post(Work.of(Opcode.RDMA_WRITE_WITH_IMM).remote(Node.IOVA, b.rkey).local(a.place(0, 700)));
        pair.settle();
        assertEquals(700, b.received.getFirst().bytes());
    }

    @Test
    void row16AnAtomicWriteOfAnotherLengthIsRefusedWithoutReadingBeyondIt() {
        pair.connect();
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        a.writer.begin(PacketType.RC_ATOMIC_WRITE, 0x22, pair.psnA);
        a.writer.reth(Node.IOVA, b.rkey, 8);
        a.writer.finish(0);
        b.writeLong(0, 77);
        pair.deliver(new Packet(0, b, a.packetMemory.asSlice(0, 32).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)));
        pair.settle();
        assertEquals(Syndrome.NAK_INVALID_REQUEST, pair.wire.getLast().syndrome());
        assertEquals(77, b.readLong(0));
    }

    @Test
    void row19APacketThatFailsTheConnectionIsTakenOnce() {
        pair.connect();
        for (int i = 0; i < 4; i++) {
            b.postReceive(b.place(1000 * i, 10));
        }
        a.fill(0, 20, 1);
        byte[] before = b.read(0, 4000);
        a.send(0, 20);
        pair.settle();
        assertEquals(List.of(WcStatus.LOC_LEN_ERR), b.receivedStatuses(), "the owner flushes the others");
        assertArrayEquals(before, b.read(0, 4000));
    }

    @Test
    void row20AReceiveThatWasTakenIsFlushedToo() {
        pair.connect();
        b.postReceive(b.place(0, 1000));
        b.postReceive(b.place(0, 1000));
        a.send(0, 600);
        pair.lost = p -> p.type() == PacketType.RC_SEND_LAST;
        pair.settle();
        b.connection.fail(null);
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), b.receivedStatuses(), "the owner flushes the other");
    }

    @Test
    void row21WorkPostedAfterTheErrorIsFlushed() {
        pair.connect();
        a.connection.fail(null);
        for (int i = 0; i < 3; i++) {
            a.write(b, 0, 0, 10);
            a.connection.onWork(pair.now);
            assertEquals(i + 1, a.sent.size());
        }
    }

    @Test
    void row22AnAccessViolationRaisesAnEventAtTheOwner() {
        pair.connect();
        a.read(b, Node.BYTES, 0, 1);
        pair.settle();
        assertEquals(List.of("failed QP_ACCESS_ERR"), b.events);
        assertEquals(QueuePairState.ERR, b.connection.state());
    }

    @Test
    void row23AnOpcodeThatIsNotSpokenEndsInAnError() {
        pair.connect();
        a.post(new Work(null, SendFlags.SIGNALED, 0, 0, new long[2], 0, new Work.Place[0]));
        pair.settle();
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), a.sentStatuses());
    }

    @Test
    void row27APacketThatCouldNotBeSentIsBuiltTheSameAgain() {
        pair.connect();
        a.fill(0, 1500, 1);
        b.postReceive(b.place(0, 1500));
        a.post(Work.of(Opcode.SEND).local(a.place(0, 300), a.place(300, 700), a.place(1000, 500)));
        // Every packet is refused by the socket once.
        var refused = new HashSet<Integer>();
        pair.lost = p -> p.to() == b && refused.add(p.psn());
        pair.run();
        assertArrayEquals(a.read(0, 1500), b.read(0, 1500));
        assertEquals(List.of(WcStatus.SUCCESS), b.receivedStatuses());
    }

    @Test
    void row33NoReadsAtAllIsLegal() {
        pair.requesting = new Requesting(0, 1_000_000, 3, 3, 0, 64, false);
        pair.responding = new ConnectionConfig.Responding(Node.ALL, 0, 12, 0, 1, false);
        pair.connect();
        a.write(b, 0, 0, 1000);
        pair.settle();
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses());
    }

    @Test
    void row34AKeyThatIsRevokedBetweenPacketsOpensNothingMore() {
        pair.connect();
        int key = b.table.insert(new MemoryEntry(Node.DOMAIN, Node.ALL, 0, 4096, b.memory.address(), 1),
                MemoryTable.REMOTE);
        a.fill(0, 2000, 1);
        a.post(Work.of(Opcode.RDMA_WRITE).remote(0, key).local(a.place(0, 2000)));
        var count = new int[1];
        pair.changed = p -> {
            if (p.to() == b && ++count[0] == 4) {
                b.table.revoke(key);
            }
            return p;
        };
        pair.settle();
        assertArrayEquals(a.read(0, 768), b.read(0, 768));
        assertArrayEquals(new byte[1232], b.read(768, 1232));
        assertEquals(List.of(WcStatus.REM_ACCESS_ERR), a.sentStatuses());
    }

    @Test
    void row38AFenceCountsReadsAndDoesNotJustNoticeOne() {
        pair.connect();
        a.read(b, 0, 0, 10);
        a.read(b, 0, 1000, 10);
        a.post(Work.of(Opcode.RDMA_WRITE).flags(SendFlags.FENCE).remote(Node.IOVA, b.rkey).local(a.place(0, 10)));
        pair.lost = p -> p.to() == a && p.psn() == (pair.psnA + 1 & 0xFFFFFF) && pair.wire.size() < 6;
        pair.settle();
        assertTrue(pair.sent(p -> p.type().isWrite()).isEmpty());
        assertEquals(1, a.sent.size());
        pair.run();
        assertEquals(3, a.sent.size());
    }

    @Test
    void row40AnAnswerNeverWritesBeyondWhatWasAsked() {
        pair.connect();
        a.fill(0, 4096, 1);
        byte[] before = a.read(0, 4096);
        a.read(b, 0, 1000, 300);
        pair.lost = p -> p.to() == a;
        pair.settle();
        Packet first = pair.sent(p -> p.type() == PacketType.RC_READ_RESPONSE_FIRST).getFirst();
        byte[] longer = java.util.Arrays.copyOf(first.bytes(), first.bytes().length + 64);
        pair.deliver(new Packet(0, a, longer));
        assertEquals(List.of(WcStatus.BAD_RESP_ERR), a.sentStatuses());
        assertArrayEquals(before, a.read(0, 4096));
    }

    @Test
    void row42TheTimerStopsWhenNothingIsOutstanding() {
        pair.connect();
        for (int i = 0; i < 10; i++) {
            a.write(b, 0, 0, 1000);
            pair.settle();
            assertFalse(a.connection.hasDeadline());
        }
        int packets = pair.wire.size();
        pair.now += 1_000_000_000_000L;
        a.connection.onTimeout(pair.now);
        pair.settle();
        assertEquals(packets, pair.wire.size());
    }
}
