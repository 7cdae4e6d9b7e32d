package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.Mutator;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutated packets through connections in every state: RTR, RTS idle, RTS with everything outstanding, SQD, ERR. Nothing
 * is thrown, packets are never answered by more than a bounded number, and memory outside what was registered stays.
 */
class ConnectionMutatorTest {
    private static final int GUARD = 4096;
    private static final int PACKETS_PER_CONNECTION = 64;

    private final SplittableRandom random = new SplittableRandom(11);
    private final EnumMap<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);

    @Test
    void aMillionMutatedPacketsThroughConnections() {
        run(1_000_000);
    }

    @Test
    @Tag("ci")
    void fiftyMillionMutatedPacketsThroughConnections() {
        run(50_000_000);
    }

    private void run(int packets) {
        var mutator = new Mutator(7);
        int done = 0;
        while (done < packets) {
            try (var node = new Node("n", 0x22)) {
                byte[] before = node.read(0, GUARD);
                int rkey = node.table.insert(new io.verbena.rc.memory.MemoryEntry(Node.DOMAIN, Node.ALL, 0, 8192,
                        node.memory.address() + GUARD, 1), io.verbena.rc.memory.MemoryTable.REMOTE);
                node.table.revoke(node.rkey);
                for (int i = 0; i < 256 && done < packets; i++) {
                    done += connection(node, mutator, rkey);
                }
                assertArrayEquals(before, node.read(0, GUARD));
                assertArrayEquals(before, node.read(GUARD + 8192, GUARD));
            }
        }
        assertTrue(verdicts.size() >= 8, verdicts.toString());
    }

    private int connection(Node node, Mutator mutator, int rkey) {
        node.sent.clear();
        node.received.clear();
        node.events.clear();
        var config = new ConnectionConfig(0x22, 0x11, 256 << random.nextInt(5), 0xA000 + random.nextInt(3),
                new ConnectionConfig.Responding(Node.ALL, random.nextInt(4), 1, 0, 1, random.nextBoolean()));
        var connection = new RcConnection(config, node.host());
        node.connection = connection;
        int state = random.nextInt(5);
        long first = node.posted();
        if (state > 0) {
            connection.startSending(new ConnectionConfig.Requesting(
                    0xA000, 1000, 7, 7, 4, 64, random.nextBoolean()), first);
        }
        if (state > 1) {
            post(node);
        }
        if (random.nextBoolean()) {
            node.postReceive(node.place(GUARD, random.nextInt(2000)));
        }
        drain(node, 0);
        switch (state) {
            case 3 -> connection.drain();
            case 4 -> connection.fail(null);
            default -> { }
        }
        for (int i = 0; i < PACKETS_PER_CONNECTION; i++) {
            mutator.next();
            deliver(node, mutator, rkey);
            drain(node, i);
        }
        connection.fail(null);
        assertEquals(node.posted() - first, node.sent.size(), "each request ended once");
        return PACKETS_PER_CONNECTION;
    }

    private void post(Node node) {
        node.post(Work.of(Opcode.SEND).local(node.place(GUARD, 700)));
        node.post(Work.of(Opcode.RDMA_READ).remote(0, 1).local(node.place(GUARD, 3000)));
        node.post(Work.of(Opcode.ATOMIC_FETCH_AND_ADD).remote(0, 1).local(node.place(GUARD, 8)));
        node.post(Work.of(Opcode.RDMA_WRITE).remote(0, 1).local(node.place(GUARD, 20)));
    }

    /** Half of the packets are made to look as if they belonged to the connection. */
    private void deliver(Node node, Mutator mutator, int rkey) {
        MemorySegment at = node.packetMemory.asSlice(PacketView.MAX_BYTES);
        int length = Math.min(mutator.length(), PacketView.MAX_BYTES);
        MemorySegment.copy(mutator.bytes(), 0, at, ValueLayout.JAVA_BYTE, 0, length);
        if (random.nextBoolean() && length >= 44) {
            boolean request = random.nextBoolean();
            int psn = request ? node.connection.receivePsn() : Psn.add(0xA000, random.nextInt(20));
            at.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN), 8, psn);
            if (random.nextBoolean()) {
                at.set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN), 12,
                        random.nextInt(9000) - 100);
                at.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN), 20, rkey);
            }
        }
        Verdict verdict = node.view.wrap(at.address(), length);
        if (verdict == Verdict.ACCEPTED) {
            verdict = node.connection.onPacket(node.view, 0);
        }
        verdicts.merge(verdict, 1, Integer::sum);
    }

    private static void drain(Node node, long now) {
        node.connection.onWork(now);
        node.writer.wrap(node.packetMemory.address(), PacketView.MAX_BYTES);
        int sent = 0;
        while (node.connection.nextPacket(node.writer, now)) {
            sent++;
            assertTrue(sent < 100_000, "answers without end");
        }
    }
}
