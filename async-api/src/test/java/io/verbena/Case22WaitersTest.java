package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Case 22: whoever waits for something of a connection that ends is told so, wherever he waits. */
class Case22WaitersTest {
    private static final int LIMIT_SECONDS = 20;

    private static List<CompletableFuture<Object>> waiters(RdmaConnection connection) {
        List<Supplier<RdmaFuture<?>>> waits = List.of(
                connection::receive, connection::receiveWriteImm, connection::receiveMemory,
                connection::receiveHandedBack);
        List<CompletableFuture<Object>> all = new ArrayList<>();
        for (int i = 0; i < waits.size(); i++) {
            RdmaFuture<?> future = waits.get(i).get();
            CompletableFuture<Object> ended = new CompletableFuture<>();
            Runnable join = () -> {
                try {
                    ended.complete(future.join());
                } catch (RuntimeException e) {
                    ended.completeExceptionally(e.getCause());
                }
            };
            Thread thread = i % 2 == 0 ? Thread.ofVirtual().start(join) : Thread.ofPlatform().start(join);
            Waiting.until("it waits", () -> thread.getState() != Thread.State.NEW);
            all.add(ended);
        }
        return all;
    }

    private static void allAreTold(String link, PollerMode mode, Consumer<Ends> end) {
        try (Ends ends = Ends.open(link, ConnectionConfig.DEFAULT, mode)) {
            List<CompletableFuture<Object>> all = waiters(ends.left);
            end.accept(ends);
            for (CompletableFuture<Object> each : all) {
                ExecutionException told =
                        assertThrows(ExecutionException.class, () -> each.get(LIMIT_SECONDS, TimeUnit.SECONDS));
                assertInstanceOf(RdmaException.class, told.getCause());
            }
            assertTrue(ends.left.receive().isCompletedExceptionally());
        }
    }

    @EveryLink
    void whenItIsClosedHere(String link) {
        allAreTold(link, PollerMode.MANUAL, ends -> ends.left.closeNow());
        allAreTold(link, PollerMode.ADAPTIVE, ends -> ends.left.closeNow());
    }

    @EveryLink
    void whenItFails(String link) {
        RemoteMemory wrong = RemoteMemory.of(4_096, 8, 0x12345678, Ends.REMOTE);
        for (PollerMode mode : List.of(PollerMode.MANUAL, PollerMode.EVENT)) {
            allAreTold(link, mode, ends -> {
                RdmaFuture<Void> failed = ends.left.read(ends.leftMemory(8), wrong);
                assertThrows(ExecutionException.class, () -> Ends.get(failed));
                assertEquals(ConnectionState.FAILED, ends.left.state());
            });
        }
    }

    @EveryLink
    void whenThePeerClosesItInOrder(String link) {
        allAreTold(link, PollerMode.ADAPTIVE, ends -> ends.right.close());
    }
}
