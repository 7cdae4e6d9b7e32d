package io.verbena.async.handshake;

import java.util.LinkedHashSet;
import java.util.List;

/**
 * How many strangers a server deals with at a time: so many under way, and as many that have been sent off and only
 * have to hear it. Only the loop's thread uses it.
 */
final class Places {
    private final int max;
    private final LinkedHashSet<ServerSession> underWay = new LinkedHashSet<>();
    private final LinkedHashSet<ServerSession> leaving = new LinkedHashSet<>();

    Places(int max) {
        this.max = max;
    }

    /**
     * Gives a place to a new one. If there is none, the oldest of which nothing is known yet gives way: an honest
     * client says its hello within milliseconds, so who sits there for long without a word doesn't keep others out.
     *
     * @return false if all others are further than that
     */
    boolean enter(ServerSession session) {
        if (underWay.size() >= max) {
            var stranger = underWay.stream().filter(ServerSession::isStranger).findFirst();
            if (stranger.isEmpty()) {
                return false;
            }
            stranger.get().fail(full());
            underWay.remove(stranger.get());
        }
        underWay.add(session);
        return true;
    }

    /** It is over, but its channel is open until the other end has heard so. */
    void leave(ServerSession session) {
        underWay.remove(session);
        leaving.add(session);
        if (leaving.size() > max) {
            leaving.removeFirst().channel().close();
        }
    }

    /** It is done, or its channel is closed. */
    void free(ServerSession session) {
        underWay.remove(session);
        leaving.remove(session);
    }

    /** Ends what is under way. */
    void close() {
        List.copyOf(underWay).forEach(session -> session.fail(
                new HandshakeException(FailureKind.CLOSED, "the server was closed while the handshake was under way")));
    }

    HandshakeException full() {
        return new HandshakeException(
                FailureKind.FULL, "this server has " + max + " handshakes under way, its limit; try again later");
    }
}
