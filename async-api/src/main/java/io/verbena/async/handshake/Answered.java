package io.verbena.async.handshake;

import java.util.concurrent.CompletableFuture;

/** A server's answer that a client has, and both agree on; the client's queue pair is to be connected now. */
public final class Answered {
    private final ClientSession session;
    private final Hello theirs;
    private final Agreement agreement;

    Answered(ClientSession session, Hello theirs, Agreement agreement) {
        this.session = session;
        this.theirs = theirs;
        this.agreement = agreement;
    }

    /**
     * What the server said.
     *
     * @return its hello
     */
    public Hello theirs() {
        return theirs;
    }

    /**
     * What this end may count on.
     *
     * @return never null
     */
    public Agreement agreement() {
        return agreement;
    }

    /**
     * Says that this end's queue pair is connected and its receives are posted.
     *
     * @return ends with the control link once the server has taken the connection: from then on both may send; or
     *     exceptionally with a {@link HandshakeException}, within the time limit
     */
    public CompletableFuture<ControlLink> ready() {
        return session.ready();
    }

    /**
     * Gives up, and tells the server why.
     *
     * @param why what it is told
     */
    public void refuse(HandshakeException why) {
        session.refuse(why);
    }
}
