package io.verbena.bench;

/**
 * How long to measure: a number of iterations or a time, after a warm-up.
 *
 * @param iterations measured iterations; 0 when the time decides
 * @param seconds measured time; 0 when the iterations decide
 * @param warmUpSeconds least time to run before measuring, so that the compiler is done
 */
public record RunLength(long iterations, double seconds, double warmUpSeconds) {
    /** The longest time that may be asked for. */
    public static final double MOST_SECONDS = 86_400;
    /** The longest warm-up that may be asked for. */
    public static final double MOST_WARM_UP_SECONDS = 600;

    /** Checks the values. */
    public RunLength {
        if (iterations != 0 && seconds != 0) {
            throw new BadOptionException("-n and -D contradict each other; give one of them");
        }
        if (seconds == 0) {
            OptionRange.ITERATIONS.check(iterations);
        } else {
            check("-D", seconds, Math.ulp(0.0), MOST_SECONDS);
        }
        check("--warmup", warmUpSeconds, 0, MOST_WARM_UP_SECONDS);
    }

    /**
     * Measures for a time after one second of warm-up.
     *
     * @param seconds more than 0
     * @return the length
     */
    public static RunLength ofSeconds(double seconds) {
        return new RunLength(0, seconds, 1);
    }

    /**
     * Measures a number of iterations after one second of warm-up.
     *
     * @param iterations 1 or more
     * @return the length
     */
    public static RunLength ofIterations(long iterations) {
        return new RunLength(iterations, 0, 1);
    }

    /**
     * The same with another warm-up.
     *
     * @param newSeconds least time before measuring
     * @return a changed copy
     */
    public RunLength withWarmUp(double newSeconds) {
        return new RunLength(iterations, seconds, newSeconds);
    }

    /**
     * Reads a time in seconds.
     *
     * @param option as the user writes it
     * @param text what the user wrote
     * @param most largest value allowed
     * @param zeroAllowed whether 0 is allowed
     * @return seconds
     * @throws BadOptionException when it is not a number or out of range
     */
    public static double parseSeconds(String option, String text, double most, boolean zeroAllowed) {
        double value;
        try {
            value = Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw BadOptionException.value(option, '"' + text + '"', allowed(most, zeroAllowed));
        }
        if (Character.isLetter(text.strip().charAt(text.strip().length() - 1))) { // "1d" is a Java double, not a time
            throw BadOptionException.value(option, '"' + text + '"', allowed(most, zeroAllowed));
        }
        check(option, value, zeroAllowed ? 0 : Math.ulp(0.0), most);
        return value;
    }

    private static void check(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw BadOptionException.value(option, value, allowed(most, least == 0));
        }
    }

    private static String allowed(double most, boolean zeroAllowed) {
        return (zeroAllowed ? "0 to " : "more than 0, up to ") + Math.round(most) + " seconds";
    }
}
