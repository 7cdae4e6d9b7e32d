package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** READ, WRITE and atomics, over every link. */
class OneSidedTest {
    @EveryLink
    void readsAndWritesMemoryOfThePeer(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(64);
            LocalMemory theirs = ends.rightMemory(64);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            mine.writable().fill((byte) 7);
            ends.await(ends.left.write(mine, remote));
            assertEquals(-1, theirs.readable().mismatch(mine.readable()));

            theirs.writable().fill((byte) 9);
            ends.await(ends.left.read(mine, remote));
            assertEquals(-1, theirs.readable().mismatch(mine.readable()));
        }
    }

    @EveryLink
    void atomicsReturnThePriorValue(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(8);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            assertEquals(0L, ends.await(ends.left.fetchAndAdd(remote, 5)));
            assertEquals(5L, ends.await(ends.left.compareAndSwap(remote, 5, 11)));
            assertEquals(11L, ends.await(ends.left.compareAndSwap(remote, 5, 12)), "must not swap");
            assertEquals(11L, theirs.readable().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @EveryLink
    void resultsComeInTheOrderOfStarting(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(64 * 100);
            RemoteMemory remote = ends.rightMemory(64 * 100).expose(Ends.REMOTE).remote();
            List<Long> order = new ArrayList<>();
            CompletionCallback callback = (token, status, value) -> {
                assertEquals(OperationStatus.SUCCESS, status);
                assertEquals(64, value);
                order.add(token);
            };
            for (int i = 0; i < 100; i++) {
                LocalMemory part = mine.slice(64L * i, 64);
                int started = i % 2 == 0
                        ? ends.left.write(part, remote.slice(64L * i, 64), callback, i)
                        : ends.left.read(part, remote.slice(64L * i, 64), callback, i);
                assertEquals(OperationStatus.SUCCESS, started);
            }
            ends.until(() -> order.size() == 100);
            for (int i = 0; i < 100; i++) {
                assertEquals(i, order.get(i));
            }
        }
    }

    @EveryLink
    void anAccessThatThePeerDoesNotAllowFailsWithItsStatusAndTheRestWithItAsTheCause(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(64);
            MemoryLease lease = ends.rightMemory(64).expose(Access.REMOTE_READ);
            RemoteMemory claimed = RemoteMemory.of(lease.remote().address(), 64, lease.remote().rkey(), Ends.REMOTE);
            RdmaFuture<Void> refused = ends.left.write(mine, claimed);
            RdmaFuture<Void> behind = ends.left.write(mine, claimed);

            OperationFailedException first = assertInstanceOf(OperationFailedException.class, ends.failure(refused));
            assertEquals(WcStatus.REM_ACCESS_ERR, first.status());
            assertEquals("WRITE", first.operation());
            assertEquals(claimed.address(), first.remoteAddress());
            Throwable second = ends.failure(behind);
            if (second instanceof OperationFailedException flushed) {
                assertEquals(WcStatus.WR_FLUSH_ERR, flushed.status());
            }
            assertSame(first, second.getCause());
            assertEquals(ConnectionState.FAILED, ends.left.state());
            assertSame(first, ends.left.failure());
            assertEquals(OperationStatus.FAILED, ends.left.read(mine, claimed, (token, status, value) -> { }, 0));
        }
    }
}
