package io.verbena.nic.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Control calls wait for who was active lately, and forget who was not. */
class RosterTest {
    private final Roster roster = new Roster();

    /** A member whose data calls are played by the test. */
    private final class Caller extends Roster.Member {
        private final Guard guard = new Guard();
        private int waits;

        @Override
        protected long activity() {
            return guard.sample();
        }

        @Override
        protected void awaitQuiescent() {
            waits++;
            guard.awaitQuiescent();
        }

        void call() {
            guard.enter();
            roster.enlist(this);
            guard.exit();
        }
    }

    private int waitsOf(Caller caller) {
        int before = caller.waits;
        roster.awaitQuiescent();
        return caller.waits - before;
    }

    @Test
    void whoNeverCalledIsNotWaitedFor() {
        assertEquals(0, waitsOf(new Caller()));
        assertEquals(0, roster.size());
    }

    @Test
    void whoCalledIsWaitedForUntilOneControlCallFoundItIdle() {
        Caller caller = new Caller();
        caller.call();
        assertEquals(1, roster.size());
        assertEquals(1, waitsOf(caller));
        assertEquals(1, waitsOf(caller));
        assertEquals(0, waitsOf(caller));
        assertEquals(0, roster.size());
    }

    @Test
    void whoGoesOnCallingStays() {
        Caller caller = new Caller();
        for (int i = 0; i < 10; i++) {
            caller.call();
            assertEquals(1, waitsOf(caller));
            assertEquals(1, roster.size());
        }
    }

    @Test
    void whoWasDismissedComesBack() {
        Caller caller = new Caller();
        for (int i = 0; i < 3; i++) {
            caller.call();
            roster.awaitQuiescent();
            roster.awaitQuiescent();
            assertEquals(0, roster.size());
        }
    }

    @Test
    void onlyTheIdleOnesOfManyAreDismissed() {
        Caller[] callers = new Caller[100];
        for (int i = 0; i < callers.length; i++) {
            callers[i] = new Caller();
            callers[i].call();
        }
        roster.awaitQuiescent();
        for (int i = 0; i < callers.length; i += 3) {
            callers[i].call();
        }
        roster.awaitQuiescent();
        assertEquals(34, roster.size());
        for (int i = 0; i < callers.length; i++) {
            callers[i].call();
            assertEquals(1, waitsOf(callers[i]), "caller " + i);
        }
    }

    @Test
    void whoIsRemovedIsForgotten() {
        Caller first = new Caller();
        Caller second = new Caller();
        Caller third = new Caller();
        first.call();
        second.call();
        third.call();
        roster.remove(second);
        roster.remove(second);
        roster.remove(new Caller());
        assertEquals(2, roster.size());
        assertEquals(0, waitsOf(second));
        roster.remove(third);
        roster.remove(first);
        assertEquals(0, roster.size());
        second.call();
        assertEquals(1, waitsOf(second));
    }

    @Test
    void waitsForACallInFlight() throws InterruptedException {
        Caller caller = new Caller();
        caller.call();
        caller.guard.enter();
        Thread control = new Thread(roster::awaitQuiescent);
        control.start();
        control.join(50);
        assertTrue(control.isAlive(), "did not wait");
        caller.guard.exit();
        control.join(10_000);
        assertFalse(control.isAlive(), "waits for ever");
    }
}
