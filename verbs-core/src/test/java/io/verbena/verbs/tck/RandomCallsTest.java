package io.verbena.verbs.tck;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls with random arguments: nothing crashes, nothing undocumented is thrown, no queue is left stuck.
 * A failure names its seed; {@code -Dverbena.tck.seed=N} repeats it.
 */
@DisplayName("Random calls")
@Timeout(600)
class RandomCallsTest {
    private static final String SEED_PROPERTY = "verbena.tck.seed";
    private static final int WORLD_CALLS = 5_000;

    private static void run(long firstSeed, int calls) {
        for (long seed = firstSeed; seed < firstSeed + calls / WORLD_CALLS; seed++) {
            int call = 0;
            try (RandomWorld world = new RandomWorld(seed)) {
                while (call < WORLD_CALLS) {
                    world.call();
                    call++;
                }
                world.finish();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("random calls failed after call " + call + "; repeat with -D" + SEED_PROPERTY
                        + "=" + seed + " and test " + RandomCallsTest.class.getSimpleName() + ": " + e, e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000})
    void randomCallsLeaveNothingStuck(long seed) {
        run(seed, 20_000);
    }

    @Test
    void givenSeedIsRepeated() {
        run(Long.getLong(SEED_PROPERTY, 0), WORLD_CALLS);
    }

    @Test
    @Tag("ci")
    void millionRandomCallsLeaveNothingStuck() {
        run(100_000, 1_000_000);
    }

    @Test
    @Tag("ci")
    void randomCallsOfAFreshSeedLeaveNothingStuck() {
        run(System.nanoTime() >>> 8, 100_000);
    }
}
