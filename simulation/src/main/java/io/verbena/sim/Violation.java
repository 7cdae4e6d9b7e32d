package io.verbena.sim;

/** Something that must hold does not; the message starts with which rule (O1 to O10). */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
        super(message);
    }
}
