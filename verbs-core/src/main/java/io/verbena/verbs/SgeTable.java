package io.verbena.verbs;

/** Scatter/gather entries as three columns of numbers, shared by the two kinds of work request lists. */
final class SgeTable {
    /** The most scatter/gather entries a list may be made for. */
    static final int MAX_SGE = 1024;

    private final long[] addresses;
    private final long[] lengths;
    private final int[] lkeys;

    SgeTable(int entries) {
        addresses = new long[entries];
        lengths = new long[entries];
        lkeys = new int[entries];
    }

    static void check(int capacity, int maxSge) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw VerbsException.invalid("capacity", capacity, "1 to 1048576 work requests");
        }
        if (maxSge < 0 || maxSge > MAX_SGE) {
            throw VerbsException.invalid("maxSge", maxSge, "0 to " + MAX_SGE + " scatter/gather entries");
        }
        if ((long) capacity * maxSge > 1 << 26) {
            throw VerbsException.invalid("capacity * maxSge", (long) capacity * maxSge, "up to 67108864 in all");
        }
    }

    static VerbsException full(String what, int limit) {
        return new VerbsException(Errno.ENOMEM, what, "the list holds at most " + limit + " " + what
                + "; create it larger");
    }

    void set(int entry, long address, long length, int lkey) {
        addresses[entry] = address;
        lengths[entry] = length;
        lkeys[entry] = lkey;
    }

    long address(int entry) {
        return addresses[entry];
    }

    long length(int entry) {
        return lengths[entry];
    }

    int lkey(int entry) {
        return lkeys[entry];
    }
}
