package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the system's sockets add: runs of packets as one message, counters of the kernel, no allocation. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the sockets are Linux's")
class UdpLinkTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int[] LENGTHS = {
        1040, 1040, 1040, 20, 20, 24, 16, 1040, 1040, 1044, Packets.MAX_BYTES, 12, 12
    };
    /** Places in runs: a shorter packet ends a run, a longer one or another address begins one. */
    private static final int[] PLACES = {0, 1, 2, 3, 0, 0, 1, 0, 1, 0, 0, 1, 0};

    private UdpLink a;
    private UdpLink b;
    private PacketPath toB;
    private final Packets received = new Packets();

    @BeforeEach
    void open() {
        a = UdpLink.open(LoopbackAddresses.next());
        b = UdpLink.open(LoopbackAddresses.next());
        toB = a.pathTo(b.gid());
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @Test
    void runsOfOneLengthAreCutWhereTheyWereJoined() {
        for (int i = 0; i < LENGTHS.length; i++) {
            Packets.send(a, toB, LENGTHS[i], i);
        }
        a.flush();
        received.await(b, LENGTHS.length);
        for (int i = 0; i < LENGTHS.length; i++) {
            assertEquals(0, received.list.getFirst().difference(b.gid(), PLACES[i]), "place of packet " + i);
            received.expect(b, a.gid(), LENGTHS[i], i);
        }
        assertEquals(LENGTHS.length, a.counters().get(LinkCounter.PACKETS_SENT));
        assertEquals(LENGTHS.length, b.counters().get(LinkCounter.PACKETS_RECEIVED));
        assertEquals(1, a.counters().get(LinkCounter.SEND_CALLS));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void runsReachReceiversThatJoinNothing(boolean joining) {
        try (UdpLink from = UdpLink.open(LoopbackAddresses.next(), joining);
                UdpLink to = UdpLink.open(LoopbackAddresses.next(), !joining)) {
            PacketPath path = from.pathTo(to.gid());
            for (int i = 0; i < LENGTHS.length; i++) {
                Packets.send(from, path, LENGTHS[i], i);
            }
            from.flush();
            received.await(to, LENGTHS.length);
            for (int i = 0; i < LENGTHS.length; i++) {
                assertEquals(0, received.list.getFirst().difference(to.gid(), joining ? PLACES[i] : 0));
                received.expect(to, from.gid(), LENGTHS[i], i);
            }
        }
    }

    @Test
    void aLimitIsKeptInTheMiddleOfAMessage() {
        for (int i = 0; i < 2 * Outbox.PACKETS; i++) {
            Packets.send(a, toB, 100, i);
        }
        a.flush();
        for (int i = 0; i < 2 * Outbox.PACKETS; i++) {
            if (received.list.isEmpty()) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                int limit = 1 + i % 7;
                int came = 0;
                while (came == 0 && System.nanoTime() < end) {
                    came = b.receive(received, limit);
                }
                assertTrue(came > 0 && came <= limit, came + " packets came where " + limit + " were asked for");
            }
            received.expect(b, a.gid(), 100, i);
        }
        assertFalse(b.hasMore());
        assertEquals(0, b.receive(received, 8));
        assertEquals(2 * Outbox.PACKETS, b.counters().get(LinkCounter.PACKETS_RECEIVED));
    }

    @Test
    void aReceiverThatFailsLosesOnePacket() {
        for (int i = 0; i < 3; i++) {
            Packets.send(a, toB, 100, i);
        }
        a.flush();
        assertThrows(IllegalStateException.class, () -> {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (System.nanoTime() < end) {
                b.receive((address, bytes, high, low, port) -> {
                    throw new IllegalStateException("a receiver that fails");
                }, 8);
            }
        });
        received.await(b, 2);
        received.expect(b, a.gid(), 100, 1);
        received.expect(b, a.gid(), 100, 2);
    }

    @Test
    void marksArriveWithTheirPackets() {
        marksArrive(a, b);
    }

    @Test
    void marksArriveOverIpv6() {
        try (UdpLink self = (UdpLink) LoopbackAddresses.openIpv6(SocketKind.NATIVE)) {
            marksArrive(self, self);
        }
    }

    private static void marksArrive(UdpLink from, UdpLink to) {
        to.watchMarks();
        List<Marks> wanted = List.of(Marks.USUAL, new Marks(0xB8, 17), new Marks(0x20, 0), new Marks(0, 3));
        List<Integer> seen = new ArrayList<>();
        List<Integer> sent = new ArrayList<>();
        for (Marks marks : wanted) {
            PacketPath path = from.pathTo(to.gid(), marks);
            for (int i = 0; i < 3; i++) {
                Packets.send(from, path, i == 2 ? 60 : 100, i); // a run, whose last packet is shorter
                sent.add(marks.trafficClass() << 8 | (marks.hopLimit() == 0 ? 64 : marks.hopLimit()));
                if (i == 2) {
                    Packets.send(from, from.pathTo(to.gid(), marks), 100, i); // one alone
                    sent.add(sent.getLast());
                }
            }
        }
        from.flush();
        assertEquals(1, from.counters().get(LinkCounter.SEND_CALLS));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (seen.size() < sent.size() && System.nanoTime() < end) {
            to.receive((address, bytes, high, low, port) -> seen.add(to.marks()), 5);
        }
        assertEquals(sent, seen);
        assertEquals(0, from.counters().get(LinkCounter.SEND_ERRORS));
    }

    @Test
    void damageOfAPacketInARunIsSeen() {
        for (int i = 0; i < 3; i++) {
            Packets.send(a, toB, 100, i);
            if (i == 1) {
                a.damageLast(4 * 8 + 3); // The byte that the CRC does not cover: the next one is taken.
            }
        }
        a.flush();
        received.await(b, 3);
        received.expect(b, a.gid(), 100, 0);
        assertTrue(!received.list.remove().isWhole(b.gid()), "the damaged one has a right CRC");
        received.expect(b, a.gid(), 100, 2);
    }

    @Test
    void whatComesIsNotMoreThanAboutTheLimit() {
        for (int i = 0; i < 40; i++) {
            Packets.send(a, toB, i % 2 == 0 ? 104 : 200, i);
        }
        a.flush();
        assertEquals(1, b.receive(received, 1));
        int more = b.receive(received, 10);
        assertTrue(more >= 10 && more <= 20, more + " packets");
        received.await(b, 40);
        assertEquals(40, received.list.size());
    }

    @Test
    void receiversAnswerFromWithin() {
        AtomicInteger answers = new AtomicInteger();
        PacketPath toA = b.pathTo(a.gid());
        for (int i = 0; i < 10; i++) {
            Packets.send(a, toB, 100, i);
        }
        a.flush();
        while (answers.get() < 10) {
            b.receive((address, bytes, high, low, port) -> Packets.send(b, toA, 12, answers.getAndIncrement()), 64);
        }
        b.flush();
        received.await(a, 10);
        for (int i = 0; i < 10; i++) {
            received.expect(a, b.gid(), 12, i);
        }
    }

    @Test
    void thePathMtuIsThatOfTheInterface() {
        assertEquals(PacketView.MAX_PAYLOAD, a.mtuBytes());
        assertEquals(4096, Interfaces.mtuBytes(9000, "x"));
        assertEquals(4096, Interfaces.mtuBytes(4176, "x"));
        assertEquals(2048, Interfaces.mtuBytes(4175, "x"));
        assertEquals(1024, Interfaces.mtuBytes(1500, "x"));
        assertEquals(256, Interfaces.mtuBytes(336, "x"));
        assertEquals(Errno.EOPNOTSUPP,
                assertThrows(VerbsException.class, () -> Interfaces.mtuBytes(335, "x")).errno());
    }

    @Test
    void packetsOfSeveralPeersMix() {
        try (UdpLink c = UdpLink.open(LoopbackAddresses.next())) {
            PacketPath toC = a.pathTo(c.gid());
            Gid from = a.gid();
            Packets others = new Packets();
            for (int i = 0; i < 30; i++) {
                Packets.send(a, i % 3 == 0 ? toC : toB, 100, i);
            }
            a.flush();
            others.await(c, 10);
            received.await(b, 20);
            for (int i = 0; i < 30; i++) {
                if (i % 3 == 0) {
                    others.expect(c, from, 100, i);
                } else {
                    received.expect(b, from, 100, i);
                }
            }
        }
    }

    @Test
    void whatTheSystemDroppedIsCounted() {
        try (UdpLink from = UdpLink.open(LoopbackAddresses.next(), false)) {
            PacketPath path = from.pathTo(b.gid());
            int sent = b.receiveBufferBytes() / 1000;
            for (int i = 0; i < sent; i++) {
                Packets.send(from, path, 2000, i);
            }
            from.flush();
            while (b.receive(received, 1000) > 0) {
                assertTrue(received.list.size() < sent, "nothing was dropped");
            }
            Packets.send(from, path, 2000, sent);
            from.flush();
            int before = received.list.size();
            received.await(b, before + 1);
            assertEquals(sent + 1, received.list.size() + b.counters().get(LinkCounter.KERNEL_DROPS));
        }
    }

    @Test
    void packetsAllocateNothing() {
        int[] came = new int[1];
        PacketReceiver counting = (address, bytes, high, low, port) -> came[0]++;
        PacketPath toA = b.pathTo(a.gid());
        Runnable step = () -> {
            came[0] = 0;
            for (int i = 0; i < 20; i++) {
                a.room();
                a.send(toB, i < 10 ? 1040 : 12 + i * 4);
            }
            a.flush();
            while (came[0] < 20) {
                b.receive(counting, 64);
            }
            b.room();
            b.send(toA, 12);
            b.flush();
            a.await(1_000_000_000);
            while (came[0] < 21) {
                a.receive(counting, 64);
            }
            b.wake();
            b.await(1_000_000_000);
        };
        long least = Long.MAX_VALUE;
        // On a busy machine it takes a while until everything is compiled.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (least > 4096 && System.nanoTime() - end < 0) {
            for (int i = 0; i < 5_000; i++) {
                step.run();
            }
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 2_000; i++) {
                step.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least <= 4096, least + " bytes for 42,000 packets");
    }
}
