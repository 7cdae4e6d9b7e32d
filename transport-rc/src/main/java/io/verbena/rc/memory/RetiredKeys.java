package io.verbena.rc.memory;

import java.util.Arrays;
import org.agrona.collections.IntHashSet;

/**
 * The keys that were released last and must not be given out again yet, so that a stale key held by a peer opens
 * nothing. Remembers {@link #CAPACITY} keys; its memory grows with what it remembers. Not thread-safe.
 */
final class RetiredKeys {
    /** How many keys are remembered. */
    static final int CAPACITY = 1 << 16;

    private static final int INITIAL_CAPACITY = 64;

    private final IntHashSet keys = new IntHashSet();
    private int[] ring = new int[INITIAL_CAPACITY];
    private int size;
    private int oldest;

    /**
     * Remembers a key; forgets the oldest one when there are too many.
     *
     * @param key one that is not remembered
     */
    void add(int key) {
        if (size < CAPACITY) {
            if (size == ring.length) {
                ring = Arrays.copyOf(ring, 2 * size);
            }
            ring[size++] = key;
        } else {
            keys.remove(ring[oldest]);
            ring[oldest] = key;
            oldest = (oldest + 1) % CAPACITY;
        }
        boolean added = keys.add(key);
        assert added : "a key was given out while it was retired";
    }

    /**
     * Tells whether a key is remembered.
     *
     * @param key any
     * @return true while it must not be given out
     */
    boolean contains(int key) {
        return keys.contains(key);
    }

    /**
     * Tells whether a key that a window could have is remembered.
     *
     * @param key one of the window's keys
     * @return true while one with the same high 24 bits must not be given out
     */
    boolean containsLike(int key) {
        boolean found = false;
        for (int choice = 0; !found && choice <= MemorySlotLayout.CHOICE_MASK; choice++) {
            found = keys.contains(key & ~MemorySlotLayout.CHOICE_MASK | choice);
        }
        return found;
    }

    /**
     * How many keys are remembered.
     *
     * @return 0 to {@link #CAPACITY}
     */
    int size() {
        return size;
    }
}
