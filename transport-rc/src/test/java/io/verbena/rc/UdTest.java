package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Datagrams: one packet, any sender, and nobody is told what became of it. */
class UdTest {
    private static final int QKEY = 0x11223344;

    private final Node a = new Node("a", 1);
    private final Node b = new Node("b", 2);
    private UdEndpoint sender;
    private UdEndpoint receiver;
    private MemorySegment header;

    @BeforeEach
    void make() {
        sender = new UdEndpoint(1, 1024, 0x55, a.host());
        receiver = new UdEndpoint(2, 1024, QKEY, b.host());
        sender.startSending(0xFFFFFF, 0);
        header = a.arena.allocateFrom(ValueLayout.JAVA_BYTE, Node.bytes(40, 3));
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private Work datagram(int length, int qkey) {
        return Work.of(Opcode.SEND).remote(2, qkey).local(a.place(0, length));
    }

    private List<Verdict> run() {
        var verdicts = new ArrayList<Verdict>();
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        while (sender.nextPacket(a.writer)) {
            assertEquals(Verdict.ACCEPTED, b.view.wrap(a.packetMemory.address(), a.writer.length() + 4));
            verdicts.add(receiver.onPacket(b.view, header.address()));
        }
        return verdicts;
    }

    @Test
    void aDatagramArrivesBehindItsHeader() {
        a.fill(0, 1024, 1);
        b.postReceive(b.place(0, 10), b.place(100, 1054));
        a.post(new Work(Opcode.SEND_WITH_IMM, 2, 2, QKEY, new long[2], 77, new Work.Place[] {a.place(0, 1024)}));
        assertEquals(List.of(Verdict.ACCEPTED), run());
        assertArrayEquals(java.util.Arrays.copyOf(Node.bytes(40, 3), 10), b.read(0, 10));
        assertArrayEquals(a.read(0, 1024), b.read(130, 1024));
        assertEquals(1064, b.received.getFirst().bytes());
        assertEquals(WcFlags.GRH | WcFlags.WITH_IMM, b.received.getFirst().flags());
        assertEquals(77, b.received.getFirst().imm());
        assertEquals(0, sender.sendPsn());
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses());
    }

    @Test
    void whatKeepsADatagramFromItsReceiverLosesIt() {
        a.post(datagram(10, QKEY));
        assertEquals(List.of(Verdict.NO_RECEIVE), run());
        b.postReceive(b.place(0, 49));
        a.post(datagram(10, QKEY));
        assertEquals(List.of(Verdict.DOES_NOT_FIT), run());
        a.post(datagram(9, QKEY + 1));
        assertEquals(List.of(Verdict.BAD_QKEY), run());
        a.post(datagram(9, QKEY));
        assertEquals(List.of(Verdict.ACCEPTED), run());
        assertEquals(4, a.sent.size());
        assertEquals(1, b.received.size());
        assertTrue(b.events.isEmpty());
    }

    @Test
    void aPrivilegedQueueKeyMeansTheOwnOne() {
        receiver.update(0x55);
        b.postReceive(b.place(0, 100));
        a.post(datagram(9, 0x8000_0000));
        assertEquals(List.of(Verdict.ACCEPTED), run());
    }

    @Test
    void whatIsNoDatagramStopsTheSender() {
        a.post(datagram(1025, QKEY));
        a.post(datagram(10, QKEY));
        run();
        assertEquals(List.of(WcStatus.LOC_LEN_ERR, WcStatus.WR_FLUSH_ERR), a.sentStatuses());
        assertEquals(QueuePairState.SQE, sender.state());
        sender.resume();
        a.post(Work.of(Opcode.RDMA_WRITE));
        run();
        assertEquals(WcStatus.LOC_QP_OP_ERR, a.sentStatuses().getLast());
        sender.resume();
        a.post(Work.of(Opcode.SEND).local(new Work.Place(0, 10, 0xBAD)));
        run();
        assertEquals(WcStatus.LOC_PROT_ERR, a.sentStatuses().getLast());
    }

    @Test
    void aFailedEndpointFlushesAndIsSilent() {
        a.post(datagram(10, QKEY));
        sender.fail(null);
        a.post(datagram(10, QKEY));
        sender.onWork();
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR), a.sentStatuses());
        receiver.fail(null);
        assertEquals(List.of(), run());
    }
}
