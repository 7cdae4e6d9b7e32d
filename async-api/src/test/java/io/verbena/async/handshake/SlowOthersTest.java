package io.verbena.async.handshake;

import static io.verbena.async.handshake.Bench.failure;
import static io.verbena.async.handshake.Bench.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Names, programs and peers that take their time delay nobody else. */
class SlowOthersTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;
    private static final InetSocketAddress SLOW_NAME = InetSocketAddress.createUnresolved("slow.invalid", 1);
    /** More than a few threads for everything could do at a time. */
    private static final int MANY = 20;

    private final CountDownLatch go = new CountDownLatch(1);
    private final Semaphore blocked = new Semaphore(0);

    @AfterEach
    void goOn() {
        go.countDown();
    }

    private void block() {
        blocked.release();
        try {
            go.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HandshakeClient slowNames(HandshakeLoop loop) {
        return new HandshakeClient(loop, PLAIN, server -> {
            block();
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort());
        });
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void namesThatAreSlowToBeLookedUpDelayNeitherFailuresNorConnections() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var free = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
            List<CompletableFuture<Answered>> slow = new ArrayList<>();
            for (int i = 0; i < HandshakeLoop.MAX_LOOKUPS + MANY; i++) {
                slow.add(slowNames(bench.clientLoop).connect(SLOW_NAME, Bench.MINE, Duration.ofSeconds(30)));
            }
            assertTrue(blocked.tryAcquire(HandshakeLoop.MAX_LOOKUPS, 20, TimeUnit.SECONDS), "as many as can be");
            assertEquals(FailureKind.REFUSED, failure(bench.connect(PLAIN, free, Bench.TIMEOUT)).kind());
            get(get(bench.connect(PLAIN)).ready());
            slow.forEach(each -> assertFalse(each.isDone()));
        }
    }

    @Test
    void aNameThatIsSlowToBeLookedUpEndsInTime() {
        try (var bench = new Bench(PLAIN)) {
            var slow = slowNames(bench.clientLoop).connect(SLOW_NAME, Bench.MINE, Duration.ofMillis(50));
            assertEquals(FailureKind.TIMEOUT, failure(slow).kind());
        }
    }

    @Test
    void aProgramThatBlocksForSomeClientsDelaysNoOther() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.acceptor.answer = theirs -> {
                block();
                return Hellos.of(0x222);
            };
            for (int i = 0; i < MANY; i++) {
                bench.connect(PLAIN);
            }
            assertTrue(blocked.tryAcquire(MANY, 20, TimeUnit.SECONDS), "all have been offered");
            bench.acceptor.answer = theirs -> Hellos.of(0x333);
            assertEquals(0x333, get(bench.connect(PLAIN)).theirs().endpoint().qpNum());
            go.countDown();
        }
    }

    @Test
    void whatIsToldAfterTheEndIsToldAtOnce() throws Exception {
        var pool = new GrowingPool(1, Thread.ofPlatform().daemon().factory());
        var done = new CountDownLatch(2);
        pool.execute(this::block);
        assertTrue(blocked.tryAcquire(20, TimeUnit.SECONDS));
        pool.execute(done::countDown);
        pool.execute(done::countDown);
        assertEquals(2, done.getCount(), "there is one thread, and it blocks");
        go.countDown();
        assertTrue(done.await(20, TimeUnit.SECONDS));
        pool.shutdown();
        assertTrue(pool.awaitTermination(20, TimeUnit.SECONDS));
        var after = new CountDownLatch(1);
        pool.execute(after::countDown);
        assertEquals(0, after.getCount());
    }
}
