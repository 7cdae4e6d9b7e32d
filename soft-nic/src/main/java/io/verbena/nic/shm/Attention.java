package io.verbena.nic.shm;

import io.verbena.nic.ring.ArmedWord;

/**
 * How a user is noticed by who polls or waits for its completions, as the owner says. Whoever uses it checks it first:
 * see {@link #problem}.
 *
 * @param slot number of the connection in the user's bell
 * @param armedAt where on the board it is said whether an event is wanted; 0 when none ever is
 * @param sleepersAt where on the board it is said how many threads sleep until there is one
 * @param ear which word of the bell those threads watch
 */
record Attention(int slot, long armedAt, long sleepersAt, int ear) {
    /** In the word of sleepers: one that watches the bell. */
    static final long WATCHES = 1;
    /** In the word of sleepers: one that is woken by the owner's thread, to be reached through the socket. */
    static final long PARKS = 1L << 32;

    /** That of a connection whose owner looks unasked or at the bell only. */
    static Attention of(int slot, ArmedWord armed, Board board) {
        ArmedWord.Place place = armed == null ? null : armed.place();
        return place == null ? new Attention(slot, 0, 0, 0) : new Attention(
                slot, board.offset(place.armedAt()), board.offset(place.sleepersAt()), place.ear());
    }

    /**
     * What is wrong with it, so that it must not be used.
     *
     * @param boardBytes how much of the board is mapped
     * @return the first fault found; null when everything lies where it can be reached
     */
    String problem(long boardBytes) {
        if (slot < 0 || slot >= Bell.SLOTS) {
            return "slot is " + slot + "; allowed: 0 to " + (Bell.SLOTS - 1);
        }
        if (ear < 0 || ear >= Bell.EARS) {
            return "ear is " + ear + "; allowed: 0 to " + (Bell.EARS - 1);
        }
        if (!lies(armedAt, boardBytes) || !lies(sleepersAt, boardBytes)) {
            return "armedAt is " + armedAt + " and sleepersAt " + sleepersAt + ", which are not words of a board of "
                    + boardBytes + " bytes";
        }
        return null;
    }

    private static boolean lies(long at, long bytes) {
        return at >= 0 && at % Long.BYTES == 0 && at <= bytes - Long.BYTES;
    }
}
