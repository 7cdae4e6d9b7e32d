package io.verbena.bench;

import java.util.Locale;

/**
 * The whole numbers that an option takes: written once, used for reading, checking and explaining.
 *
 * @param option as the user writes it, for example {@code -n}
 * @param least smallest value allowed
 * @param most largest value allowed
 * @param unit what is counted, in the plural
 * @param suffixes whether k, m and g (2^10, 2^20, 2^30) may follow
 */
public record OptionRange(String option, long least, long most, String unit, boolean suffixes) {
    /** Message sizes of most tests. */
    public static final OptionRange SIZE = new OptionRange("-s", 1, 1L << 30, "bytes", true);
    /** Message sizes of ping-pong, where a message may be empty. */
    public static final OptionRange MESSAGE = new OptionRange("-s", 0, 1L << 30, "bytes", true);
    /** Measured iterations. */
    public static final OptionRange ITERATIONS = new OptionRange("-n", 1, 1_000_000_000, "iterations");
    /** Queue pairs. */
    public static final OptionRange QPS = new OptionRange("-q", 1, 16_384, "queue pairs");
    /** Send queue depth; the device says how much less. */
    public static final OptionRange TX_DEPTH = new OptionRange("-t", 1, 1_000_000_000, "work requests");
    /** Receive queue depth. */
    public static final OptionRange RX_DEPTH = new OptionRange("-r", 1, 16_384, "work requests");
    /** Work requests of one doorbell. */
    public static final OptionRange POST_LIST = new OptionRange("-l", 1, 16_384, "work requests");
    /** One completion for how many work requests. */
    public static final OptionRange CQ_MOD = new OptionRange("-Q", 1, 16_384, "work requests");
    /** Largest message to post inline; the device says how much less. */
    public static final OptionRange INLINE = new OptionRange("-I", 0, 1_000_000_000, "bytes");
    /** Local ACK timeout code. */
    public static final OptionRange TIMEOUT =
            new OptionRange("-u", 0, 31, "as in 4.096 us * 2^timeout, 0 waits without end");
    /** Tries for want of an answer. */
    public static final OptionRange RETRY_COUNT = new OptionRange("--retry_count", 0, 7, "tries");
    /** Tries for want of a receive. */
    public static final OptionRange RNR_RETRY = new OptionRange("--rnr_retry", 0, 7, "tries, 7 tries without end");

    /**
     * A range without suffixes.
     *
     * @param option as the user writes it
     * @param least smallest value allowed
     * @param most largest value allowed
     * @param unit what is counted, in the plural
     */
    public OptionRange(String option, long least, long most, String unit) {
        this(option, least, most, unit, false);
    }

    /**
     * The same range for another option.
     *
     * @param newOption as the user writes it
     * @return a changed copy
     */
    public OptionRange named(String newOption) {
        return new OptionRange(newOption, least, most, unit, suffixes);
    }

    /**
     * Reads and checks what the user wrote.
     *
     * @param text what the user wrote
     * @return its value
     * @throws BadOptionException when it is not a number or out of range
     */
    public long parse(String text) {
        long value;
        try {
            value = read(text.strip().toLowerCase(Locale.ROOT));
        } catch (NumberFormatException | ArithmeticException e) {
            throw BadOptionException.value(option, '"' + text + '"', allowed());
        }
        if (value < least || value > most) {
            throw BadOptionException.value(option, text.strip(), allowed());
        }
        return value;
    }

    private long read(String text) {
        int shift = suffixes && !text.isEmpty() ? 10 * ("kmg".indexOf(text.charAt(text.length() - 1)) + 1) : 0;
        long digits = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1));
        return Math.multiplyExact(digits, 1L << shift);
    }

    /**
     * Checks a value.
     *
     * @param value the value
     * @return value
     * @throws BadOptionException when it is out of range
     */
    public long check(long value) {
        if (value < least || value > most) {
            throw BadOptionException.value(option, value, allowed());
        }
        return value;
    }

    /**
     * What is allowed, for messages.
     *
     * @return for example {@code 1 to 16384 queue pairs}
     */
    public String allowed() {
        return least + " to " + most + ' ' + unit + (suffixes ? " (k, m, g may follow)" : "");
    }
}
