package io.verbena.nic.ring;

import java.util.Arrays;

/**
 * An {@link IdQueue} that can grow: ids are added to the newest queue and taken from older ones first. Growing is a
 * control call; a thread that still adds to an older queue, because it looked before, loses nothing and overtakes
 * nobody.
 *
 * <p>Why an older queue can't overflow: it has room for all ids there were when it was the newest, and ids made later
 * are handed out after the growth was published.
 */
final class IdQueues {
    private volatile IdQueue[] queues;

    IdQueues(IdQueue first) {
        queues = new IdQueue[] {first};
    }

    /** Adds a larger queue; by one caller at a time. */
    void grow(IdQueue larger) {
        IdQueue[] now = queues;
        IdQueue[] next = Arrays.copyOf(now, now.length + 1);
        next[now.length] = larger;
        queues = next;
    }

    /** Lets nobody take anything any more; see {@link IdQueue#retire}. */
    void retire() {
        for (IdQueue queue : queues) {
            queue.retire();
        }
    }

    int capacity() {
        IdQueue[] now = queues;
        return now[now.length - 1].capacity();
    }

    void offer(int id) {
        IdQueue[] now = queues;
        if (!now[now.length - 1].offer(id)) {
            throw new IllegalStateException("more ids than places: " + now[now.length - 1]);
        }
    }

    int poll() {
        IdQueue[] now = queues;
        return now.length == 1 ? now[0].poll() : poll(now, IdQueue.EMPTY);
    }

    /** Takes an id that {@link #peek} returned, unless somebody else has taken it. */
    boolean pollIf(int id) {
        IdQueue[] now = queues;
        return now.length == 1 ? now[0].pollIf(id) : poll(now, id) == id;
    }

    /**
     * Takes the oldest id, or a certain one if it is the oldest. Whoever added to an older queue and then to a newer
     * one must not be overtaken by itself: an id is taken only if the older queues were seen empty after the id was.
     */
    private static int poll(IdQueue[] now, int wanted) {
        for (;;) {
            int at = firstFilled(now);
            if (at == now.length) {
                return IdQueue.EMPTY;
            }
            long index = now[at].headIndex();
            int id = now[at].peekAt(index);
            if (id == IdQueue.EMPTY || firstFilled(now) < at) {
                continue;
            }
            if (wanted != IdQueue.EMPTY && id != wanted) {
                return IdQueue.EMPTY;
            }
            if (now[at].pollAt(index)) {
                return id;
            }
        }
    }

    /** The oldest id without taking it, or {@link IdQueue#EMPTY}; by the time of {@link #pollIf} it may be another. */
    int peek() {
        IdQueue[] now = queues;
        if (now.length == 1) {
            return now[0].peek();
        }
        for (;;) {
            int at = firstFilled(now);
            int id = at == now.length ? IdQueue.EMPTY : now[at].peek();
            if (id != IdQueue.EMPTY || at == now.length) {
                return id;
            }
        }
    }

    /** The oldest queue with something in it; the number of queues when there is none. */
    private static int firstFilled(IdQueue[] now) {
        int at = 0;
        while (at < now.length && now[at].peek() == IdQueue.EMPTY) {
            at++;
        }
        return at;
    }

    long size() {
        long size = 0;
        for (IdQueue queue : queues) {
            size += queue.size();
        }
        return size;
    }

    /** Ids added so far; a snapshot. */
    long added() {
        long added = 0;
        for (IdQueue queue : queues) {
            added += queue.tail;
        }
        return added;
    }

    /** Ids taken so far; a snapshot. */
    long taken() {
        long taken = 0;
        for (IdQueue queue : queues) {
            taken += queue.head;
        }
        return taken;
    }
}
