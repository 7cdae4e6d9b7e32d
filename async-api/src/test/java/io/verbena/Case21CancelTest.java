package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CancellationException;

/** Case 21: what cancelling does is defined for each state of an operation. */
class Case21CancelTest {
    private static final int PLACES = 2;
    private static final ConnectionConfig FEW_PLACES = ConnectionConfig.DEFAULT
            .withQueues(QueueConfig.DEFAULT.withSends(PLACES)).withBackPressure(BackPressure.queue(4));

    @EveryLink
    void whatWaitsInLineIsTakenOutAndNeverHappens(String link) {
        try (Ends ends = Ends.open(link, FEW_PLACES)) {
            LocalMemory theirs = ends.rightMemory(8);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            LocalMemory mine = ends.leftMemory(8);
            LocalMemory ones = ends.leftMemory(8);
            ones.writable().fill((byte) 1);
            for (int i = 0; i < PLACES; i++) {
                ends.left.write(mine, remote);
            }
            RdmaFuture<Void> waits = ends.left.write(ones, remote);
            assertThrows(OwnershipException.class, ones::writable);
            assertTrue(waits.cancel(false));
            assertThrows(CancellationException.class, waits::join);
            assertTrue(waits.quiesced().isDone());
            ones.writable();
            ends.await(ends.left.flush());
            assertTrue(MemoryFixture.holds(theirs.readable(), 0));
        }
    }

    @EveryLink
    void whatWasPostedHappensAllTheSameAndKeepsItsMemoryUntilThen(String link) {
        try (Ends ends = Ends.open(link, FEW_PLACES)) {
            LocalMemory theirs = ends.rightMemory(8);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            LocalMemory ones = ends.leftMemory(8);
            ones.writable().fill((byte) 1);
            RdmaFuture<Void> posted = ends.left.write(ones, remote);
            assertTrue(posted.cancel(false));
            assertTrue(posted.isCancelled());
            assertFalse(posted.quiesced().isDone());
            assertThrows(OwnershipException.class, ones::writable);
            ends.await(posted.quiesced());
            ones.writable();
            assertTrue(MemoryFixture.holds(theirs.readable(), 1));
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @EveryLink
    void whatIsDoneStaysDone(String link) {
        try (Ends ends = Ends.open(link)) {
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            RdmaFuture<Long> done = ends.left.fetchAndAdd(remote, 5);
            ends.await(done);
            assertFalse(done.cancel(true));
            assertEquals(0, done.join());
            assertTrue(done.quiesced().isDone());
            RdmaFuture<Void> refused = ends.left.write(ends.leftMemory(9), remote);
            assertFalse(refused.cancel(true));
            assertInstanceOf(IllegalArgumentException.class, refused.exceptionNow());
        }
    }

    @EveryLink
    void whatIsAskedOfThePeerIsGivenBackWhenItComesLate(String link) {
        try (Ends ends = Ends.open(link)) {
            RdmaFuture<RemoteMemory> asked = ends.left.requestMemory(64, Ends.REMOTE, null);
            assertTrue(asked.cancel(false));
            assertTrue(asked.quiesced().isDone());
            ends.until(() -> ends.there.memory().leases() == 0 && ends.left.core.isIdle());
            RemoteMemory next = ends.await(ends.left.requestMemory(64, Ends.REMOTE, null));
            ends.until(() -> ends.there.memory().leases() == 1);
            ends.await(ends.left.releaseMemory(next));
        }
    }

    @EveryLink
    void abortingIsHowToMakeSureThatItDoesNotHappenLater(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            RdmaFuture<Void> posted = ends.left.write(mine, remote);
            posted.cancel(false);
            posted.abort();
            ends.await(posted.quiesced());
            mine.writable();
            assertEquals(ConnectionState.FAILED, ends.left.state());
            assertTrue(ends.left.failure().getMessage().contains("abort"), ends.left.failure().getMessage());
        }
    }
}
