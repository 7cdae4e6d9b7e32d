package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every way of losing some of the first packets, for one request of every kind and some sizes. */
class SmallModelTest {
    private static final Kind[] KINDS = {
        Kind.SEND, Kind.SEND_IMM, Kind.WRITE, Kind.WRITE_IMM, Kind.READ, Kind.COMPARE_SWAP, Kind.FETCH_ADD
    };

    @Test
    void everyLossAmongTheFirstSevenPackets() {
        explore(7, 0xFFFFFD);
    }

    @Test
    @Tag("ci")
    void everyLossAmongTheFirstTwelvePacketsFromFourSequenceNumbers() {
        for (int psn : new int[] {0, (1 << 23) - 1, 1 << 23, (1 << 24) - 3}) {
            explore(12, psn);
        }
    }

    private static void explore(int bits, int psn) {
        try (var sim = new Sim()) {
            for (Kind kind : KINDS) {
                for (int packets = 1; packets <= (kind.isAtomic() ? 1 : 4); packets++) {
                    for (int lost = 0; lost < 1 << bits; lost++) {
                        check(sim, kind, packets, psn, lost);
                    }
                }
            }
            assertTrue(sim.packets() > KINDS.length * (1 << bits) * 2L, sim.packets() + " packets");
        }
    }

    private static void check(Sim sim, Kind kind, int packets, int psn, int lost) {
        Scenario scenario = Draw.small(kind, packets, psn, lost);
        try {
            sim.run(scenario, null, null);
        } catch (RuntimeException | AssertionError e) {
            fail("%s of %d packets from psn %x, lost 0x%x".formatted(kind, packets, psn, lost), e);
        }
    }
}
