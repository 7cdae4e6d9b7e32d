package io.verbena.async.memory;

/** The runs of one class that have a free block, in a ring so that each leaves at once. Guarded by the pool's lock. */
final class RunList {
    private Run first;

    Run first() {
        return first;
    }

    boolean hasOne() {
        return first != null && first.next == first;
    }

    void add(Run run) {
        if (first == null) {
            run.next = run;
            run.previous = run;
        } else {
            run.next = first;
            run.previous = first.previous;
            run.previous.next = run;
            first.previous = run;
        }
        first = run;
    }

    void remove(Run run) {
        if (run.next == run) {
            first = null;
        } else {
            run.previous.next = run.next;
            run.next.previous = run.previous;
            first = first == run ? run.next : first;
        }
        run.next = null;
        run.previous = null;
    }
}
