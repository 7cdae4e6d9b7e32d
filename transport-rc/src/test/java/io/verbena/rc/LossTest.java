package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Syndrome;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.WcStatus;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A wire that loses, doubles and turns round packets: everything is done once all the same. */
class LossTest {
    private static final int LENGTH = 10 * 256;

    /** Runs some work over a wire, and checks what it must have done. */
    private static int run(Predicate<Packet> lost, Predicate<Packet> doubled, Consumer<Pair> extra) {
        try (var pair = new Pair()) {
            pair.lost = lost;
            pair.doubled = doubled;
            pair.connect();
            Node a = pair.a;
            Node b = pair.b;
            a.fill(0, LENGTH, 1);
            b.fill(100_000, LENGTH, 2);
            b.writeLong(200_000, 5);
            b.postReceive(b.place(300_000, LENGTH));
            a.send(0, LENGTH);
            a.write(b, 0, 400_000, LENGTH);
            a.read(b, 100_000, 500_000, LENGTH);
            a.fetchAdd(b, 200_000, 1, 600_000);
            a.write(b, 0, 410_000, 10);
            pair.run();
            String trace = pair.wire.toString();
            assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS,
                    WcStatus.SUCCESS), a.sentStatuses(), trace);
            assertEquals(List.of(0L, 1L, 2L, 3L, 4L), a.sent.stream().map(Node.Sent::sequence).toList());
            assertEquals(List.of(WcStatus.SUCCESS), b.receivedStatuses(), trace);
            assertArrayEquals(a.read(0, LENGTH), b.read(300_000, LENGTH), trace);
            assertArrayEquals(a.read(0, LENGTH), b.read(400_000, LENGTH), trace);
            assertArrayEquals(b.read(100_000, LENGTH), a.read(500_000, LENGTH), trace);
            assertEquals(6, b.readLong(200_000), trace);
            assertEquals(5, a.readLong(600_000), trace);
            extra.accept(pair);
            return pair.wire.size();
        }
    }

    @Test
    void anySinglePacketMayBeLost() {
        int packets = run(p -> false, p -> false, pair -> {});
        for (int i = 0; i < packets; i++) {
            int number = i;
            var seen = new int[1];
            run(p -> seen[0]++ == number, p -> false, pair -> {});
        }
    }

    @Test
    void anyTwoPacketsMayBeLost() {
        int packets = run(p -> false, p -> false, pair -> {});
        for (int i = 0; i < packets; i++) {
            for (int j = i + 1; j < packets + 3; j++) {
                int first = i;
                int second = j;
                var seen = new int[1];
                run(p -> {
                    int at = seen[0]++;
                    return at == first || at == second;
                }, p -> false, pair -> {});
            }
        }
    }

    @Test
    void everyPacketMayComeTwice() {
        run(p -> false, p -> true, pair -> {});
    }

    @Test
    void anAtomicWhoseAnswerWasLostIsAnsweredFromMemory() {
        var once = new HashSet<PacketType>();
        run(p -> p.type() == PacketType.RC_ATOMIC_ACKNOWLEDGE && once.add(p.type()), p -> false, pair ->
                assertEquals(2, pair.sent(p -> p.type() == PacketType.RC_ATOMIC_ACKNOWLEDGE).size()));
    }

    @Test
    void aReadWhoseAnswersWereLostHalfwayAsksForTheRestOnly() {
        var middle = new int[1];
        run(p -> p.type() == PacketType.RC_READ_RESPONSE_MIDDLE && ++middle[0] == 3, p -> false, pair -> {
            var requests = pair.sent(p -> p.type() == PacketType.RC_READ_REQUEST);
            assertEquals(2, requests.size());
            assertEquals(3, requests.get(1).psn() - requests.get(0).psn() & 0xFFFFFF);
            assertEquals(LENGTH - 3 * 256, java.nio.ByteBuffer.wrap(requests.get(1).bytes()).getInt(24));
            assertEquals(Node.IOVA + 100_000 + 3 * 256, java.nio.ByteBuffer.wrap(requests.get(1).bytes()).getLong(12));
        });
    }

    @Test
    void aReadAskedForAgainWhileItIsAnsweredIsAnsweredFromThere() {
        try (var pair = new Pair()) {
            pair.connect();
            pair.b.fill(0, 1000, 1);
            pair.a.read(pair.b, 0, 2000, 1000);
            PacketWriter request = wrap(pair.a);
            assertTrue(pair.a.connection.nextPacket(request, pair.now));
            byte[] whole = bytes(pair.a, request);
            pair.deliver(new Packet(0, pair.b, whole));
            for (int i = 0; i < 3; i++) {
                assertTrue(pair.b.connection.nextPacket(wrap(pair.b), pair.now));
            }
            // The requester missed the second answer.
            request.wrap(pair.a.packetMemory.address(), PacketView.MAX_BYTES);
            request.begin(PacketType.RC_READ_REQUEST, 0x22, pair.psnA + 1);
            request.reth(Node.IOVA + 256, pair.b.rkey, 1000 - 256);
            request.finish(0);
            assertEquals(Verdict.DUPLICATE, pair.deliver(new Packet(0, pair.b, bytes(pair.a, request))));
            assertTrue(pair.b.connection.nextPacket(wrap(pair.b), pair.now));
            assertEquals(PacketType.RC_READ_RESPONSE_FIRST, pair.b.writer.type());
            assertEquals(pair.psnA + 1 & 0xFFFFFF, new Packet(0, pair.a, bytes(pair.b, pair.b.writer)).psn());
        }
    }

    private static PacketWriter wrap(Node node) {
        return node.writer.wrap(node.packetMemory.address(), PacketView.MAX_BYTES);
    }

    private static byte[] bytes(Node node, PacketWriter writer) {
        return node.packetMemory.asSlice(0, writer.length() + 4L).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    }

    @Test
    void anAcknowledgementOfALaterWriteNeverEndsAReadWithoutItsData() {
        try (var pair = new Pair()) {
            var lost = new int[1];
            pair.lost = p -> p.type() == PacketType.RC_READ_RESPONSE_ONLY && lost[0]++ == 0;
            pair.connect();
            pair.b.fill(0, 100, 7);
            pair.a.write(pair.b, 0, 1000, 10);
            pair.a.read(pair.b, 0, 2000, 100);
            pair.a.write(pair.b, 0, 3000, 10);
            pair.settle();
            assertEquals(2, pair.sent(p -> p.type() == PacketType.RC_READ_REQUEST).size(), "without waiting");
            assertArrayEquals(pair.b.read(0, 100), pair.a.read(2000, 100));
            assertEquals(3, pair.a.sent.size());
        }
    }

    @Test
    void aGapIsReportedOnce() {
        try (var pair = new Pair()) {
            pair.connect();
            var first = new int[1];
            pair.lost = p -> p.to() == pair.b && first[0]++ == 0;
            pair.a.write(pair.b, 0, 1000, 20 * 256);
            pair.settle();
            var naks = pair.sent(p -> p.type() == PacketType.RC_ACKNOWLEDGE && p.syndrome() == Syndrome.NAK_SEQUENCE);
            assertEquals(1, naks.size());
            assertEquals(pair.psnA, naks.getFirst().psn());
            assertEquals(40, pair.sent(p -> p.to() == pair.b).size(), "everything went once more, and no more");
            assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
        }
    }

    /** As Linux's rxe needs it, which goes back for one NAK only until it is acknowledged something. */
    @Test
    void betweenTwoReportsOfGapsSomethingIsAcknowledged() {
        try (var pair = new Pair()) {
            pair.connect();
            var sent = new int[1];
            pair.lost = p -> p.to() == pair.b && (sent[0]++ == 4 || sent[0] == 20 + 3);
            pair.a.write(pair.b, 0, 1000, 20 * 256);
            pair.settle();
            var said = pair.sent(p -> p.to() == pair.a).stream()
                    .map(p -> (p.syndrome() == Syndrome.NAK_SEQUENCE ? "NAK " : "ACK ")
                            + (p.psn() - pair.psnA & 0xFFFFFF))
                    .toList();
            assertEquals(List.of("NAK 4", "ACK 5", "NAK 6", "ACK 19"), said);
            assertEquals(List.of(WcStatus.SUCCESS), pair.a.sentStatuses());
        }
    }

    /** An acknowledgement of a READ would stand for its data. */
    @Test
    void noAnswerIsAcknowledgedBeforeAGapIsReported() {
        try (var pair = new Pair()) {
            pair.connect();
            var requests = new int[1];
            pair.lost = p -> p.to() == pair.b && (++requests[0] == 1 || requests[0] == 5);
            pair.a.read(pair.b, 1000, 2000, 10);
            pair.a.write(pair.b, 0, 3000, 10);
            pair.a.write(pair.b, 0, 4000, 10);
            pair.settle();
            assertEquals(2, pair.sent(p -> p.type() == PacketType.RC_ACKNOWLEDGE
                    && p.syndrome() == Syndrome.NAK_SEQUENCE).size());
            assertEquals(List.of(), pair.sent(p -> p.type() == PacketType.RC_ACKNOWLEDGE
                    && p.syndrome() != Syndrome.NAK_SEQUENCE && p.psn() == pair.psnA));
            assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS), pair.a.sentStatuses());
        }
    }

    @Test
    void strayAcknowledgementsChangeNothing() {
        try (var pair = new Pair()) {
            pair.connect();
            pair.a.write(pair.b, 0, 1000, 10);
            pair.settle();
            Packet ack = pair.sent(p -> p.to() == pair.a).getFirst();
            for (int distance : new int[] {0, 1, -1, 1000, -1000, 0x7FFFFF, 0x800000}) {
                byte[] bytes = ack.bytes().clone();
                int psn = pair.psnA + 1 + distance & 0xFFFFFF;
                bytes[9] = (byte) (psn >> 16);
                bytes[10] = (byte) (psn >> 8);
                bytes[11] = (byte) psn;
                for (int syndrome : new int[] {0x1F, 0x2C, 0x60, 0x61, 0x62, 0x63, 0x64, 0x40}) {
                    bytes[12] = (byte) syndrome;
                    assertEquals(Verdict.STALE, pair.deliver(new Packet(0, pair.a, bytes)));
                }
            }
            assertEquals(1, pair.a.sent.size());
            pair.a.write(pair.b, 0, 1000, 10);
            pair.settle();
            assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), pair.a.sentStatuses());
        }
    }

    @Test
    void packetsFarBehindOrAheadAreDuplicatesOrGaps() {
        try (var pair = new Pair()) {
            pair.connect();
            pair.a.write(pair.b, 0, 1000, 10);
            pair.settle();
            Packet write = pair.wire.getFirst();
            assertEquals(Verdict.DUPLICATE, pair.deliver(write));
            pair.settle();
            assertEquals(2, pair.sent(p -> p.to() == pair.a).size(), "acknowledged again");
            byte[] bytes = write.bytes().clone();
            bytes[9] ^= (byte) 0x80;
            assertEquals(Verdict.OUT_OF_SEQUENCE, pair.deliver(new Packet(0, pair.b, bytes)));
            assertTrue(pair.b.events.isEmpty());
        }
    }
}
