package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** D15: a receive that nobody waits for any more takes no message. */
class D15CancelledReceiveTest {
    @EveryLink
    void messagesGoToReceivesThatAreStillWanted(String link) {
        try (Ends ends = Ends.open(link)) {
            RdmaFuture<ReceivedMessage> cancelled = ends.right.receive();
            RdmaFuture<ReceivedMessage> overdue = ends.right.receive();
            RdmaFuture<ReceivedMessage> replaced = ends.right.receive();
            RdmaFuture<ReceivedMessage> wanted = ends.right.receive();
            assertTrue(cancelled.cancel(false));
            overdue.orTimeout(1, TimeUnit.MILLISECONDS);
            assertInstanceOf(TimeoutException.class, ends.failure(overdue));
            replaced.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS);
            ends.until(replaced::isDone);
            for (String each : new String[] {"first", "second", "third"}) {
                ends.await(ends.left.send(Ends.text(ends.here, each)));
            }
            assertEquals("first", Ends.text(ends.await(wanted)));
            RdmaFuture<ReceivedMessage> late = ends.right.receive();
            assertEquals("second", Ends.text(ends.await(late)));
            assertEquals("third", Ends.text(ends.await(ends.right.receive())));
        }
    }

    @EveryLink
    void immediateDataDoToo(String link) {
        try (Ends ends = Ends.open(link)) {
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            ends.right.receiveWriteImm().cancel(false);
            RdmaFuture<Integer> wanted = ends.right.receiveWriteImm();
            ends.await(ends.left.writeWithImm(ends.leftMemory(8), remote, 5));
            assertEquals(5, ends.await(wanted));
        }
    }

    /** Cancelled while messages come in: each goes to exactly one receive, in order. */
    @EveryLink
    void noMessageIsLostWhicheverReceivesAreCancelledMeanwhile(String link) throws Exception {
        try (Ends ends = Ends.open(link, ConnectionConfig.DEFAULT.withBackPressure(BackPressure.queue(1_000)),
                PollerMode.ADAPTIVE)) {
            int messages = 500;
            for (int i = 0; i < messages; i++) {
                ends.left.send(Ends.text(ends.here, "" + i));
            }
            for (int next = 0; next < messages;) {
                RdmaFuture<ReceivedMessage> given = ends.right.receive();
                if (next % 3 != 0 || !given.cancel(false)) {
                    try (ReceivedMessage message = Ends.get(given)) {
                        assertEquals("" + next, Ends.text(message));
                    }
                    next++;
                    continue;
                }
                try (ReceivedMessage message = Ends.get(ends.right.receive())) {
                    assertEquals("" + next, Ends.text(message));
                    next++;
                }
            }
        }
    }
}
