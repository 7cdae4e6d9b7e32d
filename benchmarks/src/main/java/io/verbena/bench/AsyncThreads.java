package io.verbena.bench;

import io.verbena.ConnectionConfig;
import io.verbena.LocalMemory;
import io.verbena.NodeConfig;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.consumer.RecordingStream;

/** Compares blocking READs of many virtual threads on one connection with those of a single thread. */
public final class AsyncThreads {
    /** Virtual threads. */
    public static final int THREADS = 100;

    private static final int ROUNDS = 5;
    private static final int LINE = 128;

    private AsyncThreads() {}

    /**
     * What it came to.
     *
     * @param threads virtual threads
     * @param operations READs of each
     * @param aloneRate READs in a second of a single thread, median of rounds
     * @param rate READs in a second of all virtual threads, median of rounds
     * @param ratio median of the ratios of both in the same round
     * @param pinned how often a virtual thread was pinned to its carrier
     */
    public record Result(int threads, int operations, double aloneRate, double rate, double ratio, long pinned) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "async_threads").put("threads", threads).put("operations", operations)
                    .put("alone_ops_per_second", aloneRate).put("ops_per_second", rate).put("ratio", ratio)
                    .put("pinned", pinned);
        }
    }

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param operations READs of each thread in a round
     * @param progress told how far it is
     * @return the medians
     * @throws PerfException when a READ has brought other bytes than those that are there
     */
    public static Result run(String device, int operations, Progress progress) {
        AtomicLong pinned = new AtomicLong();
        Samples alone = new Samples();
        Samples many = new Samples();
        try (RdmaNode node = RdmaNode.open(NodeConfig.of(device)); RecordingStream events = new RecordingStream()) {
            events.enable("jdk.VirtualThreadPinned").withoutThreshold();
            events.onEvent("jdk.VirtualThreadPinned", event -> pinned.incrementAndGet());
            events.startAsync();
            RdmaConnection connection = node.pair(ConnectionConfig.DEFAULT)[0];
            LocalMemory source = node.memory().allocate((long) LINE * THREADS);
            for (int i = 0; i < THREADS; i++) {
                source.writable().set(ValueLayout.JAVA_LONG, (long) LINE * i, i + 1L);
            }
            RemoteMemory remote = source.expose(Access.REMOTE_READ).remote();
            for (int i = 0; i <= ROUNDS; i++) {
                double one = THREADS * operations / seconds(1, THREADS * operations, connection, node, remote);
                double all = THREADS * operations / seconds(THREADS, operations, connection, node, remote);
                if (i > 0) { // the first one warms up
                    alone.add(one);
                    many.add(all);
                }
                progress.at("async_threads: round " + i + " of " + ROUNDS);
            }
            events.stop();
        }
        return new Result(THREADS, operations, alone.median(), many.median(), many.medianRatio(alone), pinned.get());
    }

    private static double seconds(
            int threads, int operations, RdmaConnection connection, RdmaNode node, RemoteMemory remote) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger next = new AtomicInteger();
        Runnable work = () -> {
            try {
                int number = next.getAndIncrement();
                read(operations, number + 1L, connection, node, remote.slice((long) LINE * number, Long.BYTES * 8L));
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            }
        };
        long start = System.nanoTime();
        Thread[] started = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            started[i] = threads == 1 ? Thread.ofPlatform().start(work) : Thread.startVirtualThread(work);
        }
        try {
            for (Thread each : started) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        }
        if (failure.get() != null) {
            throw new PerfException("a READ failed: " + failure.get());
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static void read(
            int operations, long expected, RdmaConnection connection, RdmaNode node, RemoteMemory remote) {
        try (LocalMemory local = node.memory().allocate(remote.length())) {
            for (int i = 0; i < operations; i++) {
                local.writable().set(ValueLayout.JAVA_LONG, 0, 0);
                connection.read(local, remote).join();
                long found = local.readable().get(ValueLayout.JAVA_LONG, 0);
                if (found != expected) {
                    throw new PerfException("a READ has brought " + found + " instead of " + expected);
                }
            }
        }
    }
}
