package io.verbena.async.handshake;

/** A handshake that failed. Its message says what was found, what would have been right, and what to do. */
public final class HandshakeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final FailureKind kind;
    private final boolean byPeer;

    private HandshakeException(FailureKind kind, boolean byPeer, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.byPeer = byPeer;
    }

    /**
     * A failure found at this end.
     *
     * @param kind why
     * @param message what was found, what would have been right, and what to do
     */
    public HandshakeException(FailureKind kind, String message) {
        this(kind, false, message, null);
    }

    /**
     * A failure found at this end, with what led to it.
     *
     * @param kind why
     * @param message what was found, what would have been right, and what to do
     * @param cause what led to it
     */
    public HandshakeException(FailureKind kind, String message, Throwable cause) {
        this(kind, false, message, cause);
    }

    static HandshakeException fromPeer(Refusal refusal) {
        return new HandshakeException(
                refusal.kind(), true,
                "the other end refused (" + refusal.kind() + ") and says: " + refusal.message(),
                null);
    }

    /** The same failure for another waiter, so that its stack trace shows who waited. */
    HandshakeException again() {
        return new HandshakeException(kind, byPeer, getMessage(), this);
    }

    /**
     * Why it failed.
     *
     * @return never null
     */
    public FailureKind kind() {
        return kind;
    }

    /**
     * Who found it.
     *
     * @return true if the other end refused, false if this end did or nobody answered
     */
    public boolean byPeer() {
        return byPeer;
    }
}
