package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every link over sockets does. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "other systems have one loopback address, and need two")
class PacketLinkTest {
    private static final long DEADLINE_NANOS = 20_000_000_000L;

    private final Packets received = new Packets();

    /** Two links. */
    private static final class Two implements AutoCloseable {
        final CountedLink a;
        final CountedLink b;
        final PacketPath toB;

        Two(SocketKind kind) {
            a = PacketLinks.open(LoopbackAddresses.next(), kind, Faults.NONE);
            b = PacketLinks.open(LoopbackAddresses.next(), kind, Faults.NONE);
            toB = a.pathTo(b.gid());
        }

        @Override
        public void close() {
            a.close();
            b.close();
        }
    }

    private void everyLength(CountedLink from, PacketPath path, CountedLink to) {
        for (int bytes = Packets.MIN_BYTES; bytes <= Packets.MAX_BYTES; bytes += 4) {
            Packets.send(from, path, bytes, bytes);
            from.flush();
            received.await(to, 1);
            received.expect(to, from.gid(), bytes, bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyLengthArrives(SocketKind kind) {
        try (Two two = new Two(kind)) {
            everyLength(two.a, two.toB, two.b);
            assertEquals(two.b.gid(), two.toB.peer());
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyLengthArrivesOverIpv6(SocketKind kind) {
        try (CountedLink link = LoopbackAddresses.openIpv6(kind)) {
            everyLength(link, link.pathTo(link.gid()), link);
        }
    }

    @ParameterizedTest
    @EnumSource
    void batchesArriveInOrder(SocketKind kind) {
        try (Two two = new Two(kind)) {
            batches(two.a, two.toB, two.b);
        }
        try (CountedLink link = LoopbackAddresses.openIpv6(kind)) {
            batches(link, link.pathTo(link.gid()), link);
        }
    }

    private void batches(CountedLink from, PacketPath path, CountedLink to) {
        int number = 0;
        long bytesBefore = from.counters().get(LinkCounter.BYTES_SENT);
        long bytesSent = 0;
        for (int count : new int[] {1, 2, 63, 64, 65, 200}) {
            for (int bytes : new int[] {12, 268, 1040, Packets.MAX_BYTES}) {
                int first = number;
                for (int i = 0; i < count; i++) {
                    Packets.send(from, path, bytes, number++);
                }
                from.flush();
                received.await(to, count);
                for (int i = 0; i < count; i++) {
                    received.expect(to, from.gid(), bytes, first + i);
                }
                bytesSent += count * (bytes + 4L);
            }
        }
        assertEquals(0, from.counters().get(LinkCounter.SEND_ERRORS));
        assertEquals(number, from.counters().get(LinkCounter.PACKETS_SENT));
        assertEquals(number, to.counters().get(LinkCounter.PACKETS_RECEIVED));
        assertEquals(bytesSent, from.counters().get(LinkCounter.BYTES_SENT) - bytesBefore);
        assertEquals(bytesSent, to.counters().get(LinkCounter.BYTES_RECEIVED));
        assertTrue(from.receiveBufferBytes() > 0);
    }

    @ParameterizedTest
    @EnumSource
    void strangersSizesAreDroppedAndCounted(SocketKind kind) throws IOException {
        try (Two two = new Two(kind);
                DatagramSocket stranger = new DatagramSocket(0, LoopbackAddresses.next().toInetAddress())) {
            InetAddress to = two.b.gid().toInetAddress();
            for (int bytes : new int[] {0, 1, 15, 4133, 4192, 4193, 5000, 65_507, 20}) {
                stranger.send(new DatagramPacket(new byte[bytes], bytes, to, 4791));
            }
            received.await(two.b, 1);
            assertEquals(20, received.list.getFirst().bytes().length);
            assertEquals(Gid.of(stranger.getLocalAddress()), received.list.getFirst().source());
            assertEquals(stranger.getLocalPort(), received.list.getFirst().port());
            assertEquals(3, two.b.counters().get(LinkCounter.RECEIVED_TOO_SHORT));
            assertEquals(5, two.b.counters().get(LinkCounter.RECEIVED_TOO_LONG));
            assertEquals(1, two.b.counters().get(LinkCounter.PACKETS_RECEIVED));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowOfRuntsHoldsNobodyUp(SocketKind kind) throws IOException {
        try (Two two = new Two(kind);
                DatagramSocket stranger = new DatagramSocket(0, LoopbackAddresses.next().toInetAddress())) {
            InetAddress to = two.b.gid().toInetAddress();
            for (int i = 0; i < 100; i++) {
                stranger.send(new DatagramPacket(new byte[8], 8, to, 4791));
            }
            assertEquals(0, two.b.receive(received, 10));
            assertEquals(10, two.b.counters().get(LinkCounter.RECEIVED_TOO_SHORT));
        }
    }

    @ParameterizedTest
    @EnumSource
    void addressesWithoutListenerDisturbNobody(SocketKind kind) {
        try (Two two = new Two(kind)) {
            PacketPath nowhere = two.a.pathTo(LoopbackAddresses.next());
            for (int i = 0; i < 20; i++) {
                Packets.send(two.a, nowhere, 100, -1);
                Packets.send(two.a, two.toB, 100, i);
                two.a.flush();
                two.a.receive(received, 10);
            }
            received.await(two.b, 20);
            for (int i = 0; i < 20; i++) {
                received.expect(two.b, two.a.gid(), 100, i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWakeUpBeforeTheWaitEndsIt(SocketKind kind) {
        try (Two two = new Two(kind)) {
            for (int i = 0; i < 100; i++) {
                two.a.wake();
                long start = System.nanoTime();
                two.a.await(DEADLINE_NANOS);
                assertTrue(System.nanoTime() - start < DEADLINE_NANOS, "the wake-up was lost");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void noWakeUpIsLost(SocketKind kind) {
        try (Two two = new Two(kind)) {
            AtomicInteger said = new AtomicInteger();
            AtomicInteger seen = new AtomicInteger();
            int rounds = 20_000;
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                while (seen.get() < rounds) {
                    if (said.get() == seen.get()) {
                        two.b.await(4 * DEADLINE_NANOS);
                    }
                    seen.set(said.get());
                }
            });
            long end = System.nanoTime() + DEADLINE_NANOS;
            for (int i = 1; i <= rounds; i++) {
                said.set(i);
                two.b.wake();
                if ((i & 3) != 0) {
                    spin(seen, i, end);
                }
            }
            spin(seen, rounds, end);
            waiting.join();
        }
    }

    private static void spin(AtomicInteger seen, int value, long end) {
        while (seen.get() < value) {
            assertTrue(System.nanoTime() < end, "stopped at " + seen.get() + ", " + value + " was said");
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPacketEndsTheWait(SocketKind kind) {
        try (Two two = new Two(kind)) {
            AtomicInteger seen = new AtomicInteger();
            int rounds = 3_000;
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                while (seen.get() < rounds) {
                    two.b.await(4 * DEADLINE_NANOS);
                    seen.addAndGet(two.b.receive(received, 10));
                }
            });
            long end = System.nanoTime() + DEADLINE_NANOS;
            for (int i = 1; i <= rounds; i++) {
                Packets.send(two.a, two.toB, 100, i);
                two.a.flush();
                spin(seen, i, end);
            }
            waiting.join();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWaitEndsInTimeAndWithTheLink(SocketKind kind) {
        try (Two two = new Two(kind)) {
            long start = System.nanoTime();
            two.b.await(20_000_000);
            long took = System.nanoTime() - start;
            assertTrue(took >= 15_000_000 && took < DEADLINE_NANOS, took + " ns");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> two.a.await(4 * DEADLINE_NANOS));
            assertNotEquals(0, two.a.room());
            two.a.close();
            waiting.join();
            two.a.await(DEADLINE_NANOS);
            two.a.wake();
        }
    }

    @ParameterizedTest
    @EnumSource
    void addressesOfAnotherFamilyAreRefused(SocketKind kind) {
        try (Two two = new Two(kind)) {
            VerbsException failure = assertThrows(VerbsException.class, () -> two.a.pathTo(new Gid(0, 1)));
            assertEquals(Errno.EINVAL, failure.errno());
            assertTrue(failure.getMessage().contains("IPv4"), failure.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAddressIsFreeAfterItsLink(SocketKind kind) {
        Gid gid = LoopbackAddresses.next();
        for (int i = 0; i < 20; i++) {
            PacketLinks.open(gid, kind, Faults.NONE).close();
        }
    }
}
