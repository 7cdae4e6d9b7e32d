package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.direct.Progress;
import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two NICs that reach each other by packets only. */
class WireTest {
    private static final long PID = ProcessHandle.current().pid();
    /** Addresses of this process, since others on this host may run the same test. */
    private static final String HOSTS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250);
    private static final String A = HOSTS + ".91";
    private static final String B = HOSTS + ".92";
    private static final int PORT = 4791;
    /** More than the local ACK timeout of both ends. */
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(150);

    @TempDir
    private Path directory;

    private TwoEnds ends;

    private void open(Setup setup, String settings) {
        ends = new TwoEnds(setup.withDevices(device("soft8", A, settings), device("soft9", B, settings)));
    }

    private void open(Threading threading) {
        open(Setup.of(threading, 16), "");
    }

    private String device(String name, String address, String settings) {
        return name + "?link=udp&bind=" + address + "&countersDir=" + directory + settings;
    }

    @AfterEach
    void close() {
        if (ends != null) {
            ends.close();
        }
    }

    private long count(String device, DeviceCounter counter) {
        try {
            for (Path file : CounterFiles.list(directory)) {
                if (file.getFileName().toString().startsWith(device + "-")) {
                    return CounterFiles.read(file).total(counter);
                }
            }
        } catch (IOException | CounterFileException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no counters of " + device);
    }

    private void awaitCount(String device, DeviceCounter counter, long least) {
        Crew.await(device + " " + counter, () -> count(device, counter) >= least);
    }

    @Test
    void theAddressIsTheGid() throws IOException {
        open(Threading.SAFE);
        assertEquals(Gid.of(InetAddress.getByName(A)), ends.a.context.queryGid(1, 0).gid());
    }

    @ParameterizedTest
    @CsvSource({"SAFE, ''", "SINGLE, ''", "SAFE, &progress=dedicated", "SAFE, &socket=portable",
            "SINGLE, '&faults=loss:0.05,dup:0.05,reorder:0.05,damage:0.02,seed:3'"})
    void bytesArriveWhileTheTargetDoesNothing(Threading threading, String settings) {
        open(Setup.of(threading, 16), settings);
        for (int round = 0; round < 50; round++) {
            ends.a.set(0, round);
            ends.a.set(20_000, ~round);
            End.ok(ends.a.write(round, 0, 20_008, ends.b));
            End.expect(ends.a.sendCq, round);
            assertEquals(round, ends.b.get(0));
            assertEquals(~round, ends.b.get(20_000));
            ends.b.set(30_000, round * 3L);
            End.ok(ends.a.qp.postRead(round, ends.a.at(30_000), 8, ends.a.region.lkey(), ends.b.at(30_000),
                    ends.b.region.rkey(), SendFlags.SIGNALED));
            End.expect(ends.a.sendCq, round);
            assertEquals(round * 3L, ends.a.get(30_000));
        }
        assertTrue(count("soft8", DeviceCounter.SENT_PKTS) >= 50 * 6, "packets went out");
        assertTrue(count("soft9", DeviceCounter.RCVD_PKTS) >= 50 * 6, "packets came in");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&progress=dedicated", "&wait=sleep"})
    void aSleepingReceiverIsWoken(String settings) {
        open(Setup.of(Threading.SAFE, 16).withEvents(), settings);
        for (int round = 0; round < 20; round++) {
            End.ok(ends.b.receive(round, 0, 64));
            assertEquals(0, ends.b.recvCq.arm(false));
            End.ok(ends.a.send(round, 0, 64));
            CompletionQueue queue = ends.b.channel.get(TimeUnit.SECONDS.toNanos(20));
            assertNotNull(queue, "no event in round " + round);
            queue.acknowledge(1);
            End.expect(ends.b.recvCq, round);
            End.expect(ends.a.sendCq, round);
        }
    }

    @Test
    void aConnectionThatWasResetIsAnotherOne() {
        open(Threading.SAFE);
        for (int round = 0; round < 20; round++) {
            End.ok(ends.b.receive(1, 0, 4096));
            End.ok(ends.a.send(2, 0, 4096));
            if (round % 2 == 0) {
                End.expect(ends.b.recvCq, 1);
                End.expect(ends.a.sendCq, 2);
            }
            ends.reconnect();
        }
        End.ok(ends.a.write(3, 0, 8, ends.b));
        End.expect(ends.a.sendCq, 3);
    }

    @Test
    void whatIsPostedToAPeerThatIsGoneEndsInTime() {
        open(Threading.SAFE);
        ends.b.modify(QueuePairState.RESET);
        End.ok(ends.a.write(1, 0, 64, ends.b));
        End.ok(ends.a.write(2, 0, 64, ends.b));
        assertEquals(WcStatus.RETRY_EXC_ERR, End.next(ends.a.sendCq).status());
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(ends.a.sendCq).status());
        assertEquals(QueuePairState.ERR, ends.a.qp.state());
        assertTrue(count("soft9", DeviceCounter.PKT_DROP_WRONG_STATE) > 0, "the drops are counted");
    }

    @Test
    void anAnswerThatWaitsInTheSocketIsNotMissed() throws InterruptedException {
        open(Threading.SAFE);
        for (int round = 0; round < 5; round++) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch answer = new CountDownLatch(1);
            long asked = count("soft8", DeviceCounter.SENT_PKTS) + 1;
            long answered = count("soft9", DeviceCounter.SENT_PKTS) + 1;
            long[] timeouts = new long[1];
            try (Crew crew = new Crew()) {
                crew.start("holds the peer", () -> progress(ends.b).exclusively(() -> {
                    held.countDown();
                    Crew.await("leave to answer", () -> answer.getCount() == 0);
                }));
                held.await();
                End.ok(ends.a.write(1, 0, 8, ends.b));
                awaitCount("soft8", DeviceCounter.SENT_PKTS, asked);
                progress(ends.a).exclusively(() -> {
                    // Some, if this thread was not scheduled for that long before it got here.
                    timeouts[0] = count("soft8", DeviceCounter.LOCAL_ACK_TIMEOUT_ERR);
                    answer.countDown();
                    awaitCount("soft9", DeviceCounter.SENT_PKTS, answered);
                    long since = System.nanoTime();
                    Crew.await("the timeout", () -> System.nanoTime() - since > TIMEOUT_NS);
                    End.ok(ends.a.write(2, 0, 8, ends.b));
                });
                End.expect(ends.a.sendCq, 1);
                assertEquals(timeouts[0], count("soft8", DeviceCounter.LOCAL_ACK_TIMEOUT_ERR));
                End.expect(ends.a.sendCq, 2);
                crew.join();
            }
        }
    }

    @Test
    void theThreadLeavesTheProcessorToWhoeverHoldsTheRole() {
        open(Threading.SAFE);
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("soft9-progress")).findFirst().orElseThrow();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] used = new long[2];
        progress(ends.b).exclusively(() -> {
            End.ok(ends.a.write(1, 0, 8, ends.b)); // a packet that wakes the thread, which can't take it
            awaitCount("soft8", DeviceCounter.SENT_PKTS, 1);
            long before = threads.getThreadCpuTime(thread.threadId());
            long since = System.nanoTime();
            Crew.await("some time", () -> System.nanoTime() - since > TIMEOUT_NS);
            used[0] = threads.getThreadCpuTime(thread.threadId()) - before;
            used[1] = System.nanoTime() - since; // longer, where this thread does not run all the time
        });
        End.expect(ends.a.sendCq, 1);
        assertTrue(used[0] < used[1] / 3, used[0] + " ns of " + used[1]);
    }

    private static Progress progress(End end) {
        return ((SoftContext) end.context).nic().progress();
    }

    @Test
    void aPeerThatNoPacketReachesIsRefused() {
        open(Threading.SAFE);
        Gid ipv6 = new Gid(0xFD00L << 48, 1);
        QueuePairEndpoint peer = new QueuePairEndpoint(ipv6, 17, 0);
        for (QueuePairType type : QueuePairType.values()) {
            try (QueuePair qp = ends.a.pd.createQueuePair(QueuePairConfig.rc(ends.a.sendCq,
                    QueuePairCapabilities.ofDepth(1)).withType(type))) {
                VerbsException refused = assertThrows(VerbsException.class, () -> reach(type, qp, peer));
                assertEquals(Errno.EINVAL, refused.errno());
                assertTrue(refused.getMessage().contains("IPv4 address (::ffff:a.b.c.d), since this device has " + A),
                        refused.getMessage());
                assertEquals(type == QueuePairType.UD ? QueuePairState.RESET : QueuePairState.INIT, qp.state());
            }
        }
    }

    private void reach(QueuePairType type, QueuePair qp, QueuePairEndpoint peer) {
        switch (type) {
            case RC -> {
                qp.modify(QueuePairAttributes.init(1, 0));
                qp.modify(QueuePairAttributes.readyToReceive(peer));
            }
            case UC -> {
                qp.modify(QueuePairAttributes.init(1, 0));
                qp.modify(QueuePairAttributes.readyToReceiveUc(peer));
            }
            case UD -> ends.a.pd.createAddressHandle(AddressVector.to(peer.gid())).close();
        }
    }

    @Test
    void packetsOfStrangersAreDroppedAndCounted() throws IOException {
        open(Threading.SAFE);
        try (DatagramChannel stranger = DatagramChannel.open()) {
            stranger.bind(new InetSocketAddress(HOSTS + ".93", PORT));
            InetSocketAddress to = new InetSocketAddress(B, PORT);
            HexFormat hex = HexFormat.of();
            String bth = "ffff00" + String.format("%06x", ends.b.qp.qpNum()) + "80000000";
            stranger.send(ByteBuffer.wrap(hex.parseHex("0440" + bth + "00000000")), to);
            awaitCount("soft9", DeviceCounter.PKT_DROP_FOREIGN_SOURCE, 1);
            stranger.send(ByteBuffer.wrap(hex.parseHex("3f40" + bth + "00000000")), to);
            awaitCount("soft9", DeviceCounter.PKT_DROP_UNKNOWN_OPCODE, 1);
            stranger.send(ByteBuffer.wrap(hex.parseHex("0440ffff00000001" + "80000000" + "00000000")), to);
            awaitCount("soft9", DeviceCounter.PKT_DROP_UNKNOWN_QPN, 1);
        }
        End.ok(ends.a.write(1, 0, 64, ends.b));
        End.expect(ends.a.sendCq, 1);
    }

    @Test
    void aDatagramShowsTheMarksOfItsAddressVector() {
        open(Threading.SAFE);
        try (QueuePair from = datagrams(ends.a);
                QueuePair to = datagrams(ends.b);
                AddressHandle handle = ends.a.pd.createAddressHandle(
                        new AddressVector(ends.b.context.queryGid(1, 0).gid(), 0, 1, 17, 0xB8, 0))) {
            End.ok(to.postReceive(7, ends.b.at(512), 100, ends.b.region.lkey()));
            End.ok(from.postSend(1, ends.a.at(0), 8, ends.a.region.lkey(),
                    new Destination(handle, to.qpNum(), End.QKEY), SendFlags.SIGNALED));
            End.expect(ends.a.sendCq, 1);
            End.expect(ends.b.recvCq, 7);
            MemorySegment header = ends.b.memory.segment().asSlice(512 + 20, 20);
            assertEquals(0xB8, header.get(ValueLayout.JAVA_BYTE, 1) & 0xFF);
            assertEquals(17, header.get(ValueLayout.JAVA_BYTE, 8));
        }
    }

    private static QueuePair datagrams(End end) {
        QueuePair qp = end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(4))
                .withRecvCq(end.recvCq).withType(QueuePairType.UD));
        qp.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(End.QKEY));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(3));
        return qp;
    }

    @Test
    void aConnectionWithMarksInItsAddressVectorWorks() {
        open(Threading.SAFE);
        ends.a.modify(QueuePairState.RESET);
        AddressVector vector = new AddressVector(ends.b.context.queryGid(1, 0).gid(), 0, 1, 255, 0x28, 0);
        ends.a.qp.modify(QueuePairAttributes.init(1, End.ALL));
        ends.a.qp.modify(QueuePairAttributes.readyToReceive(ends.b.address(0)).addressVector(vector));
        ends.a.qp.modify(QueuePairAttributes.readyToSend(0));
        ends.b.modify(QueuePairState.RESET);
        ends.b.connect(ends.a.address(0), 0);
        End.ok(ends.a.write(1, 0, 20_000, ends.b));
        End.expect(ends.a.sendCq, 1);
    }

    @Test
    void memoryThatGoesWhileItIsReadIsNotTouchedAfterwards() {
        open(Threading.SAFE);
        for (int round = 0; round < 30; round++) {
            for (int i = 0; i < 8; i++) {
                End.ok(ends.a.qp.postRead(i, ends.a.at(0), 32_000, ends.a.region.lkey(), ends.b.at(0),
                        ends.b.region.rkey(), SendFlags.SIGNALED));
            }
            try (var other = ends.b.context.allocateMemory(1 << 16, 64)) {
                ends.b.pd.register(other.segment(), End.ALL).close();
            }
            for (int i = 0; i < 8; i++) {
                End.expect(ends.a.sendCq, i);
            }
        }
    }

    @Test
    void anAddressHasOneNic() {
        open(Threading.SAFE);
        String same = device("soft10", A, "");
        assertEquals(Errno.EADDRINUSE, assertThrows(VerbsException.class, () -> Devices.open(same)).errno());
    }

    @ParameterizedTest
    @ValueSource(strings = {"link=udp&bind=localhost", "link=udp&bind=1.2.3", "link=udp&mtu=100", "link=udp&socket=tcp",
            "link=udp&faults=luck:1", "link=shm&bind=127.0.0.1", "bind=127.0.0.1", "link=tcp"})
    void wrongSettingsAreRefused(String settings) {
        VerbsException e = assertThrows(VerbsException.class, () -> Devices.open("soft11?" + settings));
        assertEquals(Errno.EINVAL, e.errno(), e.getMessage());
    }

    @Test
    void settingsOfPacketsWithoutPacketsSayWhatToAdd() {
        VerbsException e = assertThrows(VerbsException.class, () -> Devices.open("soft11?bind=127.0.0.1&mtu=256"));
        assertEquals("EINVAL: link is loopback, and bind, mtu go with packets only; add link=udp, or leave bind, mtu"
                + " out", e.getMessage());
    }
}
