package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Producers look whether a queue is armed only from the first arm on, and nothing is missed by that. */
class FirstArmTest {
    private static final int ROUNDS = 5_000;
    private static final int DEPTH = 8;
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final WorkCompletion completion = new WorkCompletion();

    /** A queue that was never armed, with a lane that the poller looks at unasked. */
    private static final class Fresh implements CompletionListener {
        private final AtomicInteger events = new AtomicInteger();
        private final CompletionCore core = new CompletionCore(DEPTH, true, true, this);
        private final SendLane lane;

        Fresh(long memory) {
            lane = new SendLane(core, 1, memory, DEPTH);
            core.add(lane, DEPTH);
            produce(0);
            assertEquals(1, core.poll(new WorkCompletion(), 1));
        }

        void produce(int number) {
            assertTrue(lane.produce(number, Detail.of(0, 0, 0, 0), number));
        }

        @Override
        public void completionEvent() {
            events.incrementAndGet();
        }

        @Override
        public void overflowed() {
            throw new AssertionError("it holds all");
        }
    }

    @Test
    void producersOfAQueueThatWasNeverArmedDoNotLook() {
        try (Arena arena = Arena.ofConfined()) {
            Fresh fresh = new Fresh(memory(arena));
            assertEquals(Fences.ASYMMETRIC, (fresh.lane.attention & LaneShared.EVENTS) == 0);
            fresh.core.arm(false);
            assertTrue((fresh.lane.attention & LaneShared.EVENTS) != 0);
            SendLane later = new SendLane(fresh.core, 2, memory(arena), DEPTH);
            fresh.core.add(later, DEPTH);
            assertTrue((later.attention & LaneShared.EVENTS) != 0);
            fresh.produce(1);
            assertEquals(1, fresh.events.get());
        }
    }

    private static long memory(Arena arena) {
        return arena.allocate(SendLane.bytes(DEPTH), 64).address();
    }

    @Test
    void aCompletionThatComesWithTheFirstArmIsPolledOrMakesAnEvent() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        Fresh[] current = new Fresh[1];
        Thread producer = Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    start.await();
                    spin(i % 64);
                    current[0].produce(1);
                    start.await();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                Fresh fresh = new Fresh(memory(arena));
                current[0] = fresh;
                start.await();
                fresh.core.arm(false);
                boolean polled = fresh.core.poll(completion, 1) == 1;
                long end = System.nanoTime() + PATIENCE_NS;
                while (!polled && fresh.events.get() == 0) {
                    assertTrue(System.nanoTime() < end, "round " + i + ": neither polled nor told of");
                    Thread.onSpinWait();
                }
                start.await();
            }
        }
        producer.join();
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }
}
