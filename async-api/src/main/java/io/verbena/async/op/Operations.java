package io.verbena.async.op;

import java.util.function.Consumer;

/**
 * The places of one queue. Reserving one is a single compare-and-set, or none where one thread at a time uses the
 * table; giving one back is a store. A place comes back by its completion alone, so whoever has one can post.
 */
public final class Operations {
    private final Operation[] all;
    private final boolean alone;
    /**
     * Where to look first: at the place taken last, so that one operation after another uses the same few cache lines.
     * Wrong at times, which costs looks and nothing else.
     */
    private int hint;

    /**
     * Makes a table of free places.
     *
     * @param table which, as work request ids name it: 0 to 127
     * @param size places, 1 to 2^24
     * @param alone whether one thread at a time uses it
     */
    public Operations(int table, int size, boolean alone) {
        this.alone = alone;
        all = new Operation[size];
        for (int i = 0; i < size; i++) {
            all[i] = new Operation(table, i);
        }
    }

    /**
     * Takes a free place.
     *
     * @return the place, to be freed by its end; null when there is none
     */
    public Operation reserve() {
        Operation[] places = all;
        int at = hint;
        for (int looks = places.length; looks > 0; looks--) {
            Operation place = places[at];
            if (alone ? place.reserveAlone() : place.reserve()) {
                if (hint != at) {
                    hint = at;
                }
                return place;
            }
            if (++at >= places.length) {
                at = 0;
            }
        }
        return null;
    }

    /**
     * The operation that a completion belongs to.
     *
     * @param wrId the work request id
     * @return null when it has ended before, or was never begun
     */
    public Operation find(long wrId) {
        int index = Operation.indexOf(wrId);
        if (index >= all.length) {
            return null;
        }
        Operation place = all[index];
        return place.isInUse(wrId) ? place : null;
    }

    /**
     * Which table a completion belongs to.
     *
     * @param wrId the work request id
     * @return the number given to the constructor
     */
    public static int tableOf(long wrId) {
        return Operation.tableOf(wrId);
    }

    /**
     * Places.
     *
     * @return free or not
     */
    public int size() {
        return all.length;
    }

    /**
     * Operations under way.
     *
     * @return a glance
     */
    public int inUse() {
        int count = 0;
        for (Operation each : all) {
            count += each.isFree() ? 0 : 1;
        }
        return count;
    }

    /**
     * A place by its number.
     *
     * @param index 0 to size - 1
     * @return the place, free or not
     */
    public Operation at(int index) {
        return all[index];
    }

    /**
     * Hands over every operation whose deadline is over.
     *
     * @param now the time
     * @param expired what to do with one; must clear its deadline or free it
     * @return the earliest deadline of the others
     */
    public long expire(long now, Consumer<Operation> expired) {
        long next = Operation.NEVER;
        for (Operation each : all) {
            // A deadline is read again with the phase: whoever posts sets it before.
            if (each.isPosted() && each.deadline != Operation.NEVER) {
                if (each.deadline <= now) {
                    expired.accept(each);
                } else {
                    next = Math.min(next, each.deadline);
                }
            }
        }
        return next;
    }

    /**
     * Ends everything under way, once the NIC can't touch it any more.
     *
     * @param end what to do with one; must free it
     */
    public void endAll(Consumer<Operation> end) {
        for (Operation each : all) {
            if (!each.isFree()) {
                end.accept(each);
            }
        }
    }
}
