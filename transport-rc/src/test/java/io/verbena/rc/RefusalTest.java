package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Syndrome;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that are not allowed, malformed or out of place: which NAK, which status, which event, and no trace of
 * them.
 */
class RefusalTest {
    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    private void serve(int rights, int maxReads) {
        pair.responding = new Responding(rights, maxReads, 12, 0, 1, false);
        pair.connect();
    }

    private void assertRefused(WcStatus status, int syndrome, String event) {
        pair.run();
        assertEquals(status, pair.a.sent.getFirst().status());
        assertEquals(syndrome, pair.sent(p -> p.type() == PacketType.RC_ACKNOWLEDGE).getLast().syndrome());
        assertEquals(List.of(event), pair.b.events);
        assertEquals(List.of("failed null"), pair.a.events);
        assertEquals(QueuePairState.ERR, pair.a.connection.state());
        assertEquals(QueuePairState.ERR, pair.b.connection.state());
    }

    @ParameterizedTest
    @CsvSource({"-1, 8, 0", "0, 2097153, 0", "2097152, 1, 0", "9223372036854775807, 8, 0", "-268435457, 2, 0",
        "0, 8, 1", "0, 8, 256"})
    void aKeyOpensItsRangeOnly(long offset, int length, int keyChange) {
        serve(Node.ALL, 4);
        byte[] before = pair.b.read(0, Node.BYTES);
        pair.a.post(Work.of(Opcode.RDMA_WRITE).remote(Node.IOVA + offset, pair.b.rkey + keyChange)
                .local(pair.a.place(0, Math.min(length, Node.BYTES)),
                        pair.a.place(0, Math.max(0, length - Node.BYTES))));
        assertRefused(WcStatus.REM_ACCESS_ERR, Syndrome.NAK_REMOTE_ACCESS, "failed QP_ACCESS_ERR");
        assertArrayEquals(before, pair.b.read(0, Node.BYTES));
    }

    @Test
    void anRkeyOfAnotherDomainOpensNothing() {
        serve(Node.ALL, 4);
        int key = pair.b.table.insert(new MemoryEntry(Node.DOMAIN + 1, Node.ALL, Node.IOVA, 4096,
                pair.b.memory.address(), 1), MemoryTable.REMOTE);
        pair.a.post(Work.of(Opcode.RDMA_READ).remote(Node.IOVA, key).local(pair.a.place(0, 8)));
        assertRefused(WcStatus.REM_ACCESS_ERR, Syndrome.NAK_REMOTE_ACCESS, "failed QP_ACCESS_ERR");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD", "ATOMIC_WRITE"})
    void anRkeyWithoutTheRightOpensNothing(String name) {
        serve(Node.ALL, 4);
        int key = pair.b.table.insert(new MemoryEntry(Node.DOMAIN, Access.LOCAL_WRITE, Node.IOVA, 4096,
                pair.b.memory.address(), 1), MemoryTable.REMOTE);
        pair.a.post(Work.of(Opcode.valueOf(name)).remote(Node.IOVA, key).local(pair.a.place(0, 8)));
        assertRefused(WcStatus.REM_ACCESS_ERR, Syndrome.NAK_REMOTE_ACCESS, "failed QP_ACCESS_ERR");
    }

    @ParameterizedTest
    @CsvSource({"RDMA_WRITE, 12", "RDMA_READ, 10", "ATOMIC_FETCH_AND_ADD, 6", "ATOMIC_CMP_AND_SWP, 6",
        "ATOMIC_WRITE, 12", "FLUSH, 14"})
    void whatTheQueuePairDoesNotServeIsInvalid(String name, int rights) {
        serve(rights, 4);
        pair.a.post(Work.of(Opcode.valueOf(name)).remote(Node.IOVA, pair.b.rkey).imm(1).local(pair.a.place(0, 8)));
        assertRefused(WcStatus.REM_INV_REQ_ERR, Syndrome.NAK_INVALID_REQUEST, "failed QP_REQ_ERR");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RDMA_READ", "ATOMIC_FETCH_AND_ADD", "ATOMIC_WRITE"})
    void withoutPlaceToRememberNoReadIsServed(String name) {
        serve(Node.ALL, 0);
        pair.a.post(Work.of(Opcode.valueOf(name)).remote(Node.IOVA, pair.b.rkey).local(pair.a.place(0, 8)));
        assertRefused(WcStatus.REM_INV_REQ_ERR, Syndrome.NAK_INVALID_REQUEST, "failed QP_REQ_ERR");
    }

    @Test
    void aMisalignedAtomicIsInvalid() {
        serve(Node.ALL, 4);
        pair.a.fetchAdd(pair.b, 4, 1, 0);
        assertRefused(WcStatus.REM_INV_REQ_ERR, Syndrome.NAK_INVALID_REQUEST, "failed QP_REQ_ERR");
        assertEquals(0, pair.b.readLong(0) | pair.b.readLong(8));
    }

    @Test
    void aMessageLongerThanItsReceiveFailsBoth() {
        serve(Node.ALL, 4);
        pair.b.postReceive(pair.b.place(0, 599));
        pair.a.send(0, 600);
        assertRefused(WcStatus.REM_INV_REQ_ERR, Syndrome.NAK_INVALID_REQUEST, "failed null");
        assertEquals(List.of(WcStatus.LOC_LEN_ERR), pair.b.receivedStatuses());
    }

    @Test
    void aReceiveWithABadKeyFailsBoth() {
        serve(Node.ALL, 4);
        pair.b.postReceive(new Work.Place(Node.IOVA, 100, 0xBAD));
        pair.a.send(0, 100);
        assertRefused(WcStatus.REM_OP_ERR, Syndrome.NAK_REMOTE_OPERATION, "failed null");
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), pair.b.receivedStatuses());
    }

