package io.verbena.async.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turns, deadlines and waits of a poller, also when somebody waits inside one of them. */
class PollerTest {
    private static final long ENOUGH_NANOS = 2_000_000_000;

    private Context context;
    private Poller poller;

    @BeforeEach
    void open() {
        context = Devices.open("soft7");
        poller = new Poller(context, 16, PollMode.MANUAL, "test", false);
    }

    @AfterEach
    void close() {
        poller.close();
        context.close();
    }

    /** Counts its turns and its looks for what is due, and does something in each. */
    private static class Counting extends Driven {
        int turns;
        int looks;

        @Override
        protected void onCompletion(WorkCompletion completion) {
            throw new AssertionError("nothing completes here");
        }

        @Override
        protected void onTurn() {
            turns++;
        }

        @Override
        protected long onDue(long now) {
            looks++;
            return Operation.NEVER;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        }
    }

    @Test
    void whoNeedsTheRoleIsToldWhoKeepsIt() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        Driven blocks = new Counting() {
            @Override
            protected void onTurn() {
                inside.countDown();
                PollerTest.await(enough);
            }
        };
        poller.wantTurn(blocks);
        Thread driver = Thread.ofPlatform().name("the blocked one").start(() -> poller.drive(1));
        inside.await();
        IllegalStateException why = assertThrows(IllegalStateException.class,
                () -> poller.asDriver(() -> { }, 20_000_000));
        assertTrue(why.getMessage().contains("the blocked one"), why.getMessage());
        enough.countDown();
        driver.join();
        poller.asDriver(() -> { }, 20_000_000);
    }

    @Test
    void nobodySleepsWithTheRoleWhileAnotherNeedsIt() throws Exception {
        CountDownLatch enough = new CountDownLatch(1);
        assertTrue(poller.claim());
        Thread claimant = Thread.ofPlatform().start(() -> poller.asDriver(() -> await(enough)));
        long end = MonotonicClock.nanos() + ENOUGH_NANOS;
        while (!poller.isClaimed() && MonotonicClock.nanos() < end) {
            Thread.onSpinWait();
        }
        poller.release();
        assertFalse(poller.claim(), "the other one has it, or is to have it");
        enough.countDown();
        claimant.join();
        assertTrue(poller.claim());
        poller.release();
    }

    @Test
    void whoWaitsInsideATurnGivesTheOthersTheirs() {
        Counting other = new Counting();
        Driven waits = new Counting() {
            @Override
            protected void onTurn() {
                long end = MonotonicClock.nanos() + ENOUGH_NANOS;
                while (other.turns == 0 && MonotonicClock.nanos() < end) {
                    poller.drive(1);
                }
                assertEquals(1, other.turns);
            }
        };
        poller.wantTurn(other);
        poller.wantTurn(waits);
        poller.drive(1);
    }

    @Test
    void aTurnThatThrowsTakesNobodyElsesAway() {
        Counting other = new Counting();
        Driven throwing = new Counting() {
            @Override
            protected void onTurn() {
                throw new IllegalStateException("on purpose");
            }
        };
        poller.wantTurn(other);
        poller.wantTurn(throwing);
        assertThrows(IllegalStateException.class, () -> poller.drive(1));
        poller.drive(1);
        assertEquals(1, other.turns);
    }

    @Test
    void whoWaitsInsideSomethingDueSeesWhatIsDueMeanwhile() {
        Counting waits = new Counting() {
            @Override
            protected long onDue(long now) {
                looks++;
                long end = MonotonicClock.nanos() + ENOUGH_NANOS;
                while (looks == 1 && MonotonicClock.nanos() < end) {
                    poller.drive(1);
                }
                return Operation.NEVER;
            }
        };
        poller.add(1, waits);
        poller.dueBy(MonotonicClock.nanos());
        poller.drive(1);
        assertEquals(2, waits.looks);
    }

    @Test
    void whatIsDueIsLookedForAgainAfterAFault() {
        Counting faulty = new Counting() {
            @Override
            protected long onDue(long now) {
                if (looks++ == 0) {
                    throw new IllegalStateException("on purpose");
                }
                return Operation.NEVER;
            }
        };
        poller.add(1, faulty);
        poller.dueBy(MonotonicClock.nanos());
        assertThrows(IllegalStateException.class, () -> poller.drive(1));
        long end = MonotonicClock.nanos() + ENOUGH_NANOS;
        while (faulty.looks == 1 && MonotonicClock.nanos() < end) {
            poller.drive(1);
        }
        assertEquals(2, faulty.looks);
    }

    @Test
    void aWaitThatAThreadIsToEndLeavesNothingInLine() throws Exception {
        Poller threaded = new Poller(context, 16, PollMode.EVENT, "test", false);
        threaded.start();
        try {
            Never never = new Never();
            assertFalse(threaded.await(never, MonotonicClock.nanos() + 5_000_000));
            assertTrue(never.parked);
            assertNull(threaded.line().leave());
        } finally {
            threaded.close();
        }
    }

    /** Waits for what doesn't come. */
    private static final class Never implements Waiter {
        boolean parked;
        private boolean inLine;
        private Waiter behind;

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public boolean parks(Thread thread) {
            parked |= thread != null;
            return true;
        }

        @Override
        public void wake() {
            // Nobody has anything to say.
        }

        @Override
        public boolean enter() {
            boolean first = !inLine;
            inLine = true;
            return first;
        }

        @Override
        public void exit() {
            inLine = false;
        }

        @Override
        public Waiter behind() {
            return behind;
        }

        @Override
        public void behind(Waiter waiter) {
            behind = waiter;
        }
    }
}
