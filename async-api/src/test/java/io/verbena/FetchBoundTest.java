package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Long messages that nobody has closed take a bounded share of the pool; the rest stays at the peer, none is lost. */
class FetchBoundTest {
    private static final int LONG = 100_000;
    private static final int MANY = 10;
    private static final ConnectionConfig CONFIG =
            ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withFetchBytes(2 * LONG + LONG / 2));

    private static LocalMemory message(Ends ends, int number) {
        LocalMemory memory = ends.leftMemory(LONG);
        memory.writable().set(ValueLayout.JAVA_INT, LONG - 4, number);
        return memory;
    }

    private static int number(ReceivedMessage message) {
        return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, message.length() - 4);
    }

    private static List<RdmaFuture<Void>> sendMany(Ends ends) {
        List<RdmaFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            try (LocalMemory memory = message(ends, i)) {
                sent.add(ends.left.send(memory));
            }
        }
        return sent;
    }

    @EveryLink
    void whatExceedsTheBoundWaitsAtThePeerUntilSomethingIsClosed(String link) {
        try (Ends ends = Ends.open(link, CONFIG)) {
            List<RdmaFuture<Void>> sent = sendMany(ends);
            // What comes behind is known to have been looked at.
            RdmaFuture<Void> last = ends.left.send(new byte[8]);
            ends.until(() -> last.isDone() && sent.get(1).isDone());
            for (int i = 0; i < MANY; i++) {
                for (int turn = 0; turn < 100; turn++) {
                    ends.here.poll();
                    ends.there.poll();
                }
                for (int behind = i + 2; behind < MANY; behind++) {
                    assertFalse(sent.get(behind).isDone(), behind + " is done though " + i + " is not closed");
                }
                try (ReceivedMessage received = ends.await(ends.right.receive())) {
                    assertEquals(i, number(received));
                }
                ends.await(sent.get(Math.min(i + 2, MANY - 1)));
            }
            assertEquals(8, ends.await(ends.right.receive()).length());
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @Test
    void oneIsFetchedHoweverLong() {
        ConnectionConfig none = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withFetchBytes(0));
        try (Ends ends = Ends.open("soft", none)) {
            sendMany(ends);
            for (int i = 0; i < MANY; i++) {
                try (ReceivedMessage received = ends.await(ends.right.receive())) {
                    assertEquals(i, number(received));
                }
            }
        }
    }

    @Test
    void aHandlerGetsAllOfThem() {
        try (Ends ends = Ends.open("shm", CONFIG)) {
            List<Integer> got = new ArrayList<>();
            ends.right.onMessage(received -> got.add(number(received)));
            List<RdmaFuture<Void>> sent = sendMany(ends);
            sent.forEach(ends::await);
            ends.until(() -> got.size() == MANY);
            for (int i = 0; i < MANY; i++) {
                assertEquals(i, got.get(i));
            }
        }
    }

    @Test
    void closingWithMessagesThatWaitLeavesNothing() {
        try (Ends ends = Ends.open("soft", CONFIG)) {
            List<RdmaFuture<Void>> sent = sendMany(ends);
            ends.until(() -> sent.get(1).isDone());
            ends.right.closeNow();
            ends.left.closeNow();
            assertTrue(sent.get(MANY - 1).isCompletedExceptionally());
            assertEquals(0, ends.here.memory().leases());
            assertEquals(0, ends.here.memory().statistics().usedBytes());
        }
    }
}
