package io.verbena;

import java.time.Duration;

/** Checks of configuration values, worded alike. */
final class Checks {
    private Checks() {}

    static void range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed: " + least + " to " + most);
        }
    }

    static <T> T present(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is null; allowed: a value");
        }
        return value;
    }

    /** Null is allowed and means that there is none. */
    static void duration(String name, Duration value) {
        if (value != null && (value.isNegative() || value.isZero())) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed: more than 0, or null");
        }
    }

    static long nanos(Duration value) {
        try {
            return value.toNanos();
        } catch (ArithmeticException e) {
            return Long.MAX_VALUE;
        }
    }
}
