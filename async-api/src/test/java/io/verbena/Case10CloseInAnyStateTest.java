package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;

/** Case 10: closing does no harm in any state, by any end, and again. */
class Case10CloseInAnyStateTest {
    private static final Duration SOON = Duration.ofMillis(200);

    @EveryLink
    void whatWasNeverConnected(String link) {
        try (RdmaNode node = RdmaNode.open(Ends.node(link, PollerMode.MANUAL))) {
            long used = node.memory().statistics().usedBytes();
            PreparedConnection prepared = node.prepare(ConnectionConfig.DEFAULT);
            prepared.close();
            prepared.close();
            assertThrows(IllegalStateException.class, () -> prepared.connect(prepared.endpoint()));
            assertEquals(0, node.connections());
            assertEquals(used, node.memory().statistics().usedBytes());
            node.prepare(ConnectionConfig.DEFAULT);
        }
    }

    @EveryLink
    void whatHasNoPeer(String link) {
        try (RdmaNode node = RdmaNode.open(Ends.node(link, PollerMode.MANUAL))) {
            PreparedConnection prepared = node.prepare(ConnectionConfig.DEFAULT);
            prepared.connect(prepared.endpoint()).close(SOON);
            PreparedConnection gone = node.prepare(ConnectionConfig.DEFAULT);
            PreparedConnection left = node.prepare(ConnectionConfig.DEFAULT);
            gone.close();
            RdmaConnection lonely = left.connect(gone.endpoint());
            lonely.close(SOON);
            lonely.closeNow();
            assertEquals(ConnectionState.CLOSED, lonely.state());
            assertEquals(0, node.connections());
        }
    }

    @EveryLink
    void whatHasFailedAndWhatIsClosed(String link) {
        try (Ends ends = Ends.open(link)) {
            ends.failure(ends.left.read(ends.leftMemory(8), RemoteMemory.of(4_096, 8, 0x12345678, Ends.REMOTE)));
            assertEquals(ConnectionState.FAILED, ends.left.state());
            RdmaException failure = ends.left.failure();
            for (int i = 0; i < 2; i++) {
                ends.left.close(SOON);
                ends.left.closeNow();
                ends.right.closeNow();
                ends.right.close(SOON);
            }
            assertEquals(ConnectionState.CLOSED, ends.left.state());
            assertEquals(failure, ends.left.failure());
            assertThrows(ConnectionClosedException.class, () -> {
                throw ends.left.send(ends.leftMemory(8)).exceptionNow();
            });
        }
    }

    @EveryLink
    void whatNobodyAccepted(String link) throws Exception {
        try (var met = new Met(link)) {
            var client = Met.get(met.ask());
            client.close();
            client.close();
            met.server.close();
            met.server.close();
            met.nothingIsLeft();
        }
    }
}
