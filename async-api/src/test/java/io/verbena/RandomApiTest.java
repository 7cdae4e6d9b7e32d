package io.verbena;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Random use of connections and memory by several threads, against a model: every operation ends once, within its
 * deadline and a second, with what it must have done; no memory is used anew before it is quiesced; nothing is left.
 * A seed that failed is tried again with {@code -Dverbena.async.seed=N}.
 */
class RandomApiTest {
    private static final List<String> LINKS = List.of("soft", "shm");
    private static final Long CHOSEN = Long.getLong("verbena.async.seed");
    private static final int STEPS = 5_000;
    private static final int WORLDS = 100;
    private static final int WARM_UP_SEEDS = 3;
    private static final long SLACK_BYTES = 8 << 20;

    @ParameterizedTest
    @FieldSource("LINKS")
    void everyOperationEndsOnceAsItMust(String link) throws Exception {
        ModelWorld.run(link, CHOSEN == null ? 1 : CHOSEN, STEPS);
    }

    @ParameterizedTest
    @FieldSource("LINKS")
    @Tag("ci")
    @Timeout(600)
    void halfAMillionStepsLeaveNothing(String link) throws Exception {
        long first = CHOSEN == null ? System.nanoTime() : CHOSEN;
        for (int i = 0; i < WARM_UP_SEEDS; i++) {
            ModelWorld.run(link, i, STEPS);
        }
        Footing before = Footing.now();
        for (int i = 0; i < WORLDS; i++) {
            ModelWorld.run(link, first + i, STEPS);
        }
        Footing.await(before, SLACK_BYTES);
    }
}
