package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

/** D17: each connection of a device gets the events about itself, all of them, and no other's. */
class D17EventsTest {
    private static final int CONNECTIONS = 6;

    @EveryLink
    void eventsReachTheConnectionsThatTheyAreAbout(String link) {
        try (Ends ends = Ends.open(link)) {
            List<RdmaConnection[]> pairs = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                pairs.add(RdmaNode.pair(ends.here, ends.there, ends.left.config()));
            }
            RemoteMemory wrong = RemoteMemory.of(4_096, 8, 0x12345678, Ends.REMOTE);
            for (int i = 0; i < CONNECTIONS; i += 2) {
                pairs.get(i)[0].write(ends.leftMemory(8), wrong);
            }
            for (int i = 0; i < CONNECTIONS; i += 2) {
                // The end that was reached at knows it by an event alone.
                RdmaConnection reached = pairs.get(i)[1];
                ends.until(() -> reached.state() == ConnectionState.FAILED);
                String number = Integer.toHexString(reached.qpNum());
                assertTrue(reached.failure().getMessage().contains(number), reached.failure().getMessage());
            }
            for (int i = 1; i < CONNECTIONS; i += 2) {
                assertEquals(ConnectionState.OPEN, pairs.get(i)[1].state());
                ends.await(pairs.get(i)[1].send(ends.rightMemory(8)));
                assertEquals(8, ends.await(pairs.get(i)[0].receive()).length());
            }
            pairs.forEach(pair -> {
                pair[0].closeNow();
                pair[1].closeNow();
            });
        }
    }
}
