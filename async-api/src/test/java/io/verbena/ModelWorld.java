package io.verbena;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Two nodes, and some {@link ModelActor}s that use them at random at the same time: everything drawn from one seed. */
final class ModelWorld {
    private static final int ACTORS = 2;
    /** Of each link others, so that what a world left that has failed is not in the way. */
    private static final Map<String, Integer> FIRST_DEVICE = Map.of("soft", 2, "shm", 4, "udp", 6, "lossy", 10);
    private static final long BEAT_NANOS = 10_000_000;
    private static final long POOL_BYTES = 64L << 20;
    private static final int JOIN_MILLIS = 100_000;

    final long seed;
    final RdmaNode[] nodes = new RdmaNode[2];
    final ConnectionConfig config;
    /** Closes connections from elsewhere. */
    final ExecutorService others = Executors.newFixedThreadPool(2, Thread.ofPlatform().daemon().factory());
    private final PollerMode mode;
    private final AtomicLong stalled = new AtomicLong();
    private volatile boolean over;

    private ModelWorld(String link, long seed) {
        this.seed = seed;
        Random random = new Random(seed);
        PollerMode[] modes = {PollerMode.MANUAL, PollerMode.ADAPTIVE, PollerMode.EVENT, PollerMode.MANUAL};
        mode = modes[random.nextInt(modes.length)];
        BackPressure[] pressures =
                {BackPressure.FAIL, BackPressure.queue(4), BackPressure.block(Duration.ofMillis(2))};
        ConnectionConfig usual = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(1 + random.nextInt(16)).withReceives(2 + random.nextInt(10)))
                .withMessages(MessageConfig.DEFAULT.withSlotBytes(512).withCopyBytes(random.nextInt(2) * 128))
                .withBackPressure(pressures[random.nextInt(pressures.length)])
                .withDeadline(ModelOperation.USUAL_DEADLINE);
        config = TestDevices.fit(link, usual);
        nodes[0] = RdmaNode.open(node(0, link));
        // A device is open with one configuration at a time.
        nodes[1] = link.equals("soft") ? nodes[0] : RdmaNode.open(node(1, link));
    }

    private NodeConfig node(int number, String link) {
        return NodeConfig.of(TestDevices.device(number + FIRST_DEVICE.get(link), link)).withPoller(mode)
                .withPool(PoolConfig.DEFAULT.withMaxBytes(POOL_BYTES));
    }

    /** Lives through one world; its seed is in whatever goes wrong. */
    static void run(String link, long seed, int steps) throws Exception {
        try {
            new ModelWorld(link, seed).live(steps);
        } catch (Throwable e) {
            throw new AssertionError("over " + link + " with seed " + seed
                    + " (again: -Dverbena.async.seed=" + seed + ")", e);
        }
    }

    private void live(int steps) throws Exception {
        Thread heart = Thread.ofPlatform().daemon().start(this::beat);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ACTORS; i++) {
            ModelActor actor = new ModelActor(this, new Random(seed * ACTORS + i), i);
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                try {
                    actor.run(steps / ACTORS);
                } catch (Throwable e) {
                    failure.compareAndSet(null, new AssertionError(actor + ", " + this, e));
                    over = true;
                }
            }));
        }
        for (Thread each : threads) {
            each.join(JOIN_MILLIS);
            if (each.isAlive() && failure.get() == null) {
                AssertionError hung = new AssertionError("an actor hangs, " + this);
                hung.setStackTrace(each.getStackTrace());
                failure.set(hung);
            }
        }
        if (failure.get() != null) {
            throw failure.get() instanceof Error error ? error : new AssertionError(failure.get());
        }
        over = true;
        heart.join();
        nothingIsLeft();
    }

    /** All that a world without connections may have. */
    private void nothingIsLeft() throws InterruptedException {
        others.shutdown();
        check(others.awaitTermination(10, TimeUnit.SECONDS), "somebody still closes connections");
        for (RdmaNode each : nodes) {
            Waiting.until(() -> each + ", " + each.memory().statistics() + ", leases: " + each.memory().leases()
                            + ", registrations: " + each.memory().registrations(),
                    () -> {
                        each.poll();
                        return each.connections() == 0 && each.memory().leases() == 0
                                && each.memory().registrations() == 0
                                && each.memory().statistics().usedBlocks() == 0;
                    });
        }
        // Refused as long as there is an object of the device.
        nodes[0].close();
        nodes[1].close();
    }

    /** Notes for how long this process did not get to do anything, which is nobody's fault. */
    private void beat() {
        long last = System.nanoTime();
        while (!over) {
            LockSupport.parkNanos(BEAT_NANOS);
            long now = System.nanoTime();
            stalled.addAndGet(Math.max(0, now - last - 2 * BEAT_NANOS));
            last = now;
        }
    }

    long stalledNanos() {
        return stalled.get();
    }

    boolean isOver() {
        return over;
    }

    /** Nodes without a thread of their own are driven by the actors. */
    void drive() {
        if (mode == PollerMode.MANUAL) {
            nodes[0].poll();
            nodes[1].poll();
        }
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    static void check(boolean holds, Supplier<String> what) {
        if (!holds) {
            throw new AssertionError(what.get());
        }
    }

    @Override
    public String toString() {
        return "pollers: " + mode + ", queues: " + config.queues() + ", back pressure: " + config.backPressure();
    }
}
