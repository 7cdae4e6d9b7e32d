package io.verbena.nic.wire;

/** Queue pairs that get a turn soon, in order, each once. By the holder of the progress role, or while nobody is. */
final class ActivePairs {
    private WiredPair first;
    private WiredPair last;
    private int dueCount;

    boolean isEmpty() {
        return first == null;
    }

    /** The one whose turn is last; null when there is none. */
    WiredPair last() {
        return last;
    }

    /** Adds a queue pair at the end, if it is not here. */
    void add(WiredPair pair) {
        if (pair.active) {
            return;
        }
        pair.active = true;
        if (last == null) {
            first = pair;
        } else {
            last.nextActive = pair;
        }
        last = pair;
    }

    /**
     * Adds a queue pair whose deadline is over. Those that wait for a shared receive often become due together: each is
     * first now and then, or one of them would get every receive.
     */
    void addDue(WiredPair pair) {
        if (pair.active || last == null || (++dueCount & 1) == 0) {
            add(pair);
            return;
        }
        pair.active = true;
        pair.nextActive = first;
        first = pair;
    }

    /** Takes the first one; only when there is one. */
    WiredPair take() {
        WiredPair pair = first;
        first = pair.nextActive;
        if (first == null) {
            last = null;
        }
        pair.nextActive = null;
        pair.active = false;
        return pair;
    }
}
