package io.verbena.bench;

/** Told now and then how far a long measurement is. */
@FunctionalInterface
public interface Progress {
    /** Nobody is told. */
    Progress NONE = text -> { };

    /**
     * Something moved on.
     *
     * @param text what is going on, in a few words
     */
    void at(String text);
}
