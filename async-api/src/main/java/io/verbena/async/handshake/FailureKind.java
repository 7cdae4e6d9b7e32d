package io.verbena.async.handshake;

/** Why two ends didn't come together. The ordinal plus 1 is its number in a REFUSED frame: new ones go to the end. */
public enum FailureKind {
    /** Nobody listens at the address. */
    REFUSED,
    /** The address can't be reached, or its name is unknown. */
    UNREACHABLE,
    /** The time was over before both ends were ready. */
    TIMEOUT,
    /** The two ends have no version of the handshake in common. */
    VERSION,
    /** One end needs something that the other one can't do. */
    CAPABILITY,
    /** The two devices can't reach each other: different kinds of link, or different places. */
    LINK,
    /** The shared secret differs, or only one end has one. */
    SECRET,
    /** TLS failed: a certificate wasn't trusted, its name was wrong, or only one end speaks TLS. */
    TLS,
    /** The other end's program didn't want this connection. */
    REJECTED,
    /** The other end has too many connections under way, or too many waiting to be accepted. */
    FULL,
    /** What came isn't this handshake, or breaks its rules. */
    PROTOCOL,
    /** The other end went away in the middle. */
    ENDED,
    /** One end couldn't make or connect its queue pair. */
    FAILED,
    /** It was closed or cancelled while it was under way. */
    CLOSED;

    private static final FailureKind[] ALL = values();

    int code() {
        return ordinal() + 1;
    }

    /** The kind of a number from outside; {@link #REJECTED} for those of later versions. */
    static FailureKind ofCode(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1] : REJECTED;
    }
}
