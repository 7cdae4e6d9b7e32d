package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Who waits gets what arrives, in order, and nothing is lost. */
class ArrivalsTest {
    private final List<String> discarded = new ArrayList<>();
    private final Arrivals<String> arrivals = new Arrivals<>(2, Runnable::run, discarded::add);

    @Test
    void whatArrivesIsTakenInOrder() {
        var early = arrivals.take();
        assertTrue(arrivals.offer("a"));
        assertTrue(arrivals.offer("b"));
        assertTrue(arrivals.offer("c"));
        assertEquals("a", early.join());
        assertEquals("b", arrivals.take().join());
        assertEquals("c", arrivals.take().join());
    }

    @Test
    void moreThanTheBacklogAreRefused() {
        assertTrue(arrivals.offer("a"));
        assertTrue(arrivals.offer("b"));
        assertFalse(arrivals.offer("c"));
        arrivals.take();
        assertTrue(arrivals.offer("c"));
    }

    @Test
    void whoHasGivenUpTakesNothing() {
        var gone = arrivals.take();
        var next = arrivals.take();
        gone.cancel(false);
        arrivals.offer("a");
        assertEquals("a", next.join());
    }

    @Test
    void whatSomebodyGaveUpInTheLastMomentGoesToTheNext() {
        var handing = new ArrayList<Runnable>();
        Executor later = handing::add;
        var slow = new Arrivals<String>(2, later, discarded::add);
        var gone = slow.take();
        slow.offer("a");
        slow.offer("b");
        gone.cancel(false);
        handing.removeFirst().run();
        var next = slow.take();
        handing.removeFirst().run();
        assertEquals("a", next.join(), "lost, or behind what came after it");
        gone = slow.take();
        gone.cancel(false);
        slow.close(new RdmaConnectException(RdmaConnectException.Kind.CLOSED, "over"));
        handing.removeFirst().run();
        assertEquals(List.of("b"), discarded);
    }

    @Test
    void closingFailsWhoWaitsAndDiscardsWhatNobodyTook() {
        var waiting = arrivals.take();
        var why = new RdmaConnectException(RdmaConnectException.Kind.CLOSED, "over");
        arrivals.close(why);
        assertSame(why, assertThrows(CompletionException.class, waiting::join).getCause());
        assertSame(why, assertThrows(CompletionException.class, arrivals.take()::join).getCause());
        assertFalse(arrivals.offer("late"));
        var others = new Arrivals<String>(2, Runnable::run, discarded::add);
        others.offer("a");
        others.close(why);
        assertEquals(List.of("a"), discarded);
    }

    @Test
    void whatAnExecutorDoesNotTakeIsHandedOverAllTheSame() {
        Executor full = task -> {
            throw new RejectedExecutionException("full");
        };
        var refused = new Arrivals<String>(2, full, discarded::add);
        var waits = refused.take();
        assertTrue(refused.offer("a"));
        assertEquals("a", waits.join());
    }
}
