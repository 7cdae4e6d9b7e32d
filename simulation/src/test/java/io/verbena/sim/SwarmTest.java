package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Seeds of the swarm: first those that once failed, then others. */
class SwarmTest {
    @Test
    void seedsThatOnceFailedHoldNow() throws IOException {
        seeds(Service.RC, kept());
    }

    @Test
    void aHundredSeeds() {
        for (Service service : Service.values()) {
            range(service, Sim.FIRST_FRESH_SEED, 100);
        }
    }

    @Test
    @Tag("ci")
    void fiveThousandSeeds() {
        for (Service service : Service.values()) {
            range(service, Sim.FIRST_FRESH_SEED + 1_000_000, 5_000);
        }
    }

    @Test
    @Tag("soak")
    void twentyThousandSeeds() {
        for (Service service : Service.values()) {
            range(service, Sim.FIRST_FRESH_SEED + 2_000_000, 20_000);
        }
    }

    /** The seeds in kept-seeds.txt, one a line; what follows a blank says what it showed. */
    private static List<Long> kept() throws IOException {
        try (var in = SwarmTest.class.getResourceAsStream("kept-seeds.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> Long.valueOf(line.split(" ")[0])).toList();
        }
    }

    private static void range(Service service, long first, int count) {
        seeds(service, java.util.stream.LongStream.range(first, first + count).boxed().toList());
    }

    private static void seeds(Service service, List<Long> seeds) {
        try (var sim = new Sim()) {
            for (long seed : seeds) {
                try {
                    sim.check(service, seed);
                } catch (RuntimeException | AssertionError e) {
                    fail("seed " + seed + "; replay it by: " + Sim.command(service, seed), e);
                }
            }
            assertTrue(sim.packets() > 100L * seeds.size(), sim.packets() + " packets");
        }
    }
}
