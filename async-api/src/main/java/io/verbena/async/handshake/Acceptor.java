package io.verbena.async.handshake;

import java.net.SocketAddress;

/** The program behind a handshake server. Its methods are called by workers of the loop, several at a time. */
public interface Acceptor {
    /**
     * A client asks, whose secret has been checked. Makes the queue pair, connects it to the client's and posts its
     * receives.
     *
     * @param theirs what the client said
     * @param version the version of the handshake, for {@link Negotiation#agree}
     * @param from the client's address
     * @return the queue pair, or why there is none
     * @throws HandshakeException as a refusal too; other exceptions refuse as FAILED
     */
    Answer offer(Hello theirs, int version, SocketAddress from);

    /**
     * A handshake failed before there was an offer, or by a refusal.
     *
     * @param from the client's address
     * @param why why
     */
    void refused(SocketAddress from, HandshakeException why);
}
