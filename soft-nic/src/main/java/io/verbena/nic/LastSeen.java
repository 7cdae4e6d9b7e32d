package io.verbena.nic;

/**
 * Remembers a few values, so that the queue pairs of a program, which mostly say the same, share one object each for
 * what they say. With the control lock held.
 */
final class LastSeen<T> {
    private static final int REMEMBERED = 8;

    private final Object[] values = new Object[REMEMBERED];
    private int oldest;

    /** The value seen before if one of them is equal, else this one. */
    @SuppressWarnings("unchecked") // only values of this type come in
    T same(T value) {
        for (Object known : values) {
            if (value.equals(known)) {
                return (T) known;
            }
        }
        values[oldest] = value;
        oldest = (oldest + 1) % REMEMBERED;
        return value;
    }
}
