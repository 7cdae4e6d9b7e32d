package io.verbena;

import java.util.ArrayDeque;

/** How to undo what was made, the last first. Every step is tried, whatever the others do. By one thread at a time. */
final class Teardown {
    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

    /** Something was made that this undoes. */
    void add(Runnable step) {
        steps.push(step);
    }

    /** Undoes everything because of a failure, which learns what fails besides. */
    void after(Throwable failure) {
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (RuntimeException | Error e) {
                failure.addSuppressed(e);
            }
        }
    }

    /** Undoes everything; throws the first failure, with the others suppressed, once all was tried. */
    void run() {
        Throwable first = null;
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }
}
