package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Dependents that block keep nobody else waiting. */
class BlockedDependentsTest {
    /** More than any pool of one thread for each core has. */
    private static final int BLOCKED = 2 * Runtime.getRuntime().availableProcessors() + 8;

    @Test
    void aDependentRunsThoughManyOthersBlock() throws Exception {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            CountDownLatch go = new CountDownLatch(1);
            List<CompletableFuture<Void>> blocked = new ArrayList<>();
            for (int i = 0; i < BLOCKED; i++) {
                RdmaFuture<Void> write = ends.left.write(mine, remote);
                blocked.add(write.thenRun(() -> await(go)));
                ends.await(write);
            }
            RdmaFuture<Void> write = ends.left.write(mine, remote);
            CompletableFuture<Boolean> dependent = write.thenApply(nothing -> Thread.currentThread().isVirtual());
            ends.await(write);
            assertTrue(dependent.get(20, TimeUnit.SECONDS));
            go.countDown();
            for (CompletableFuture<Void> each : blocked) {
                each.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void requestsAboutMemoryAreWorkedOffThoughDependentsBlock() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < BLOCKED; i++) {
                RdmaFuture<Void> write = ends.left.write(mine, remote);
                write.thenRun(() -> await(go));
                ends.await(write);
            }
            assertEquals(64, ends.await(ends.left.requestMemory(64, Ends.REMOTE, null)).length());
            go.countDown();
        }
    }

    private static void await(CountDownLatch go) {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        }
    }
}
