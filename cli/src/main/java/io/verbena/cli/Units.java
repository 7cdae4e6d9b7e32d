package io.verbena.cli;

import java.util.Locale;

/** Writes quantities for people. */
final class Units {
    private static final double KILO = 1_000;

    private Units() {}

    /** A time of so many nanoseconds, with three digits that matter. */
    static String nanos(double nanos) {
        if (nanos < KILO) {
            return String.format(Locale.ROOT, "%.0f ns", nanos);
        }
        if (nanos < KILO * KILO) {
            return String.format(Locale.ROOT, nanos < 100 * KILO ? "%.2f us" : "%.0f us", nanos / KILO);
        }
        return String.format(Locale.ROOT, "%.2f ms", nanos / KILO / KILO);
    }

    /** A number in text with the point of the root locale. */
    static String number(String pattern, double value) {
        return String.format(Locale.ROOT, pattern, value);
    }
}
