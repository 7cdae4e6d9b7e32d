package io.verbena.verbs.tck.peer;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions with a deadline: spins first, then parks for microseconds. */
public final class Waiting {
    /** How long a case waits for what must happen, unless it says otherwise. */
    public static final long LIMIT_NANOS = 20_000_000_000L;

    private static final int SPINS = 2_000;
    private static final long PARK_NANOS = 20_000;

    private Waiting() {}

    /**
     * Waits for a condition.
     *
     * @param condition asked again and again
     * @param timeoutNanos how long; 0 asks once
     * @return whether it became true
     */
    public static boolean until(BooleanSupplier condition, long timeoutNanos) {
        long start = System.nanoTime();
        for (int turn = 0; !condition.getAsBoolean(); turn++) {
            if (System.nanoTime() - start >= timeoutNanos) {
                return false;
            }
            if (turn < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
        return true;
    }

    /**
     * Lets time pass while nothing is called.
     *
     * @param nanos how long
     */
    public static void pause(long nanos) {
        long start = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Polls until enough completions have come or time is up.
     *
     * @param cq the queue
     * @param count how many to wait for
     * @param timeoutNanos how long
     * @return those that came, at most count
     * @throws VerbsException when polling answered a code before any completion came
     */
    public static ArrayList<Completion> poll(CompletionQueue cq, int count, long timeoutNanos) {
        ArrayList<Completion> polled = new ArrayList<>();
        WorkCompletion completion = new WorkCompletion();
        until(() -> {
            int code = 0;
            while (polled.size() < count && (code = cq.poll(completion)) > 0) {
                polled.add(Completion.of(completion));
            }
            if (code < 0 && polled.isEmpty()) {
                throw new VerbsException(PostStatus.errno(code), "cq", PostStatus.describe(code));
            }
            return code < 0 || polled.size() >= count;
        }, timeoutNanos);
        return polled;
    }
}