    @Test
    void aResultThatMayNotBeStoredFailsItsRequestOnly() {
        serve(Node.ALL, 4);
        pair.a.post(Work.of(Opcode.RDMA_READ).remote(Node.IOVA, pair.b.rkey)
                .local(new Work.Place(Node.IOVA, 8, 0xBAD)));
        pair.run();
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), pair.a.sentStatuses());
        assertEquals(QueuePairState.RTS, pair.b.connection.state());
    }

    @Test
    void anAtomicResultThatMayNotBeStoredFailsItsRequest() {
        serve(Node.ALL, 4);
        pair.a.post(Work.of(Opcode.ATOMIC_FETCH_AND_ADD).remote(Node.IOVA, pair.b.rkey)
                .local(new Work.Place(Node.IOVA, 8, 0xBAD)));
        pair.run();
        assertEquals(List.of(WcStatus.LOC_PROT_ERR), pair.a.sentStatuses());
    }

    @Test
    void endsThatCutMessagesDifferentlyPart() {
        pair.connect();
        pair.mtu = 512;
        pair.a.connection = new RcConnection(
                new ConnectionConfig(0x11, 0x22, 512, pair.psnB, pair.responding), pair.a.host());
        pair.a.connection.startSending(new ConnectionConfig.Requesting(pair.psnA, 1_000_000, 3, 3, 4, 64, false), 0);
        pair.b.postReceive(pair.b.place(0, 2000));
        pair.a.send(0, 1000);
        assertRefused(WcStatus.REM_INV_REQ_ERR, Syndrome.NAK_INVALID_REQUEST, "failed QP_REQ_ERR");
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.b.receivedStatuses());
    }

    // Packets that no requester of ours sends

    private int psn;

    /** Sends b a packet as if from a. */
    private Verdict forge(PacketType type, int payload, Consumer<PacketWriter> headers) {
        if (pair.b.connection == null) {
            pair.connect();
            psn = pair.psnA;
        }
        PacketWriter writer = pair.a.writer.wrap(pair.a.packetMemory.address(), PacketView.MAX_BYTES);
        writer.begin(type, 0x22, psn++);
        headers.accept(writer);
        writer.finish(payload);
        writer.ackRequested(true);
        byte[] bytes = pair.a.packetMemory.asSlice(0, writer.length() + 4L)
                .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        Verdict verdict = pair.deliver(new Packet(0, pair.b, bytes));
        pair.settle();
        return verdict;
    }

    private Consumer<PacketWriter> reth(long length) {
        return writer -> writer.reth(Node.IOVA, pair.b.rkey, length);
    }

    private Integer lastSyndrome() {
        var acks = pair.sent(p -> p.type() == PacketType.RC_ACKNOWLEDGE);
        return acks.isEmpty() ? null : acks.getLast().syndrome();
    }

    @ParameterizedTest
    @CsvSource({"RC_SEND_MIDDLE,", "RC_SEND_LAST,", "RC_WRITE_MIDDLE,", "RC_WRITE_LAST,",
        "RC_SEND_FIRST, RC_SEND_FIRST", "RC_SEND_FIRST, RC_SEND_ONLY", "RC_SEND_FIRST, RC_WRITE_MIDDLE",
        "RC_SEND_FIRST, RC_WRITE_ONLY", "RC_SEND_FIRST, RC_READ_REQUEST", "RC_SEND_FIRST, RC_FETCH_ADD",
        "RC_WRITE_FIRST, RC_SEND_MIDDLE", "RC_WRITE_FIRST, RC_WRITE_FIRST", "RC_WRITE_FIRST, RC_SEND_ONLY",
        "RC_SEND_FIRST, RC_ATOMIC_WRITE", "RC_SEND_FIRST, RC_FLUSH"})
    void opcodesOutOfPlaceAreInvalid(String first, String second) {
        pair.b.postReceive(pair.b.place(0, 5000));
        for (String name : second == null ? List.of(first) : List.of(first, second)) {
            PacketType type = PacketType.valueOf(name);
            forge(type, type.isEmpty() ? 0 : 256, type.hasReth() ? reth(700) : writer -> {});
        }
        assertEquals(Syndrome.NAK_INVALID_REQUEST, lastSyndrome());
        assertEquals(QueuePairState.ERR, pair.b.connection.state());
    }

    @ParameterizedTest
    @CsvSource({"RC_SEND_FIRST, 255, 0", "RC_SEND_FIRST, 0, 0", "RC_SEND_ONLY, 257, 0", "RC_WRITE_FIRST, 255, 700",
        "RC_WRITE_ONLY, 257, 257", "RC_WRITE_ONLY, 10, 11", "RC_WRITE_ONLY, 10, 9", "RC_WRITE_FIRST, 256, 256",
        "RC_WRITE_FIRST, 256, 2147483649", "RC_READ_REQUEST, 0, 2147483649", "RC_ATOMIC_WRITE, 0, 8",
        "RC_ATOMIC_WRITE, 4, 8", "RC_ATOMIC_WRITE, 8, 16"})
    void lengthsThatDoNotFitAreInvalid(String name, int payload, long remoteLength) {
        pair.b.postReceive(pair.b.place(0, 5000));
        PacketType type = PacketType.valueOf(name);
        forge(type, payload, type.hasReth() ? reth(remoteLength) : writer -> {});
        assertEquals(Syndrome.NAK_INVALID_REQUEST, lastSyndrome());
    }

    @Test
    void aWriteThatEndsEarlyOrLateIsInvalid() {
        forge(PacketType.RC_WRITE_FIRST, 256, reth(300));
        forge(PacketType.RC_WRITE_LAST, 43, writer -> {});
        assertEquals(Syndrome.NAK_INVALID_REQUEST, lastSyndrome());
    }

    @Test
    void anEmptyLastPacketIsInvalid() {
        pair.b.postReceive(pair.b.place(0, 5000));
        forge(PacketType.RC_SEND_FIRST, 256, writer -> {});
        forge(PacketType.RC_SEND_LAST, 0, writer -> {});
        assertEquals(Syndrome.NAK_INVALID_REQUEST, lastSyndrome());
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR), pair.b.receivedStatuses());
    }

    @Test
    void anEndThatRefusedSaysItsLastWordAgainAndNothingElse() {
        forge(PacketType.RC_SEND_MIDDLE, 256, writer -> {});
        int packets = pair.wire.size();
        assertEquals(Verdict.DUPLICATE, forge(PacketType.RC_WRITE_ONLY, 4, reth(4)));
        assertEquals(packets + 1, pair.wire.size());
        assertEquals(Syndrome.NAK_INVALID_REQUEST, lastSyndrome());
    }

    @Test
    void anEndThatItsOwnerFailedIsSilent() {
        forge(PacketType.RC_WRITE_ONLY, 4, reth(4));
        pair.b.connection.fail(null);
        int packets = pair.wire.size();
        assertEquals(Verdict.WRONG_STATE, forge(PacketType.RC_WRITE_ONLY, 4, reth(4)));
        assertEquals(packets, pair.wire.size());
    }

    @Test
    void otherTransportsAreDropped() {
        assertEquals(Verdict.WRONG_TRANSPORT, forge(PacketType.UC_SEND_ONLY, 4, writer -> {}));
        assertEquals(Verdict.WRONG_TRANSPORT, forge(PacketType.UD_SEND_ONLY, 4, writer -> writer.deth(1, 1)));
        assertEquals(Verdict.CONGESTION, forge(PacketType.CNP, 0, PacketWriter::reserved));
        assertNull(lastSyndrome());
        assertTrue(pair.b.events.isEmpty());
    }

    @Test
    void aDuplicateReadOutsideTheOriginalIsForgotten() {
        forge(PacketType.RC_READ_REQUEST, 0, reth(600));
        int packets = pair.wire.size();
        for (long[] range : new long[][] {{0, 601}, {256, 600}, {-256, 600}, {0, 256}, {-1, Long.MAX_VALUE}}) {
            psn = pair.psnA;
            assertEquals(Verdict.FORGOTTEN, forge(PacketType.RC_READ_REQUEST, 0,
                    writer -> writer.reth(Node.IOVA + range[0], pair.b.rkey, range[1])), range[0] + "");
        }
        psn = pair.psnA;
        assertEquals(Verdict.FORGOTTEN, forge(PacketType.RC_READ_REQUEST, 0,
                writer -> writer.reth(Node.IOVA, pair.b.rkey + 1, 600)));
        assertEquals(packets, pair.wire.size());
        psn = pair.psnA + 1;
        assertEquals(Verdict.DUPLICATE, forge(PacketType.RC_READ_REQUEST, 0,
                writer -> writer.reth(Node.IOVA + 256, pair.b.rkey, 344)));
        assertEquals(packets + 2, pair.wire.size());
    }

    @Test
    void theFirstPacketMakesTheConnectionEstablished() {
        pair.b.connection = new RcConnection(
                new ConnectionConfig(0x22, 0x11, 256, pair.psnA, pair.responding), pair.b.host());
        pair.a.connection = new RcConnection(
                new ConnectionConfig(0x11, 0x22, 256, pair.psnB, pair.responding), pair.a.host());
        psn = pair.psnA;
        forge(PacketType.RC_WRITE_ONLY, 4, reth(4));
        forge(PacketType.RC_WRITE_ONLY, 4, reth(4));
        assertEquals(List.of("established"), pair.b.events);
        assertEquals(Verdict.WRONG_STATE, forge(PacketType.RC_ACKNOWLEDGE, 0, writer -> writer.aeth(0x1F, 0)));
    }
}
