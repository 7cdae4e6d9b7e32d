package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A receiver can tell that the peer has closed in order from everything else that ends a connection. */
class OrderlyEndTest {
    private static Throwable how(CompletableFuture<?> future) throws Exception {
        try {
            future.get(20, TimeUnit.SECONDS);
            throw new AssertionError("nothing ended");
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    @EveryLink
    void everythingThatWasSentComesBeforeTheEnd(String link) throws Exception {
        try (Ends ends = Ends.open(link, ConnectionConfig.DEFAULT, PollerMode.ADAPTIVE)) {
            for (int i = 1; i <= 20; i++) {
                ends.left.send(ends.leftMemory(i % 5 == 0 ? 10_000 : i));
            }
            ends.left.close();
            List<Long> lengths = new ArrayList<>();
            RdmaFuture<ReceivedMessage> next = ends.right.receive();
            while (true) {
                try (ReceivedMessage message = next.get(20, TimeUnit.SECONDS)) {
                    lengths.add(message.length());
                } catch (ExecutionException e) {
                    assertInstanceOf(PeerClosedException.class, e.getCause());
                    break;
                }
                next = ends.right.receive();
            }
            assertEquals(20, lengths.size());
            assertInstanceOf(PeerClosedException.class, ends.right.failure());
            assertInstanceOf(PeerClosedException.class, how(ends.right.send(ends.rightMemory(8))));
        }
    }

    @Test
    void aPeerThatClosesAtOnceHasNotClosedInOrder() throws Exception {
        try (Met met = new Met("soft")) {
            CompletableFuture<RdmaConnection> asked = met.ask();
            RdmaConnection accepted = met.accept();
            RdmaFuture<ReceivedMessage> waiting = Met.get(asked).receive();
            accepted.closeNow();
            Throwable how = assertInstanceOf(ConnectionClosedException.class, how(waiting));
            assertFalse(how instanceof PeerClosedException, how.toString());
            Met.get(asked).close();
        }
    }

    @Test
    void whoClosesHereIsNotToldOfThePeer() throws Exception {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> waiting = ends.left.receive();
            ends.left.closeNow();
            Throwable how = assertInstanceOf(ConnectionClosedException.class, how(waiting));
            assertFalse(how instanceof PeerClosedException, how.toString());
        }
    }

    @Test
    void whoWaitsGetsWhatHasArrivedThoughTheFailureIsKnownFirst() {
        try (Ends ends = Ends.open("shm")) {
            List<RdmaFuture<ReceivedMessage>> waiting = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                waiting.add(ends.right.receive());
                ends.left.send(ends.leftMemory(i));
            }
            // The messages are in the completion queue of the right end, where nobody has looked.
            ends.right.abort();
            ends.there.poll(1);
            for (int i = 1; i <= 3; i++) {
                try (ReceivedMessage message = ends.await(waiting.get(i - 1))) {
                    assertEquals(i, message.length());
                }
            }
        }
    }
}
