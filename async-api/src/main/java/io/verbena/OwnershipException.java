package io.verbena;

/**
 * Memory was asked for that an operation in flight uses: it writes there, or it reads what would be written. Wait for
 * the operation's end, or use other memory.
 */
public final class OwnershipException extends RdmaException {
    private static final long serialVersionUID = 1L;

    OwnershipException(String message) {
        super(message);
    }
}
