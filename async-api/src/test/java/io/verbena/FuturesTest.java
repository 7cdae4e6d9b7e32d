package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Threading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What futures promise besides their results. */
class FuturesTest {
    @ParameterizedTest
    @EnumSource(PollerMode.class)
    void joinDrivesOrWaitsForThePollerInEveryMode(PollerMode mode) throws Exception {
        try (Ends ends = Ends.open("soft", ConnectionConfig.DEFAULT, mode)) {
            LocalMemory mine = ends.leftMemory(64);
            RemoteMemory remote = ends.rightMemory(64).expose(Ends.REMOTE).remote();
            for (int i = 0; i < 1_000; i++) {
                Ends.get(ends.left.read(mine, remote));
            }
            Thread[] threads = new Thread[8];
            List<Throwable> failures = new ArrayList<>();
            for (int t = 0; t < threads.length; t++) {
                LocalMemory own = ends.leftMemory(64);
                Runnable work = () -> {
                    try {
                        for (int i = 0; i < 200; i++) {
                            Ends.get(ends.left.read(own, remote));
                        }
                    } catch (Exception e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                };
                threads[t] = t % 2 == 0 ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work);
            }
            for (Thread each : threads) {
                each.join();
            }
            assertEquals(List.of(), failures);
        }
    }

    @ParameterizedTest
    @EnumSource(PollerMode.class)
    void aWaitForAMessageEndsWhenItComesFromAnotherThread(PollerMode mode) throws Exception {
        try (Ends ends = Ends.open("soft", ConnectionConfig.DEFAULT, mode)) {
            LocalMemory message = ends.leftMemory(8);
            for (int i = 0; i < 20; i++) {
                RdmaFuture<ReceivedMessage> received = ends.right.receive();
                Thread sender = Thread.ofPlatform().start(() -> {
                    Thread.yield();
                    ends.left.send(message).join();
                });
                Ends.get(received).close();
                sender.join();
            }
        }
    }

