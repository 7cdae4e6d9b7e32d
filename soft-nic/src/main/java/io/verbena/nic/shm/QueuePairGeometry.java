package io.verbena.nic.shm;

import io.verbena.nic.ring.ReceiveQueue;

/**
 * Where the parts of a queue pair's receive side lie, as its owner says. Whoever uses it checks it first: see
 * {@link #problem}.
 *
 * @param slots receives and completions, a power of two
 * @param maxSge buffers of one receive
 * @param postedAt the posted word, bytes from the start of the board
 * @param receivesAt the first posted receive, bytes from the start of the board
 * @param receiveShift log2 of the bytes of one
 * @param inboxBytes the size of the inbox
 * @param completionsAt the first completion entry, bytes from the start of the inbox
 */
record QueuePairGeometry(
        int slots, int maxSge, long postedAt, long receivesAt, int receiveShift, long inboxBytes, long completionsAt) {
    /** Most slots of any queue pair. */
    static final int MAX_SLOTS = 1 << 16;
    /** Most buffers of one receive. */
    static final int MAX_SGE = 64;
    /** The largest inbox. */
    static final long MAX_INBOX_BYTES = 1L << 24;

    /** Where in the inbox the guard of the user's requester is. */
    static final int GUARD_AT = 0;
    /** Where in the inbox the packet sequence number is that the user's next message starts with. */
    static final int PSN_AT = 8;
    /** Where in the inbox the user says that it may send now. */
    static final int READY_AT = 16;
    /** Where in the inbox the first completion entry is. */
    static final int COMPLETIONS_AT = 128;

    private static final int LINE = 64;

    /**
     * What is wrong with it, so that it must not be used.
     *
     * @param boardBytes how much of the board is mapped
     * @return the first fault found; null when everything lies where it can be reached
     */
    String problem(long boardBytes) {
        if (slots < 1 || slots > MAX_SLOTS || Integer.bitCount(slots) != 1) {
            return "slots is " + slots + "; allowed: a power of two up to " + MAX_SLOTS;
        }
        if (maxSge < 0 || maxSge > MAX_SGE) {
            return "maxSge is " + maxSge + "; allowed: 0 to " + MAX_SGE;
        }
        if (receiveShift != ReceiveQueue.receiveShift(maxSge)) {
            return "receiveShift is " + receiveShift + "; with " + maxSge + " buffers it is "
                    + ReceiveQueue.receiveShift(maxSge);
        }
        if (inboxBytes < 1 || inboxBytes > MAX_INBOX_BYTES) {
            return "inboxBytes is " + inboxBytes + "; allowed: 1 to " + MAX_INBOX_BYTES;
        }
        if (!lies(postedAt, ReceiveQueue.headerBytes(), boardBytes)) {
            return "postedAt is " + postedAt + ", which is not a line of a board of " + boardBytes + " bytes";
        }
        if (!lies(receivesAt, (long) slots << receiveShift, boardBytes)) {
            return "receivesAt is " + receivesAt + ": they do not lie in a board of " + boardBytes + " bytes";
        }
        if (completionsAt < COMPLETIONS_AT || !lies(completionsAt, ReceiveQueue.completionBytes(slots), inboxBytes)) {
            return "completionsAt is " + completionsAt + ": they do not lie in an inbox of " + inboxBytes + " bytes";
        }
        return null;
    }

    /** Bytes that an inbox for so many completions needs. */
    static long inboxBytes(int slots) {
        return COMPLETIONS_AT + ReceiveQueue.completionBytes(slots);
    }

    private static boolean lies(long at, long bytes, long in) {
        return at >= 0 && at % LINE == 0 && at <= in - bytes;
    }
}
