package io.verbena;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition, with a deadline. */
final class Waiting {
    private static final long DEADLINE_NANOS = 20_000_000_000L;
    private static final long PAUSE_NANOS = 1_000_000;

    private Waiting() {}

    static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    static void until(Supplier<String> what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > DEADLINE_NANOS) {
                throw new AssertionError("not in " + DEADLINE_NANOS + " ns: " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
