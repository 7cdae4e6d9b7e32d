package io.verbena.nic.wire;

import java.util.Arrays;

/**
 * When which queue pair has to be looked at next: a heap, the earliest first. A deadline that has moved back stays
 * where it was: the queue pair is looked at in vain once, instead of being moved with every packet. Who has none is not
 * here.
 */
final class Deadlines {
    /** The place of a queue pair that is not here. */
    static final int NOWHERE = -1;

    private WiredPair[] heap = new WiredPair[16];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** The earliest deadline; only when there is one. */
    long next() {
        return heap[0].deadline;
    }

    /** Whether a deadline is over. */
    boolean isDue(long now) {
        return size > 0 && heap[0].deadline - now <= 0;
    }

    /** Takes the queue pair whose deadline is earliest if it is over; else null. */
    WiredPair takeDue(long now) {
        if (!isDue(now)) {
            return null;
        }
        WiredPair first = heap[0];
        remove(first);
        return first;
    }

    /** Looks at a queue pair at some time, or before. */
    void by(WiredPair pair, long when) {
        if (pair.place != NOWHERE && pair.deadline - when <= 0) {
            return;
        }
        pair.deadline = when;
        if (pair.place == NOWHERE) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            put(pair, size++);
        }
        rise(pair);
    }

    /** Forgets a queue pair. */
    void remove(WiredPair pair) {
        int place = pair.place;
        if (place == NOWHERE) {
            return;
        }
        pair.place = NOWHERE;
        WiredPair last = heap[--size];
        heap[size] = null;
        if (last != pair) {
            put(last, place);
            rise(last);
            sink(last);
        }
    }

    private void put(WiredPair pair, int place) {
        heap[place] = pair;
        pair.place = place;
    }

    private void rise(WiredPair pair) {
        int place = pair.place;
        while (place > 0) {
            WiredPair above = heap[(place - 1) / 2];
            if (above.deadline - pair.deadline <= 0) {
                break;
            }
            int free = above.place;
            put(above, place);
            place = free;
        }
        put(pair, place);
    }

    private void sink(WiredPair pair) {
        int place = pair.place;
        for (int below = 2 * place + 1; below < size; below = 2 * place + 1) {
            if (below + 1 < size && heap[below + 1].deadline - heap[below].deadline < 0) {
                below++;
            }
            if (heap[below].deadline - pair.deadline >= 0) {
                break;
            }
            put(heap[below], place);
            place = below;
        }
        put(pair, place);
    }
}
