package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** D5: a full send queue is back pressure for every kind of operation alike, and no reason to sleep. */
class D05FullQueueTest {
    private static final int PLACES = 4;
    private static final int OPERATIONS = 200;

    private static ConnectionConfig config(BackPressure pressure) {
        return ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(PLACES)).withBackPressure(pressure);
    }

    private static RdmaFuture<?> any(Ends ends, int number, RemoteMemory remote) {
        LocalMemory mine = ends.leftMemory(8);
        return switch (number % 5) {
            case 0 -> ends.left.read(mine, remote);
            case 1 -> ends.left.write(mine, remote);
            case 2 -> ends.left.send(mine);
            case 3 -> ends.left.compareAndSwap(remote, 0, 0);
            default -> ends.left.fetchAndAdd(remote, 0);
        };
    }

    @EveryLink
    void everyKindIsRefusedAtOnceAndTakenOnceSomethingHasEnded(String link) {
        try (Ends ends = Ends.open(link, config(BackPressure.FAIL))) {
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            List<RdmaFuture<?>> taken = new ArrayList<>();
            for (int i = 0; i < PLACES; i++) {
                taken.add(any(ends, i, remote));
            }
            for (int i = 0; i < 5; i++) {
                assertInstanceOf(BackPressureException.class, any(ends, i, remote).exceptionNow());
            }
            taken.forEach(ends::await);
            for (int i = 0; i < 5; i++) {
                ends.await(any(ends, i, remote));
            }
        }
    }

    @EveryLink
    void waitingForAPlaceTakesNoFixedTime(String link) {
        BackPressure block = BackPressure.block(Duration.ofSeconds(9));
        for (BackPressure pressure : List.of(BackPressure.queue(OPERATIONS), block)) {
            try (Ends ends = Ends.open(link, config(pressure), PollerMode.ADAPTIVE)) {
                RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
                ends.right.onMessage(message -> { });
                List<RdmaFuture<?>> all = new ArrayList<>();
                long start = System.nanoTime();
                for (int i = 0; i < OPERATIONS; i++) {
                    all.add(any(ends, i, remote));
                }
                all.forEach(ends::await);
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                // Operations that had to wait, at 1 s each as elsewhere, would take minutes.
                assertTrue(took.compareTo(Duration.ofSeconds(15)) < 0, took::toString);
                assertEquals(0, ends.left.core.user.inUse());
            }
        }
    }
}
