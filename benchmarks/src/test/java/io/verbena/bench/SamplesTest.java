package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Medians and ratios. */
@Timeout(value = 10, unit = TimeUnit.SECONDS)
class SamplesTest {
    @Test
    void medianIsTheMiddle() {
        assertEquals(2, of(3, 1, 2).median());
        assertEquals(2.5, of(4, 3, 1, 2).median());
        assertTrue(Double.isNaN(new Samples().median()));
    }

    @Test
    void ratiosPairSamplesOfTheSameTurn() {
        assertEquals(2, of(2, 20, 9).medianRatio(of(1, 10, 9)));
    }

    @Test
    void growsAsNeeded() {
        Samples samples = new Samples();
        for (int i = 0; i < 1_000; i++) {
            samples.add(i);
        }
        assertEquals(1_000, samples.size());
        assertEquals(499.5, samples.median());
    }

    private static Samples of(double... values) {
        Samples samples = new Samples();
        for (double value : values) {
            samples.add(value);
        }
        return samples;
    }
}
