package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.link.CountedLink;
import io.verbena.nic.link.Faults;
import io.verbena.nic.link.LinkCounters;
import io.verbena.nic.link.LinkDecorator;
import io.verbena.nic.link.PacketLinks;
import io.verbena.nic.link.PacketPath;
import io.verbena.nic.link.PacketReceiver;
import io.verbena.nic.link.SocketKind;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a NIC does when its link or one of its queue pairs fails. */
class WireFaultsTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String HOSTS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250);
    private static final String A = HOSTS + ".94";
    private static final String B = HOSTS + ".95";
    /** Connections: more than twice the packets that a turn takes. */
    private static final int MANY = 300;
    /** As the timeout of a queue pair. */
    private static final int HALF_A_SECOND = 17;
    private static final int QPN_AT = 4;
    private static final int QPN_MASK = 0xFF_FFFF;

    @TempDir
    private Path directory;

    private TrickyLink link;
    private Context first;
    private TwoEnds ends;
    private TwoEnds others;

    /** A link that fails when it is told to. */
    private static final class TrickyLink extends LinkDecorator<CountedLink> {
        volatile boolean full;
        /** The queue pair whose packets can't be sent. */
        volatile int victim;
        volatile int failingReceives;
        volatile boolean mute;
        final AtomicLong longestWait = new AtomicLong();
        /** After so many packets are sent nobody looks for any, and whoever does is held; 0 for never. */
        volatile int heldAfter;
        volatile int sent;
        private long room;

        TrickyLink(CountedLink link) {
            super(link);
        }

        @Override
        public long room() {
            room = full ? 0 : super.room();
            return room;
        }

        @Override
        public boolean isRefused() {
            return full || super.isRefused();
        }

        @Override
        public void send(PacketPath path, int bytes) {
            if (victim != 0 && (UnsafeApi.getIntUnaligned(null, room + QPN_AT, true) & QPN_MASK) == victim) {
                throw new IllegalStateException("a fault of a test");
            }
            super.send(path, bytes);
            sent = sent + 1;
        }

        @Override
        public int receive(PacketReceiver receiver, int limit) {
            if (failingReceives > 0) {
                failingReceives--;
                throw new IllegalStateException("another fault of a test");
            }
            if (heldAfter > sent) {
                return 0;
            }
            while (heldAfter != 0) {
                Thread.onSpinWait(); // as one that has lost its processor
            }
            return super.receive(receiver, limit);
        }

        @Override
        public LinkCounters counters() {
            if (mute) {
                throw new IllegalStateException("a link without counters");
            }
            return super.counters();
        }

        @Override
        public void await(long nanos) {
            longestWait.accumulateAndGet(nanos, Math::max);
            super.await(nanos);
        }
    }

    private String device(String name, String address) {
        return name + "?link=udp&bind=" + address + "&countersDir=" + directory;
    }

    private TrickyLink openLink() {
        try {
            link = new TrickyLink(
                    PacketLinks.open(Gid.of(InetAddress.getByName(A)), SocketKind.AUTO, Faults.NONE));
            return link;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Setup open() {
        String a = device("soft12", A);
        first = Nics.open(new SoftDevice("soft12"), NicConfig.of(DeviceSpec.parse(a)), this::openLink);
        Setup setup = Setup.of(Threading.SAFE, 16).withDevices(a, device("soft13", B));
        ends = new TwoEnds(setup);
        others = new TwoEnds(setup);
        return setup;
    }

    @AfterEach
    void close() {
        if (others != null) {
            others.close();
        }
        if (ends != null) {
            ends.close();
        }
        if (first != null) {
            first.close();
        }
    }

    @Test
    void whileTheSystemTakesNothingTheThreadSleeps() {
        open();
        link.full = true;
        ends.a.set(0, 47);
        End.ok(ends.a.write(1, 0, 8, ends.b));
        link.longestWait.set(0);
        Crew.await("sleep", () -> link.longestWait.get() >= TimeUnit.MILLISECONDS.toNanos(500));
        assertEquals(0, ends.b.get(0));
        link.full = false;
        link.wake(); // as the system does once it takes packets again
        Crew.await("the bytes, with nobody who polls", () -> ends.b.get(0) == 47);
        End.expect(ends.a.sendCq, 1);
    }

    @Test
    void aFaultCostsOneQueuePairAndNobodyElse() {
        open();
        link.victim = ends.b.qp.qpNum();
        End.ok(ends.a.write(1, 0, 8, ends.b));
        End.ok(others.a.write(2, 0, 8, others.b));
        End.expect(others.a.sendCq, 2);
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(ends.a.sendCq).status());
        assertEquals(QueuePairState.ERR, ends.a.qp.state());
        AsyncEvent event = ends.a.context.getAsyncEvent(TimeUnit.SECONDS.toNanos(20));
        assertEquals(AsyncEvent.QueuePairEvent.Kind.QP_FATAL,
                assertInstanceOf(AsyncEvent.QueuePairEvent.class, event).kind());
        ends.a.context.acknowledge(event);
        link.victim = 0;
        ends.reconnect();
        End.ok(ends.a.write(3, 0, 8, ends.b));
        End.expect(ends.a.sendCq, 3);
    }

    @Test
    void aLinkThatFailsNowAndThenReachesNoCaller() {
        open();
        for (int round = 0; round < 20; round++) {
            link.failingReceives = 2;
            End.ok(ends.a.write(round, 0, 8, ends.b));
            End.ok(others.a.write(round, 0, 8, others.b));
            End.expect(ends.a.sendCq, round);
            End.expect(others.a.sendCq, round);
        }
    }

    @Test
    void noAnswerThatIsThereIsMissed() {
        Setup setup = open();
        List<TwoEnds> many = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                TwoEnds two = new TwoEnds(setup);
                many.add(two);
                two.a.modify(QueuePairState.RESET);
                two.a.qp.modify(QueuePairAttributes.init(1, End.ALL));
                two.a.qp.modify(QueuePairAttributes.readyToReceive(two.b.address(0)).minRnrTimer(1));
                two.a.qp.modify(QueuePairAttributes.readyToSend(two.b.qp.query().rqPsn()).timeout(HALF_A_SECOND));
            }
            link.sent = 0;
            link.heldAfter = MANY;
            for (TwoEnds two : many) {
                End.ok(two.a.write(1, 0, 8, two.b));
            }
            NicCounters answering = ((SoftContext) ends.b.context).nic().counters();
            Crew.await("an answer to each", () -> answering.own(DeviceCounter.SENT_PKTS) >= MANY);
            long over = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(600);
            Crew.await("all deadlines", () -> System.nanoTime() - over > 0);
            link.heldAfter = 0;
            for (TwoEnds two : many) {
                End.expect(two.a.sendCq, 1);
            }
        } finally {
            link.heldAfter = 0;
            many.forEach(TwoEnds::close); // their counts are then the NIC's
        }
        assertEquals(0, ((SoftContext) ends.a.context).nic().counters().own(DeviceCounter.LOCAL_ACK_TIMEOUT_ERR));
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "counters"})
    void aNicThatCantBeOpenedLeavesNothing(String what) throws IOException {
        NicConfig config = NicConfig.of(DeviceSpec.parse(device("soft12", A)));
        assertThrows(IllegalStateException.class, () -> Nics.open(new SoftDevice("soft12"), config, () -> {
            if (what.equals("link")) {
                throw new IllegalStateException("no link");
            }
            openLink().mute = true;
            return link;
        }));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(0, files.count(), "no counter file is left");
        }
        open(); // the address is free
        End.ok(ends.a.write(1, 0, 8, ends.b));
        End.expect(ends.a.sendCq, 1);
    }
}
