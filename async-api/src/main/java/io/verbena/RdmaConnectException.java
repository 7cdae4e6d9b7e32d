package io.verbena;

import io.verbena.async.handshake.HandshakeException;

/**
 * Two ends didn't become connected. Both ends get one, of the same kind where they learn of it from each other; its
 * message says what was found, what would have been right, and what to do.
 */
public final class RdmaConnectException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean byPeer;

    /** Why two ends didn't become connected. */
    public enum Kind {
        /** Nobody listens at the address. */
        REFUSED,
        /** The address can't be reached, or its name is unknown. */
        UNREACHABLE,
        /** The time was over before both ends were ready. */
        TIMEOUT,
        /** The two ends have no version of the handshake in common. */
        VERSION,
        /** One end needs something that the other one can't do: for example one is raw and the other one is not. */
        CAPABILITY,
        /** The two devices can't reach each other: different kinds of link, processes or hosts. */
        LINK,
        /** The shared secret differs, or only one end has one. */
        SECRET,
        /** TLS failed: a certificate wasn't trusted, its name or date was wrong, or only one end speaks TLS. */
        TLS,
        /** The other end's program didn't want this connection. */
        REJECTED,
        /** The other end has too many connections under way, or too many waiting to be accepted. */
        FULL,
        /** What came isn't this handshake, or breaks its rules. */
        PROTOCOL,
        /** The other end went away in the middle. */
        ENDED,
        /** One end couldn't make or connect its queue pair, or couldn't listen. */
        FAILED,
        /** It was closed or cancelled while it was under way. */
        CLOSED
    }

    RdmaConnectException(Kind kind, String message) {
        super(message);
        this.kind = kind;
        byPeer = false;
    }

    RdmaConnectException(HandshakeException cause) {
        super(cause.getMessage(), cause);
        kind = Kind.valueOf(cause.kind().name());
        byPeer = cause.byPeer();
    }

    /**
     * Why.
     *
     * @return never null
     */
    public Kind kind() {
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
