package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** What happens to operations that find no place. */
class BackPressureTest {
    private static final int SENDS = 4;

    private static ConnectionConfig config(BackPressure pressure) {
        return ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(SENDS)).withBackPressure(pressure);
    }

    @Test
    void failRefusesAtOnceAndTakesAgainOnceSomethingHasEnded() {
        try (Ends ends = Ends.open("udp", config(BackPressure.FAIL))) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            int[] ended = new int[1];
            CompletionCallback callback = (token, status, value) -> ended[0]++;
            for (int i = 0; i < SENDS; i++) {
                assertEquals(OperationStatus.SUCCESS, ends.left.write(mine, remote, callback, i));
            }
            assertEquals(OperationStatus.BACK_PRESSURED, ends.left.write(mine, remote, callback, 9));
            assertInstanceOf(BackPressureException.class, ends.left.write(mine, remote).exceptionNow());
            ends.until(() -> ended[0] == SENDS);
            ends.await(ends.left.write(mine, remote));
        }
    }

    @Test
    void queuePostsInOrderAndRefusesWhenTheLineIsFull() {
        try (Ends ends = Ends.open("udp", config(BackPressure.queue(10)))) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            List<Long> order = new ArrayList<>();
            CompletionCallback callback = (token, status, value) -> order.add(token);
            for (int i = 0; i < SENDS + 10; i++) {
                assertEquals(OperationStatus.SUCCESS, ends.left.write(mine, remote, callback, i));
            }
            assertEquals(OperationStatus.BACK_PRESSURED, ends.left.write(mine, remote, callback, 99));
            ends.until(() -> order.size() == SENDS + 10);
            for (int i = 0; i < order.size(); i++) {
                assertEquals(i, order.get(i));
            }
        }
    }

    @Test
    void whatWaitsInLineIsTakenOutByCancelAndByItsDeadline() {
        try (Ends ends = Ends.open("udp", config(BackPressure.queue(10)))) {
            LocalMemory mine = ends.leftMemory(8);
            LocalMemory other = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            for (int i = 0; i < SENDS; i++) {
                ends.left.write(mine, remote);
            }
            RdmaFuture<Void> waits = ends.left.write(other, remote);
            assertThrows(OwnershipException.class, other::writable);
            assertTrue(waits.cancel(false));
            assertThrows(CancellationException.class, waits::join);
            assertTrue(waits.quiesced().isDone());
            other.writable();
            ends.await(ends.left.write(other, remote));
        }
    }

    @Test
    void blockWaitsForAPlace() {
        try (Ends ends = Ends.open("soft", config(BackPressure.block(Duration.ofSeconds(20))))) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            int[] ended = new int[1];
            for (int i = 0; i < 1_000; i++) {
                assertEquals(OperationStatus.SUCCESS,
                        ends.left.write(mine, remote, (token, status, value) -> ended[0]++, i));
            }
            ends.until(() -> ended[0] == 1_000);
        }
    }

    @Test
    void blockGivesUpInTime() {
        ConnectionConfig config = config(BackPressure.block(Duration.ofMillis(20)))
                .withQueues(QueueConfig.DEFAULT.withReceives(2));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory mine = ends.leftMemory(8);
            ends.await(ends.left.send(mine));
            ends.await(ends.left.send(mine));
            assertInstanceOf(BackPressureException.class, ends.failure(ends.left.send(mine)));
        }
    }
}
