package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Loss, reordering, duplication and damage in every combination. */
class MatrixTest {
    private static final double[] LOSS = {0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3};
    private static final double[] REORDER = {0, 0.01, 0.1, 0.5};
    private static final double[] DUPLICATE = {0, 0.01, 0.1};
    private static final double[] CORRUPT = {0, 0.001, 0.05};
    private static final long DELAY_NS = 20_000;

    @Test
    void everyCellOnce() {
        matrix(1, 40);
    }

    @Test
    @Tag("ci")
    void everyCellTwentyTimes() {
        matrix(20, 200);
    }

    @ParameterizedTest
    @EnumSource(value = Service.class, names = {"UC", "UD"})
    void cellsOfTheServicesWithoutAnswers(Service service) {
        int cell = 0;
        try (var sim = new Sim()) {
            for (double loss : new double[] {0, 0.02, 0.3}) {
                for (double reorder : new double[] {0, 0.1}) {
                    for (double duplicate : new double[] {0, 0.1}) {
                        for (double corrupt : new double[] {0, 0.05}) {
                            var faults = new Faults(loss, duplicate, reorder, corrupt, DELAY_NS / 4, DELAY_NS,
                                    Integer.MAX_VALUE);
                            for (int seed = 0; seed < 20; seed++) {
                                checkUnreliable(sim, service, faults, 1000L * cell + seed);
                            }
                            cell++;
                        }
                    }
                }
            }
        }
    }

    private static void checkUnreliable(Sim sim, Service service, Faults faults, long seed) {
        try {
            sim.run(service, Draw.unreliable(service, seed, faults, 200), null, null);
        } catch (RuntimeException | AssertionError e) {
            fail(service + " seed " + seed + " of " + faults, e);
        }
    }

    private static void matrix(int seeds, int requests) {
        int cell = 0;
        try (var sim = new Sim()) {
            for (double loss : LOSS) {
                for (double reorder : REORDER) {
                    for (double duplicate : DUPLICATE) {
                        for (double corrupt : CORRUPT) {
                            var faults = new Faults(loss, duplicate, reorder, corrupt, DELAY_NS / 4, DELAY_NS,
                                    Integer.MAX_VALUE);
                            for (int seed = 0; seed < seeds; seed++) {
                                check(sim, faults, 1000L * cell + seed, requests);
                            }
                            cell++;
                        }
                    }
                }
            }
        }
    }

    private static void check(Sim sim, Faults faults, long seed, int requests) {
        try {
            sim.run(Draw.matrix(seed, faults, requests), null, null);
        } catch (RuntimeException | AssertionError e) {
            fail("seed " + seed + " of " + faults, e);
        }
    }
}
