package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Unreliable connections: what is lost is lost as a whole, and nobody is told. */
class UcTest {
    private final Node a = new Node("a", 1);
    private final Node b = new Node("b", 2);
    private UcConnection sender;
    private UcConnection receiver;
    private int packets;

    @BeforeEach
    void connect() {
        var responding = new ConnectionConfig.Responding(Node.ALL, 0, 0, 0, 1, false);
        sender = new UcConnection(new ConnectionConfig(1, 2, 256, 0, responding), a.host());
        receiver = new UcConnection(new ConnectionConfig(2, 1, 256, 0xFFFFFF, responding), b.host());
        sender.startSending(0xFFFFFF, 0);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private List<Verdict> run(IntPredicate lost) {
        var verdicts = new ArrayList<Verdict>();
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        while (sender.nextPacket(a.writer)) {
            if (!lost.test(packets++)) {
                assertEquals(Verdict.ACCEPTED, b.view.wrap(a.packetMemory.address(), a.writer.length() + 4));
                verdicts.add(receiver.onPacket(b.view));
            }
        }
        return verdicts;
    }

    @Test
    void messagesArriveAndSendersNeedNoAnswer() {
        a.fill(0, 700, 1);
        b.postReceive(b.place(1000, 700));
        b.postReceive();
        a.send(0, 700);
        a.write(b, 0, 2000, 700);
        a.post(Work.of(Opcode.RDMA_WRITE_WITH_IMM).imm(9).remote(Node.IOVA + 3000, b.rkey).local(a.place(0, 300)));
        run(number -> false);
        for (int at : new int[] {1000, 2000}) {
            assertArrayEquals(a.read(0, 700), b.read(at, 700));
        }
        assertArrayEquals(a.read(0, 300), b.read(3000, 300));
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), a.sentStatuses());
        assertEquals(List.of(700L, 300L), b.received.stream().map(Node.Received::bytes).toList());
        assertEquals(List.of("established"), b.events);
        assertEquals(sender.sendPsn(), receiver.receivePsn());
    }

    @Test
    void aLostPacketLosesItsMessageOnly() {
        for (int hit = 0; hit < 9; hit++) {
            packets = 0;
            int number = hit;
            int before = b.received.size();
            for (int i = 0; i < 3; i++) {
                a.fill(i * 1000, 700, 10 * hit + i);
                b.fill(i * 1000, 700, 99);
                b.postReceive(b.place(0, 1000));
                a.send(i * 1000, 700);
            }
            run(n -> n == number);
            assertEquals(2, b.received.size() - before, "packet " + hit);
            if (hit < 7) {
                // A broken message may have been placed in part; then the receive's buffers are anything.
                int last = hit == 6 ? 1 : 2;
                assertArrayEquals(a.read(last * 1000, 700), b.read(0, 700), "packet " + hit);
            }
            b.postReceive(b.place(0, 1000));
            a.send(0, 1);
            run(n -> false);
            assertEquals(3, b.received.size() - before, "the receive of the broken message serves the next one");
        }
        assertTrue(b.receivedStatuses().stream().allMatch(s -> s == WcStatus.SUCCESS));
    }

    private Packet next() {
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        assertTrue(sender.nextPacket(a.writer));
        return new Packet(0, b, a.packetMemory.asSlice(0, a.writer.length() + 4L)
                .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
    }

    private Verdict deliver(Packet packet) {
        java.lang.foreign.MemorySegment.copy(packet.bytes(), 0, b.packetMemory,
                java.lang.foreign.ValueLayout.JAVA_BYTE, 0, packet.bytes().length);
        assertEquals(Verdict.ACCEPTED, b.view.wrap(b.packetMemory.address(), packet.bytes().length));
        return receiver.onPacket(b.view);
    }

    @Test
    void copiesAndOvertakenPacketsAreDroppedAndHarmNothing() {
        for (int i = 0; i < 3; i++) {
            b.postReceive(b.place(1000 * i, 300));
        }
        a.fill(0, 300, 1);
        a.send(0, 10);
        a.send(0, 10);
        a.send(0, 300);
        Packet overtaken = next();
        Packet only = next();
        Packet first = next();
        Packet last = next();
        assertEquals(Verdict.ACCEPTED, deliver(only));
        assertEquals(Verdict.DUPLICATE, deliver(only));
        assertEquals(Verdict.ACCEPTED, deliver(first));
        assertEquals(Verdict.DUPLICATE, deliver(overtaken), "before what has arrived since");
        assertEquals(Verdict.DUPLICATE, deliver(first));
        assertEquals(Verdict.ACCEPTED, deliver(last), "the message under way goes on");
        assertEquals(List.of(10L, 300L), b.received.stream().map(Node.Received::bytes).toList());
        assertArrayEquals(a.read(0, 300), b.read(1000, 300));
    }

    @Test
    void afterALongSilenceWhateverStartsIsTaken() {
        b.postReceive(b.place(0, 10));
        // Half of all numbers have passed unheard, and 100,000 more.
        int psn = 0xFFFFFF + (1 << 23) + 100_000 & 0xFFFFFF;
        sender.startSending(psn, 0);
        a.send(0, 10);
        assertEquals(Verdict.ACCEPTED, deliver(next()));
    }

    /** A packet that the sender has not sent, its number so far ahead of the one that is awaited. */
    private Packet forged(PacketType type, int ahead, int rkey) {
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        a.writer.begin(type, 2, Psn.add(receiver.receivePsn(), ahead));
        if (type.isWrite() && type.isStart()) {
            a.writer.reth(Node.IOVA, rkey, type.isEnd() ? 256 : 1000);
        }
        a.writer.finish(256);
        return new Packet(0, b, a.packetMemory.asSlice(0, a.writer.length() + 4L)
                .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
    }

    private static final int[] DISTANCES = {1, 2, 4095, 4096, 4097, 65_536, 1 << 22, (1 << 23) - 1,
            -1, -2, -4096, -4097, -65_536, -(1 << 23)};

    @Test
    void forgedPacketsThatStartNothingHarmNothing() {
        for (int distance : DISTANCES) {
            b.postReceive(b.place(1000, 700));
            a.send(0, 700);
            Packet first = next();
            Packet middle = next();
            Packet last = next();
            assertEquals(Verdict.ACCEPTED, deliver(first));
            for (var type : List.of(PacketType.UC_SEND_MIDDLE, PacketType.UC_SEND_LAST, PacketType.UC_WRITE_MIDDLE)) {
                assertTrue(deliver(forged(type, distance, 0)) != Verdict.ACCEPTED, type + " " + distance);
            }
            assertEquals(Verdict.ACCEPTED, deliver(middle), "the message under way goes on after " + distance);
            assertEquals(Verdict.ACCEPTED, deliver(last));
        }
        assertEquals(DISTANCES.length, b.received.size());
    }

    @Test
    void forgedStartsThatAreRefusedLoseTheMessageUnderWayAtMost() {
        for (int distance : DISTANCES) {
            Packet wrongKey = forged(PacketType.UC_WRITE_ONLY, distance, 1);
            assertTrue(deliver(wrongKey) != Verdict.ACCEPTED);
            assertTrue(deliver(forged(PacketType.UC_SEND_ONLY, distance, 0)) != Verdict.ACCEPTED, "no receive");
            a.write(b, 0, 2000, 10);
            assertEquals(Verdict.ACCEPTED, deliver(next()), "after a forged number " + distance + " ahead");
        }
    }

    @Test
    void aForgedStartThatIsTakenSilencesFewPackets() {
        for (int distance : DISTANCES) {
            boolean taken = deliver(forged(PacketType.UC_WRITE_ONLY, distance, b.rkey)) == Verdict.ACCEPTED;
            assertEquals(distance > 0 || distance < -4096, taken, "a start " + distance + " ahead");
            int silent = 0;
            a.write(b, 0, 2000, 10);
            while (deliver(next()) != Verdict.ACCEPTED) {
                silent++;
                a.write(b, 0, 2000, 10);
            }
            assertTrue(silent <= 4096, silent + " packets silenced by one that was " + distance + " ahead");
        }
    }

    @Test
    void aMessageInWhichManyAreLostInARowIsNotTheEnd() {
        int packets = 4096;
        a.write(b, 0, 0, packets * 256);
        a.write(b, 0, 2000, 10);
        assertEquals(Verdict.ACCEPTED, deliver(next()));
        for (int i = 1; i < packets - 1; i++) {
            next();
        }
        assertEquals(Verdict.BROKEN_MESSAGE, deliver(next()));
        assertEquals(Verdict.ACCEPTED, deliver(next()));
    }

    @Test
    void withoutReceiveOrRightAMessageIsLost() {
        a.send(0, 700);
        assertEquals(List.of(Verdict.NO_RECEIVE, Verdict.BROKEN_MESSAGE, Verdict.BROKEN_MESSAGE), run(n -> false));
        a.post(Work.of(Opcode.RDMA_WRITE).remote(Node.IOVA, 1).local(a.place(0, 10)));
        assertEquals(List.of(Verdict.NOT_ALLOWED), run(n -> false));
        b.postReceive(b.place(0, 10));
        a.send(0, 11);
        assertEquals(List.of(Verdict.DOES_NOT_FIT), run(n -> false));
        a.send(0, 10);
        assertEquals(List.of(Verdict.ACCEPTED), run(n -> false));
        assertEquals(QueuePairState.RTR, receiver.state());
        assertEquals(1, b.received.size());
    }

    @Test
    void aFailedSendStopsTheSenderUntilItResumes() {
        a.post(Work.of(Opcode.SEND).local(new Work.Place(0, 10, 0xBAD)));
        a.send(0, 10);
        run(n -> false);
        assertEquals(List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), a.sentStatuses());
        assertEquals(QueuePairState.SQE, sender.state());
        a.send(0, 10);
        sender.onWork();
        assertEquals(WcStatus.WR_FLUSH_ERR, a.sentStatuses().getLast());
        sender.resume();
        b.postReceive(b.place(0, 10));
        a.send(0, 10);
        run(n -> false);
        assertEquals(WcStatus.SUCCESS, a.sentStatuses().getLast());
    }

    @Test
    void whatAnUnreliableConnectionCannotDoFails() {
        a.read(b, 0, 0, 10);
        run(n -> false);
        assertEquals(List.of(WcStatus.LOC_QP_OP_ERR), a.sentStatuses());
    }

    @Test
    void drainingFinishesTheMessageThatHasBegun() {
        a.write(b, 0, 0, 700);
        a.write(b, 0, 0, 10);
        a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES);
        assertTrue(sender.nextPacket(a.writer));
        sender.drain();
        run(n -> false);
        assertEquals(3, packets + 1);
        assertEquals(List.of("drained"), a.events);
        assertFalse(sender.nextPacket(a.writer));
        sender.resume();
        run(n -> false);
        assertEquals(2, a.sent.size());
    }

    @Test
    void aReceiveThatMayNotBeWrittenFailsTheReceiver() {
        b.postReceive(new Work.Place(0, 10, 0xBAD));
        a.send(0, 10);
        run(n -> false);
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), b.receivedStatuses());
        assertEquals(QueuePairState.ERR, receiver.state());
        a.send(0, 10);
        assertEquals(List.of(Verdict.WRONG_STATE), run(n -> false));
    }
}
