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
        if (now.length == 1) {
            return now[0].poll();
        }
        for (;;) {
            int at = firstFilled(now);
            if (at < 0) {
                return IdQueue.EMPTY;
            }
            int id = now[at].poll();
            if (id != IdQueue.EMPTY) {
                return id;
            }
        }
    }

    /** Takes an id that {@link #peek} returned, unless somebody else has taken it. */
    boolean pollIf(int id) {
        IdQueue[] now = queues;
        int at = now.length == 1 ? 0 : firstFilled(now);
        return at >= 0 && now[at].pollIf(id);
    }

    int peek() {
        IdQueue[] now = queues;
        if (now.length == 1) {
            return now[0].peek();
        }
        int at = firstFilled(now);
        return at < 0 ? IdQueue.EMPTY : now[at].peek();
    }

    /**
     * The oldest queue with something in it, or -1. Older queues are looked at again after one was found: whoever added
     * there, and then to the newer one, must not be overtaken by itself.
     */
    private static int firstFilled(IdQueue[] now) {
        int at = 0;
        while (at < now.length && now[at].peek() == IdQueue.EMPTY) {
            at++;
        }
        for (int older = 0; older < at; older++) {
            if (now[older].peek() != IdQueue.EMPTY) {
                return older;
            }
        }
        return at == now.length ? -1 : at;
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
