package io.verbena.async.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Places of operations: none is given out twice, and a completion finds its own use of a place only. */
class OperationsTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyPlaceIsGivenOutOnceUntilItIsFreed(boolean alone) {
        Operations table = new Operations(Operation.USER_TABLE, 5, alone);
        List<Operation> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Operation place = table.reserve();
            assertNotNull(place);
            assertFalse(all.contains(place));
            all.add(place);
        }
        assertNull(table.reserve());
        assertEquals(5, table.inUse());
        all.get(3).free();
        assertSame(all.get(3), table.reserve());
        assertNull(table.reserve());
    }

    @Test
    void aCompletionOfAnEarlierUseFindsNothing() {
        Operations table = new Operations(Operation.CONTROL_TABLE, 2, false);
        Operation place = table.reserve();
        long first = place.wrId();
        assertEquals(Operation.CONTROL_TABLE, Operations.tableOf(first));
        assertSame(place, table.find(first));
        place.free();
        assertNull(table.find(first));
        Operation again = table.reserve();
        assertSame(place, again);
        assertNotEquals(first, again.wrId());
        assertNull(table.find(first));
        assertSame(again, table.find(again.wrId()));
        assertNull(table.find(Operation.CONTROL_TABLE << 24 | 77));
    }

    @Test
    void onlyWhatIsPostedExpiresAndTheNextDeadlineIsTold() {
        Operations table = new Operations(Operation.USER_TABLE, 4, false);
        long[] deadlines = {10, 20, 30};
        for (long each : deadlines) {
            Operation place = table.reserve();
            place.deadline = each;
            if (each != 10) {
                place.posted(place.generation());
            }
        }
        List<Long> expired = new ArrayList<>();
        long next = table.expire(25, place -> {
            expired.add(place.deadline);
            place.deadline = Operation.NEVER;
        });
        assertEquals(List.of(20L), expired);
        assertEquals(30, next);
    }

    @Test
    void aWaitingOperationIsTakenOnceByWhoeverComesFirst() {
        Operations table = new Operations(Operation.WAITING_TABLE, 1, false);
        Operation place = table.reserve();
        int generation = place.generation();
        place.posted(generation);
        assertTrue(place.take(generation));
        assertFalse(place.take(generation));
        place.cancelled();
        assertTrue(place.isCancelled());
        place.free();
        assertFalse(place.take(generation), "another use");
    }

    @Test
    void threadsNeverGetTheSamePlaceAtATime() throws InterruptedException {
        Operations table = new Operations(Operation.USER_TABLE, 3, false);
        AtomicInteger[] users = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        AtomicInteger doubled = new AtomicInteger();
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20_000; i++) {
                    Operation place = table.reserve();
                    if (place == null) {
                        Thread.yield();
                        continue;
                    }
                    if (users[place.index()].incrementAndGet() != 1) {
                        doubled.incrementAndGet();
                    }
                    users[place.index()].decrementAndGet();
                    place.free();
                }
            });
        }
        for (Thread each : threads) {
            each.join();
        }
        assertEquals(0, doubled.get());
        assertEquals(0, table.inUse());
    }
}
