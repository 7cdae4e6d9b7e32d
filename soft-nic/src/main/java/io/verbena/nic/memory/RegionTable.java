package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The segments behind region numbers, for memory that is reached by checked access only. Control calls are serialised
 * by the caller; {@link #segment} may be called by any thread.
 */
public final class RegionTable implements Regions {
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private volatile MemorySegment[] segments = new MemorySegment[64];
    private int used;

    /**
     * Adds a segment.
     *
     * @param segment kept reachable until removed
     * @return its number
     */
    public int add(MemorySegment segment) {
        int number = free.isEmpty() ? used++ : free.pop();
        MemorySegment[] current = segments;
        if (number == current.length) {
            current = Arrays.copyOf(current, 2 * number);
        }
        current[number] = segment;
        segments = current;
        return number;
    }

    /**
     * Removes a segment; no data call may use its number any more.
     *
     * @param number what {@link #add} returned
     */
    public void remove(int number) {
        segments[number] = null;
        free.push(number);
    }

    /**
     * Finds a segment.
     *
     * @param number what {@link #add} returned
     * @return the segment
     */
    @Override
    public MemorySegment segment(int number) {
        return segments[number];
    }
}
