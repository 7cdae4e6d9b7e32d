package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketType;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation over a wire that loses nothing, at the sizes where packets begin and end. */
class TransferTest {
    private static final int HERE = 4096;
    private static final int THERE = 8192;
    private static final int GUARD = 64;

    private final Pair pair = new Pair();
    private final Node a = pair.a;
    private final Node b = pair.b;

    @AfterEach
    void close() {
        pair.close();
    }

    private int[] sizes(int mtu) {
        return new int[] {0, 1, 2, 3, 4, 5, mtu - 1, mtu, mtu + 1, 2 * mtu, 2 * mtu + 3, 65_536, (1 << 20) + 3};
    }

    private void connect(int mtu) {
        pair.mtu = mtu;
        pair.connect();
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096})
    void sendsArriveWholeAndInOrder(int mtu) {
        connect(mtu);
        for (int size : sizes(mtu)) {
            a.fill(HERE, size, size);
            b.fill(THERE - GUARD, size + 2 * GUARD, 99);
            byte[] before = b.read(THERE - GUARD, size + 2 * GUARD);
            b.postReceive(b.place(THERE, size + 8L));
            a.post(Work.of(Opcode.SEND_WITH_IMM).imm(0xCAFEBABE).local(a.place(HERE, size)));
            pair.run();
            assertArrayEquals(a.read(HERE, size), b.read(THERE, size), "size " + size);
            assertArrayEquals(tail(before, GUARD), b.read(THERE + size, GUARD), "pad was written, size " + size);
            var last = b.received.getLast();
            assertEquals(size, last.bytes());
            assertEquals(0xCAFEBABE, last.imm());
            assertEquals(WcFlags.WITH_IMM, last.flags());
            assertEquals(WcOpcode.RECV.code(), last.opcode());
            assertEquals(new Node.Sent(a.sent.size() - 1, WcStatus.SUCCESS, size), a.sent.getLast());
        }
    }

    private static byte[] tail(byte[] bytes, int length) {
        return java.util.Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1024, 4096})
    void writesTouchTheirRangeOnly(int mtu) {
        connect(mtu);
        for (int size : sizes(mtu)) {
            a.fill(HERE, size, size + 1);
            b.fill(THERE - GUARD, size + 2 * GUARD, 98);
            byte[] before = b.read(THERE - GUARD, size + 2 * GUARD);
            a.write(b, HERE, THERE, size);
            pair.run();
            assertArrayEquals(a.read(HERE, size), b.read(THERE, size), "size " + size);
            assertArrayEquals(tail(before, GUARD), b.read(THERE + size, GUARD));
            assertArrayEquals(java.util.Arrays.copyOf(before, GUARD), b.read(THERE - GUARD, GUARD));
            assertEquals(WcStatus.SUCCESS, a.sent.getLast().status());
        }
        assertTrue(b.received.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(ints = {256, 1024, 4096})
    void readsFetchTheirRange(int mtu) {
        connect(mtu);
        for (int size : sizes(mtu)) {
            b.fill(THERE, size, size + 2);
            a.fill(HERE - GUARD, size + 2 * GUARD, 97);
            byte[] before = a.read(HERE - GUARD, size + 2 * GUARD);
            a.read(b, THERE, HERE, size);
            pair.run();
            assertArrayEquals(b.read(THERE, size), a.read(HERE, size), "size " + size);
            assertArrayEquals(tail(before, GUARD), a.read(HERE + size, GUARD));
            assertEquals(new Node.Sent(a.sent.size() - 1, WcStatus.SUCCESS, size), a.sent.getLast());
        }
    }

    @Test
    void writesWithImmediateTakeAReceiveAndLeaveItsBuffers() {
        connect(256);
        b.fill(0, 512, 5);
        byte[] before = b.read(0, 512);
        for (int size : new int[] {0, 1, 256, 700}) {
            a.fill(HERE, size, size);
            b.postReceive(b.place(0, 512));
            a.post(Work.of(Opcode.RDMA_WRITE_WITH_IMM).imm(size + 7).remote(Node.IOVA + THERE, b.rkey)
                    .local(a.place(HERE, size)));
            pair.run();
            assertArrayEquals(a.read(HERE, size), b.read(THERE, size));
            assertEquals(new Node.Received(b.received.size() - 1, WcStatus.SUCCESS,
                    WcOpcode.RECV_RDMA_WITH_IMM.code(), size, WcFlags.WITH_IMM, size + 7, false), b.received.getLast());
        }
        assertArrayEquals(before, b.read(0, 512));
    }

    @Test
    void emptyWritesAndReadsNeedNoKey() {
        connect(256);
        a.post(Work.of(Opcode.RDMA_WRITE));
        a.post(Work.of(Opcode.RDMA_READ));
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), a.sentStatuses());
        assertEquals(1, pair.sent(p -> p.type() == PacketType.RC_READ_RESPONSE_ONLY && p.bytes().length == 20).size());
    }

    @Test
    void severalBuffersAreGatheredAndScattered() {
        connect(256);
        a.fill(0, 4096, 1);
        b.postReceive(b.place(0, 100), b.place(2000, 0), b.place(1000, 300), b.place(4000, 400));
        a.post(Work.of(Opcode.SEND).local(a.place(10, 250), a.place(9, 0), a.place(1000, 10), a.place(2000, 500)));
        pair.run();
        byte[] all = new byte[760];
        System.arraycopy(a.read(10, 250), 0, all, 0, 250);
        System.arraycopy(a.read(1000, 10), 0, all, 250, 10);
        System.arraycopy(a.read(2000, 500), 0, all, 260, 500);
        assertArrayEquals(java.util.Arrays.copyOf(all, 100), b.read(0, 100));
        assertArrayEquals(java.util.Arrays.copyOfRange(all, 100, 400), b.read(1000, 300));
        assertArrayEquals(java.util.Arrays.copyOfRange(all, 400, 760), b.read(4000, 360));
        assertEquals(760, b.received.getLast().bytes());
    }

    @Test
    void inlineBytesNeedNoKey() {
        connect(256);
        a.fill(0, 64, 1);
        b.postReceive(b.place(0, 64));
        a.post(Work.of(Opcode.SEND).flags(SendFlags.INLINE).local(new Work.Place(Node.IOVA, 60, 0xBAD)));
        pair.run();
        assertArrayEquals(a.read(0, 60), b.read(0, 60));
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses());
    }

    @Test
    void atomicsReturnWhatWasThereBefore() {
        connect(256);
        b.writeLong(THERE, 40);
        a.fetchAdd(b, THERE, 2, 0);
        a.post(Work.of(Opcode.ATOMIC_CMP_AND_SWP).remote(Node.IOVA + THERE, b.rkey).operands(42, -7)
                .local(a.place(8, 8)));
        a.post(Work.of(Opcode.ATOMIC_CMP_AND_SWP).remote(Node.IOVA + THERE, b.rkey).operands(42, 1)
                .local(a.place(16, 8)));
        a.fetchAdd(b, THERE, Long.MIN_VALUE, 24);
        pair.run();
        assertEquals(List.of(40L, 42L, -7L, -7L),
                List.of(a.readLong(0), a.readLong(8), a.readLong(16), a.readLong(24)));
        assertEquals(-7 + Long.MIN_VALUE, b.readLong(THERE));
        assertEquals(4, a.sent.size());
    }

    @Test
    void eightBytesAreWrittenAtOnceAndFlushed() {
        pair.responding = new ConnectionConfig.Responding(
                Node.ALL | io.verbena.verbs.Access.FLUSH_GLOBAL, 4, 12, 0, 1, false);
        connect(256);
        a.writeLong(0, 0x0102030405060708L);
        int flushable = b.table.insert(new io.verbena.rc.memory.MemoryEntry(Node.DOMAIN,
                Node.ALL | io.verbena.verbs.Access.FLUSH_GLOBAL, 0, 4096, b.memory.address(), 1),
                io.verbena.rc.memory.MemoryTable.REMOTE);
        a.post(Work.of(Opcode.ATOMIC_WRITE).remote(Node.IOVA + THERE, b.rkey).local(a.place(0, 8)));
        a.post(Work.of(Opcode.FLUSH).remote(16, flushable).operands(8, 0).imm(1));
        pair.run();
        assertEquals(0x0102030405060708L, b.readLong(THERE));
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), a.sentStatuses());
    }

    @Test
    void solicitedTravelsWithTheLastPacketOfWhatWakes() {
        connect(256);
        b.postReceive(b.place(0, 1000));
        b.postReceive(b.place(0, 1000));
        a.post(Work.of(Opcode.SEND).flags(SendFlags.SOLICITED).local(a.place(0, 600)));
        a.post(Work.of(Opcode.RDMA_WRITE).flags(SendFlags.SOLICITED).remote(Node.IOVA, b.rkey).local(a.place(0, 6)));
        a.post(Work.of(Opcode.SEND).local(a.place(0, 6)));
        pair.run();
        assertEquals(List.of(true, false), b.received.stream().map(Node.Received::solicited).toList());
        assertEquals(List.of(PacketType.RC_SEND_LAST),
                pair.sent(p -> (p.bytes()[1] & 0x80) != 0).stream().map(Packet::type).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 0x7FFFFE, 0x7FFFFF, 0x800000, 0xFFFFF0, 0xFFFFFD, 0xFFFFFE, 0xFFFFFF})
    void sequenceNumbersWrapAnywhere(int psn) {
        pair.psnA = psn;
        connect(256);
        a.fill(HERE, 1000, 3);
        b.fill(THERE, 1000, 4);
        IntStream.range(0, 8).forEach(i -> {
            b.postReceive(b.place(0, 1000));
            a.send(HERE, 1000);
            a.read(b, THERE, 20_000, 1000);
            a.write(b, HERE, 30_000, 1000);
            a.fetchAdd(b, 40_000, 1, 0);
        });
        pair.run();
        assertEquals(8, b.readLong(40_000));
        assertEquals(32, a.sent.size());
        assertTrue(a.sentStatuses().stream().allMatch(s -> s == WcStatus.SUCCESS));
        assertArrayEquals(b.read(THERE, 1000), a.read(20_000, 1000));
        assertEquals(psn + 8 * 13 & 0xFFFFFF, a.connection.sendPsn());
        assertEquals(a.connection.sendPsn(), b.connection.receivePsn());
    }

    @Test
    void whatCannotBeSentFailsAfterEverythingBefore() {
        connect(256);
        a.write(b, 0, THERE, 700);
        a.post(Work.of(Opcode.SEND).local(new Work.Place(Node.IOVA, 10, 0xBAD)));
        a.write(b, 0, THERE + 1000, 10);
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR), a.sentStatuses());
        assertTrue(pair.sent(p -> p.type().isSend()).isEmpty(), "nothing of it was sent");
    }
}
