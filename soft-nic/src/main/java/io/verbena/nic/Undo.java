package io.verbena.nic;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** What to give back when something that is made step by step can't be finished: the last thing first. */
final class Undo {
    private final Deque<Runnable> steps = new ArrayDeque<>();

    /** Notes how a thing is given back, if there is one; returns the thing. */
    <T> T add(T thing, Consumer<? super T> back) {
        if (thing != null) {
            steps.push(() -> back.accept(thing));
        }
        return thing;
    }

    /** Gives everything back, as far as it can be. */
    void all() {
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                // What failed before this is what is told; the other steps matter more than why this one failed.
            }
        }
    }
}
