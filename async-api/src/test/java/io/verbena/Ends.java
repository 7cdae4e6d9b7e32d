package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Two connected ends on devices of their own, or on one, as tests use them. */
final class Ends implements AutoCloseable {
    static final int REMOTE = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;

    final RdmaNode here;
    final RdmaNode there;
    final RdmaConnection left;
    final RdmaConnection right;

    private Ends(RdmaNode here, RdmaNode there, ConnectionConfig config) {
        this.here = here;
        this.there = there;
        RdmaConnection[] pair = RdmaNode.pair(here, there, config);
        left = pair[0];
        right = pair[1];
    }

    static Ends open(String link) {
        return open(link, ConnectionConfig.DEFAULT, PollerMode.MANUAL);
    }

    static Ends open(String link, ConnectionConfig config) {
        return open(link, config, PollerMode.MANUAL);
    }

    static Ends open(String link, ConnectionConfig config, PollerMode mode) {
        RdmaNode here = RdmaNode.open(node(link, mode));
        // A device is open with one configuration at a time.
        RdmaNode there = link.equals("soft") ? here : RdmaNode.open(node(9, link, mode));
        return new Ends(here, there, TestDevices.fit(link, config));
    }

    static NodeConfig node(String link, PollerMode mode) {
        return node(8, link, mode);
    }

    private static NodeConfig node(int number, String link, PollerMode mode) {
        return NodeConfig.of(TestDevices.device(number, link)).withPoller(mode);
    }

    /** Memory of the left end. */
    LocalMemory leftMemory(long bytes) {
        return here.memory().allocate(bytes);
    }

    /** Memory of the right end. */
    LocalMemory rightMemory(long bytes) {
        return there.memory().allocate(bytes);
    }

    static LocalMemory text(RdmaNode node, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        LocalMemory memory = node.memory().allocate(Math.max(1, bytes.length));
        memory.writable().asSlice(0, bytes.length).copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes));
        return bytes.length == 0 ? memory.slice(0, 0) : memory;
    }

    static String text(ReceivedMessage message) {
        return new String(message.toArray(), StandardCharsets.UTF_8);
    }

    /** Drives both ends until something holds. */
    void until(BooleanSupplier condition) {
        until(condition, Duration.ofSeconds(20));
    }

    void until(BooleanSupplier condition, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            here.poll();
            there.poll();
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + limit + ": " + left + ", " + right);
            }
            Thread.onSpinWait();
        }
    }

    /** The result of a future of either end. */
    <T> T await(RdmaFuture<T> future) {
        until(future::isDone);
        return future.join();
    }

    /** The failure of a future of either end. */
    Throwable failure(RdmaFuture<?> future) {
        until(future::isDone);
        return future.exceptionNow();
    }

    @Override
    public void close() {
        // Neither end can wait for the other, which nobody drives then.
        left.closeNow();
        right.closeNow();
        assertEquals(0, here.connections());
        here.close();
        there.close();
    }

    /** What a get takes, so that a hung future fails its test. */
    static <T> T get(RdmaFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }
}