    @Test
    void nobodyElseCompletesIt() {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> future = ends.right.receive();
            assertThrows(UnsupportedOperationException.class, () -> future.complete(null));
            assertThrows(UnsupportedOperationException.class, () -> future.completeExceptionally(new Exception()));
            assertThrows(UnsupportedOperationException.class, () -> future.obtrudeValue(null));
            assertThrows(UnsupportedOperationException.class, () -> future.obtrudeException(new Exception()));
            assertThrows(UnsupportedOperationException.class, () -> future.completeAsync(() -> null));
            assertFalse(future.isDone());
            CompletableFuture<Integer> dependent = future.thenApply(message -> 1);
            assertTrue(dependent.complete(2), "dependents are plain");
            assertFalse(dependent instanceof RdmaFuture);
        }
    }

    @Test
    void dependentsRunOnTheExecutorUnlessInlineIsAskedFor() throws Exception {
        for (boolean inline : new boolean[] {false, true}) {
            NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withInlineDependents(inline);
            try (RdmaNode node = RdmaNode.open(config)) {
                RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT);
                RdmaFuture<ReceivedMessage> received = pair[1].receive();
                CompletableFuture<Thread> where = received.thenApply(message -> Thread.currentThread());
                pair[0].send(node.memory().allocate(8)).join();
                received.join();
                Thread ran = where.get(20, TimeUnit.SECONDS);
                if (inline) {
                    assertSame(Thread.currentThread(), ran);
                } else {
                    assertNotEquals(Thread.currentThread(), ran);
                }
            }
        }
    }

    @Test
    void aTimeoutGivesTheResultAndNothingElse() {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> late = ends.right.receive();
            assertThrows(TimeoutException.class, () -> late.get(5, TimeUnit.MILLISECONDS));
            assertFalse(late.isDone());
            late.orTimeout(5, TimeUnit.MILLISECONDS);
            assertInstanceOf(TimeoutException.class, ends.failure(late));
            RdmaFuture<ReceivedMessage> other = ends.right.receive();
            other.completeOnTimeout(null, 5, TimeUnit.MILLISECONDS);
            assertEquals(null, ends.await(other));
            ends.await(ends.left.send(ends.leftMemory(8)));
            ends.await(ends.right.receive()).close();
        }
    }

    /** A message that the peer would have to fetch does not end as long as nobody drives the peer. */
    private static RdmaFuture<Void> unfinished(Ends ends, LocalMemory message, OperationOptions options) {
        RdmaFuture<Void> sent = ends.left.send(message, options);
        for (int i = 0; i < 100; i++) {
            ends.here.poll();
        }
        return sent;
    }

    @Test
    void cancellingWhatWasPostedCancelsTheResultAndKeepsTheMemoryUntilItIsQuiesced() {
        try (Ends ends = Ends.open("shm")) {
            LocalMemory message = ends.leftMemory(1 << 16);
            RdmaFuture<Void> sent = unfinished(ends, message, null);
            assertTrue(sent.cancel(false));
            assertThrows(CancellationException.class, sent::join);
            RdmaFuture<Void> quiesced = sent.quiesced();
            assertFalse(quiesced.isDone());
            assertThrows(OwnershipException.class, message::writable);
            ends.await(quiesced);
            message.writable();
            assertEquals(1 << 16, ends.await(ends.right.receive()).length());
        }
    }

    @Test
    void aDeadlineGivesTheResultWhileTheMemoryStaysLent() {
        try (Ends ends = Ends.open("shm")) {
            LocalMemory message = ends.leftMemory(1 << 16);
            OperationOptions hasty = OperationOptions.DEFAULT.withDeadline(Duration.ofMillis(1));
            RdmaFuture<Void> sent = unfinished(ends, message, hasty);
            while (!sent.isDone()) {
                ends.here.poll();
            }
            assertInstanceOf(DeadlineExceededException.class, sent.exceptionNow());
            assertFalse(sent.quiesced().isDone());
            assertThrows(OwnershipException.class, message::writable);
            ends.await(sent.quiesced());
            message.writable();
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @Test
    void aDeadlineMayBreakTheConnection() {
        try (Ends ends = Ends.open("shm")) {
            OperationOptions strict =
                    OperationOptions.DEFAULT.withDeadline(Duration.ofMillis(1)).withAbortOnDeadline(true);
            RdmaFuture<Void> sent = unfinished(ends, ends.leftMemory(1 << 16), strict);
            while (!sent.quiesced().isDone()) {
                ends.here.poll();
            }
            assertInstanceOf(DeadlineExceededException.class, sent.exceptionNow());
            assertEquals(ConnectionState.FAILED, ends.left.state());
        }
    }

    @Test
    void abortBreaksTheConnection() {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> waiting = ends.left.receive();
            ends.left.abort();
            assertInstanceOf(ConnectionClosedException.class, ends.failure(waiting));
            assertEquals(ConnectionState.FAILED, ends.left.state());
            assertTrue(ends.left.failure().getMessage().contains("broken off"), ends.left.failure().getMessage());
        }
    }

    @Test
    void aCallbackMayWaitForOtherOperations() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory mine = ends.leftMemory(8);
            LocalMemory other = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            List<Long> done = new ArrayList<>();
            ends.left.read(mine, remote, (token, status, value) -> {
                ends.left.read(other, remote).join();
                done.add(token);
            }, 5);
            ends.until(() -> done.size() == 1);
        }
    }

    @Test
    void singleThreadedNodesWorkToo() {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withThreading(Threading.SINGLE);
        try (RdmaNode node = RdmaNode.open(config)) {
            RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT);
            pair[0].send(node.memory().allocate(100)).join();
            assertEquals(100, pair[1].receive().join().length());
        }
        assertThrows(IllegalArgumentException.class, () -> config.withPoller(PollerMode.EVENT));
    }

    @Test
    void aWaitEndsInTimeThoughOthersAlwaysComplete() {
        try (Ends ends = Ends.open("soft")) {
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            LocalMemory mine = ends.leftMemory(8);
            boolean[] enough = new boolean[1];
            CompletionCallback again = new CompletionCallback() {
                @Override
                public void onCompletion(long token, int status, long value) {
                    if (!enough[0]) {
                        ends.left.write(mine, remote, this, token);
                    }
                }
            };
            for (int i = 0; i < 40; i++) {
                ends.left.write(mine, remote, again, i);
            }
            RdmaFuture<ReceivedMessage> never = ends.left.receive();
            assertThrows(TimeoutException.class, () -> never.get(50, TimeUnit.MILLISECONDS));
            enough[0] = true;
        }
    }

    @Test
    void aWaitForAMessageHoldsNothingOnceItIsOver() {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> cancelled = ends.right.receive();
            cancelled.cancel(false);
            assertTrue(cancelled.quiesced().isDone());
            RdmaFuture<RemoteMemory> asked = ends.left.requestMemory(8, Ends.REMOTE, null);
            asked.cancel(false);
            assertTrue(asked.quiesced().isDone());
        }
    }
}
