package io.verbena.async.handshake;

/**
 * What an acceptor has made for a client. For each one exactly one of the following happens: {@link Taker#established}
 * returns, or {@link Taker#failed} is called.
 *
 * @param mine what this end says about it
 * @param taker who takes the connection, or takes it apart
 */
public record Answer(Hello mine, Taker taker) {
    /** Who takes a connection, or takes it apart. Called by workers of the loop. */
    public interface Taker {
        /**
         * The client's end is ready. Once this returns the client is told that it may send.
         *
         * @param link the sign of life
         * @param agreement what this end may count on
         * @throws HandshakeException to refuse after all; {@link #failed} is called with it
         */
        void established(ControlLink link, Agreement agreement);

        /**
         * It came to nothing: what was made is to be closed.
         *
         * @param why why
         */
        void failed(HandshakeException why);
    }
}
