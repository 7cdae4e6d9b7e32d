package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;

/** Case 17: connecting by address and closing, over and over, leaves nothing. */
class Case17ConnectCyclesTest {
    private static final int WARM_UP = 40;
    private static final int FEW = 40;
    private static final int MANY = 10_000;
    /** A connection that was kept would take more than 500 KiB; of the many, some hundred bytes each are too much. */
    private static final long SLACK_BYTES = 3 << 20;

    @EveryLink
    void someCyclesLeaveNothing(String link) throws Exception {
        cycles(link, FEW);
    }

    @EveryLink
    @Tag("ci")
    void tenThousandCyclesLeaveNothing(String link) throws Exception {
        cycles(link, MANY);
    }

    private static void cycles(String link, int rounds) throws Exception {
        try (var met = new Met(link)) {
            for (var i = 0; i < WARM_UP; i++) {
                cycle(met, i);
            }
            met.nothingIsLeft();
            var before = Footing.now();
            var memory = met.serving.memory().statistics();
            for (var i = 0; i < rounds; i++) {
                cycle(met, i);
            }
            met.nothingIsLeft();
            assertEquals(memory.usedBlocks(), met.serving.memory().statistics().usedBlocks());
            assertEquals(memory.slabs(), met.serving.memory().statistics().slabs());
            assertEquals(0, met.serving.memory().leases() + met.asking.memory().leases());
            assertEquals(0, met.server.failures());
            Footing.await(before, SLACK_BYTES);
        }
    }

    /** Closed by either end, in order and not. */
    private static void cycle(Met met, int round) throws Exception {
        var client = Met.get(met.ask());
        var server = met.accept();
        var first = round % 2 == 0 ? client : server;
        var second = round % 2 == 0 ? server : client;
        if (round % 4 < 2) {
            first.closeNow();
            second.close();
        } else {
            first.closeNow();
            second.closeNow();
        }
        assertTrue(client.state() == ConnectionState.CLOSED && server.state() == ConnectionState.CLOSED);
    }
}
