package io.verbena.async.memory;

import java.util.concurrent.atomic.AtomicLong;

/** A bound on bytes, perhaps within a wider one, as of a connection within its node. Safe from any thread. */
public final class Quota {
    private final long maxBytes;
    private final Quota parent;
    private final AtomicLong used = new AtomicLong();

    /**
     * Makes a quota of which nothing is used.
     *
     * @param maxBytes 0 or more
     * @param parent the wider one, or null
     */
    public Quota(long maxBytes, Quota parent) {
        this.maxBytes = maxBytes;
        this.parent = parent;
    }

    /**
     * Takes bytes here and in the wider quota, or nothing.
     *
     * @param bytes 0 or more
     * @return whether both had so many left
     */
    public boolean take(long bytes) {
        long before;
        do {
            before = used.get();
            if (bytes > maxBytes - before) {
                return false;
            }
        } while (!used.compareAndSet(before, before + bytes));
        if (parent != null && !parent.take(bytes)) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /**
     * Gives bytes back that were taken.
     *
     * @param bytes as taken
     */
    public void give(long bytes) {
        used.addAndGet(-bytes);
        if (parent != null) {
            parent.give(bytes);
        }
    }

    /**
     * How much is taken.
     *
     * @return bytes
     */
    public long used() {
        return used.get();
    }

    /**
     * How much may be taken.
     *
     * @return bytes
     */
    public long maxBytes() {
        return maxBytes;
    }
}
