package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Processes are killed at any point of traffic both ways: whatever was under way ends in time, its memory comes back,
 * and the next process is connected with as if nothing had been.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class KilledPeerTest {
    private static final List<String> LINKS = List.of("shm", "udp");
    private static final int FEW = 2;
    private static final int MANY = 50;
    private static final Duration DEADLINE = Duration.ofSeconds(4);
    private static final Duration BOUND = DEADLINE.plusSeconds(1);
    private static final long SLACK_BYTES = 8 << 20;
    private static final ConnectionConfig CONFIG = ConnectionConfig.DEFAULT
            .withBackPressure(BackPressure.queue(32)).withDeadline(DEADLINE);

    private final Random random = new Random(7);

    @ParameterizedTest
    @FieldSource("LINKS")
    void killsLeaveNothing(String link) throws Exception {
        kill(link, FEW);
    }

    @ParameterizedTest
    @FieldSource("LINKS")
    @Tag("ci")
    @Timeout(600)
    void manyKillsLeaveNothing(String link) throws Exception {
        kill(link, MANY);
    }

    private void kill(String link, int times) throws Exception {
        try (var node = RdmaNode.open(TestDevices.device(0, link))) {
            Footing before = null;
            for (int i = 0; i < times; i++) {
                try (var peer = new KilledPeer(TestDevices.device(1, link))) {
                    killOnce(node, peer);
                }
                if (i == 0) {
                    // With what the first use of anything leaves.
                    before = Footing.now();
                }
            }
            Footing.await(before, SLACK_BYTES);
        }
    }

    private void killOnce(RdmaNode node, KilledPeer peer) throws Exception {
        var connection = Met.get(node.connect(peer.address(), CONFIG, HandshakeConfig.DEFAULT));
        var remote = Met.get(connection.receiveMemory());
        assertEquals(KilledPeer.SHARED_BYTES, remote.length());
        var traffic = new Traffic(node, connection, remote);
        long enough = random.nextInt(200);
        Waiting.until(() -> "traffic: " + traffic.rounds + ", " + connection, () -> {
            traffic.go();
            return traffic.rounds >= enough;
        });
        long pause = System.nanoTime() + random.nextInt(3_000_000);
        while (System.nanoTime() < pause) {
            traffic.go();
        }
        peer.kill();
        long killed = System.nanoTime();
        while (connection.state() == ConnectionState.OPEN && System.nanoTime() - killed < BOUND.toNanos()) {
            traffic.go();
            LockSupport.parkNanos(100_000);
        }
        assertEquals(ConnectionState.FAILED, connection.state(), "the death of the peer was not noticed");
        traffic.allEnd(killed);
        connection.close();
        traffic.close();
        Waiting.until(() -> node + ", " + node.memory().statistics() + ", leases: " + node.memory().leases(), () ->
                node.connections() == 0 && node.memory().statistics().usedBlocks() == 0
                        && node.memory().leases() == 0);
    }

    /** Operations of every kind, some of which are under way at any time. */
    private static final class Traffic {
        private static final int UNDER_WAY = 16;

        private final RdmaConnection connection;
        private final RemoteMemory remote;
        private final Deque<RdmaFuture<?>> futures = new ArrayDeque<>();
        private final List<LocalMemory> memories = new ArrayList<>();
        private final AtomicInteger started = new AtomicInteger();
        private final AtomicInteger told = new AtomicInteger();
        private final AtomicLong last = new AtomicLong();
        private RdmaFuture<ReceivedMessage> receive;
        private long rounds;

        Traffic(RdmaNode node, RdmaConnection connection, RemoteMemory remote) {
            this.connection = connection;
            this.remote = remote;
            receive = connection.receive();
            for (int i = 0; i < UNDER_WAY; i++) {
                memories.add(node.memory().allocate(i % 4 == 0 ? 20_000 : 256));
            }
        }

        /** Starts operations in the place of those that have ended, and takes a message. */
        void go() {
            while (!futures.isEmpty() && futures.peek().isDone()) {
                futures.poll();
                rounds++;
            }
            while (futures.size() < UNDER_WAY && started.get() - told.get() < UNDER_WAY) {
                start(started.get() + futures.size());
            }
            if (receive.isDone() && !receive.isCompletedExceptionally()) {
                receive.join().close();
                receive = connection.receive();
            }
        }

        private void start(int number) {
            LocalMemory memory = memories.get((int) ((rounds + number) % UNDER_WAY));
            RemoteMemory some = remote.slice(256L * ((rounds + number) % 8), 256);
            RemoteMemory counter = remote.slice(4_088, 8);
            LocalMemory part = memory.slice(0, 256);
            futures.add(switch ((int) ((rounds + number) % 6)) {
                case 0 -> connection.send(memory);
                case 1 -> connection.read(part, some);
                case 2 -> connection.write(part, some);
                case 3 -> connection.fetchAndAdd(counter, 1);
                case 4 -> connection.compareAndSwap(counter, 1, 2);
                default -> connection.requestMemory(100, Ends.REMOTE, Duration.ofSeconds(1));
            });
            int status = connection.write(memories.get(1).slice(0, 0), remote.slice(0, 0), (token, end, value) -> {
                told.incrementAndGet();
                last.set(System.nanoTime());
            }, 0);
            if (status == OperationStatus.SUCCESS) {
                started.incrementAndGet();
            }
        }

        /** Everything that was started has an end, within the bound. */
        void allEnd(long killed) throws Exception {
            futures.add(receive);
            for (RdmaFuture<?> each : futures) {
                long left = BOUND.toNanos() - (System.nanoTime() - killed);
                try {
                    Object got = each.get(Math.max(1, left), TimeUnit.NANOSECONDS);
                    if (got instanceof ReceivedMessage message) {
                        message.close();
                    }
                } catch (ExecutionException e) {
                    assertTrue(e.getCause() instanceof RdmaException || e.getCause() instanceof IllegalStateException,
                            () -> "failed by " + e.getCause());
                }
                each.quiesced().get(Math.max(1, left), TimeUnit.NANOSECONDS);
            }
            Waiting.until(() -> started + " started, " + told + " told", () -> started.get() == told.get());
            assertTrue(last.get() - killed < BOUND.toNanos(), "the last was told too late");
            for (LocalMemory each : memories) {
                assertEquals(0, each.inUse());
                each.writable();
            }
        }

        void close() {
            memories.forEach(LocalMemory::close);
        }
    }
}
