package io.verbena.nic.ring;

import io.verbena.nic.memory.OffHeap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether a completion queue is armed, and where peers in other processes read that. The memory that they read is used
 * again by other completion queues, never by anything else: a number in it tells them apart, so that a thread which is
 * late with a queue that was closed disarms no other.
 */
public final class ArmedWord {
    /** Nobody wants an event. */
    public static final int NOT_ARMED = 0;
    /** Solicited completions and failures make an event. */
    public static final int ARMED_SOLICITED = 1;
    /** The next completion makes an event. */
    public static final int ARMED_ALL = 2;

    private static final int KIND_BITS = 2;
    private static final int KIND_MASK = (1 << KIND_BITS) - 1;
    private static final AtomicLong LAST_NUMBER = new AtomicLong();

    private final long number;
    private final AtomicLong inside;
    private final Place place;

    /**
     * Where peers in other processes read.
     *
     * @param armedAt address of this word, 8 bytes
     * @param sleepersAt address of the word that tells whether somebody sleeps; both stay mapped for good
     * @param ear which word of a bell those who sleep watch
     */
    public record Place(long armedAt, long sleepersAt, int ear) {}

    /** Makes one for a queue that no other process sees. */
    public ArmedWord() {
        number = 0;
        inside = new AtomicLong();
        place = null;
    }

    /**
     * Makes one that other processes see.
     *
     * @param place where
     */
    public ArmedWord(Place place) {
        this.place = place;
        inside = null;
        number = LAST_NUMBER.incrementAndGet() << KIND_BITS;
        OffHeap.putLongRelease(place.armedAt(), number);
    }

    /** Where other processes see it; null when none does. */
    public Place place() {
        return place;
    }

    /** What an event is wanted for, from the word as others see it. */
    public static int kindOf(long word) {
        return (int) word & KIND_MASK;
    }

    int get() {
        long word = word();
        return isOwn(word) ? kindOf(word) : NOT_ARMED;
    }

    private long word() {
        return place == null ? inside.get() : OffHeap.getLongAcquire(place.armedAt());
    }

    private boolean isOwn(long word) {
        return (word & ~KIND_MASK) == number;
    }

    /** Arms for no less than what is wanted. */
    void widen(int wanted) {
        long word = word();
        while (isOwn(word) && kindOf(word) < wanted && !compareAndSet(kindOf(word), wanted)) {
            word = word();
        }
    }

    boolean compareAndSet(int expected, int wanted) {
        return place == null ? inside.compareAndSet(expected, wanted)
                : OffHeap.compareAndSetLong(place.armedAt(), number | expected, number | wanted);
    }
}
