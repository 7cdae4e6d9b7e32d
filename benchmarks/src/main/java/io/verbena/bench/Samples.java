package io.verbena.bench;

import java.util.Arrays;

/** Samples of one quantity, taken in turns with those of another one that they are compared with. */
public final class Samples {
    private double[] values = new double[16];
    private int size;

    /** Starts without samples. */
    public Samples() {}

    /**
     * Adds a sample.
     *
     * @param value finite
     */
    public void add(double value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /**
     * How many samples there are.
     *
     * @return 0 or more
     */
    public int size() {
        return size;
    }

    /**
     * The median.
     *
     * @return the middle sample, or the mean of the middle two; NaN without samples
     */
    public double median() {
        double[] sorted = Arrays.copyOf(values, size);
        Arrays.sort(sorted);
        return size == 0 ? Double.NaN : (sorted[(size - 1) / 2] + sorted[size / 2]) / 2;
    }

    /**
     * The median of the ratios of samples taken in the same turn.
     *
     * @param base samples to divide by, taken in the same turns
     * @return median of this / base
     */
    public double medianRatio(Samples base) {
        Samples ratios = new Samples();
        for (int i = 0; i < Math.min(size, base.size); i++) {
            ratios.add(values[i] / base.values[i]);
        }
        return ratios.median();
    }
}
