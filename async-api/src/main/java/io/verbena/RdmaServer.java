package io.verbena;

import io.verbena.async.handshake.Acceptor;
import io.verbena.async.handshake.Agreement;
import io.verbena.async.handshake.Answer;
import io.verbena.async.handshake.ControlLink;
import io.verbena.async.handshake.FailureKind;
import io.verbena.async.handshake.HandshakeException;
import io.verbena.async.handshake.HandshakeServer;
import io.verbena.async.handshake.Hello;
import io.verbena.async.handshake.Negotiation;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Listens at a TCP address for clients that want to be connected, and makes a connection of its node for each. Made by
 * {@link RdmaNode#listen}. Safe from any thread.
 *
 * <p>A client that leaves, is refused or fails costs nothing that stays; {@link #onFailure} tells of it. Connections go
 * on when the server is closed.
 */
public final class RdmaServer implements AutoCloseable {
    private final RdmaNode node;
    private final Connector connector;
    private final Terms terms;
    private final Arrivals<RdmaConnection> arrivals;
    private final LongAdder failures = new LongAdder();
    private volatile BiConsumer<SocketAddress, RdmaConnectException> listener = (from, why) -> {};
    private HandshakeServer server;

    RdmaServer(RdmaNode node, Connector connector, Terms terms) {
        this.node = node;
        this.connector = connector;
        this.terms = terms;
        arrivals = new Arrivals<>(terms.handshake.backlog(), connector.executor(), RdmaConnection::closeNow);
    }

    /**
     * What connections of a server are made from.
     *
     * @param connection how
     * @param handshake how they are connected
     * @param admission with whom
     */
    record Terms(ConnectionConfig connection, HandshakeConfig handshake, Admission admission) {}

    void open(InetSocketAddress address) {
        server = HandshakeServer.bind(connector.loop(), address, terms.handshake.options(), new Entrance());
        connector.remember(this);
    }

    /**
     * Where it listens.
     *
     * @return its address with the port it got
     */
    public InetSocketAddress address() {
        return server.address();
    }

    /**
     * The next connection, in the order in which they were made. Both ends are ready to send and receive; the peer may
     * have gone away again meanwhile, which the connection's state says.
     *
     * @return ends with the connection, which the caller closes; exceptionally with {@link RdmaConnectException} of
     *     kind CLOSED once the server is closed. Cancelling it loses no connection
     */
    public CompletableFuture<RdmaConnection> accept() {
        return arrivals.take();
    }

    /**
     * Asks to be told of clients that didn't become connected. Whoever was told before isn't any more.
     *
     * @param told gets the client's address and what went wrong; called by threads of the node, several at a time, and
     *     must not block
     */
    public void onFailure(BiConsumer<SocketAddress, RdmaConnectException> told) {
        listener = Checks.present("told", told);
    }

    /**
     * How many clients didn't become connected so far, whatever the reason.
     *
     * @return 0 or more
     */
    public long failures() {
        return failures.sum();
    }

    private void failed(SocketAddress from, HandshakeException why) {
        failures.increment();
        listener.accept(from, new RdmaConnectException(why));
    }

    /**
     * Stops listening: the port is free when this returns. Ends handshakes under way, fails those who wait in
     * {@link #accept}, and closes connections that nobody has accepted. Closing twice does nothing.
     */
    @Override
    public void close() {
        server.close();
        connector.forget(this);
        arrivals.close(new RdmaConnectException(
                RdmaConnectException.Kind.CLOSED, "the server was closed; nobody is accepted any more"));
    }

    @Override
    public String toString() {
        return "server at " + address() + (arrivals.isClosed() ? ", closed" : "");
    }

    /** Where handshakes arrive. */
    private final class Entrance implements Acceptor {
        @Override
        public Answer offer(Hello theirs, int version, SocketAddress from) {
            var refusal = terms.admission.refusal(new ConnectRequest(from, theirs.privateData().clone()));
            if (refusal != null) {
                throw new HandshakeException(FailureKind.REJECTED, refusal);
            }
            var prepared = node.prepare(terms.connection);
            try {
                var mine = Greeting.of(node, prepared, terms.handshake.privateData());
                var agreement = Negotiation.agree(version, mine, theirs);
                var connection = Connector.connect(prepared, theirs.endpoint(), agreement);
                connection.introduce(new Introduction(from, theirs.privateData()));
                return new Answer(mine, new Guest(prepared.core(), connection, from));
            } catch (RuntimeException | Error e) {
                prepared.core().life.closeNow("not connected");
                throw e;
            }
        }

        @Override
        public void refused(SocketAddress from, HandshakeException why) {
            failed(from, why);
        }
    }

    /** A connection whose client isn't ready yet. */
    private final class Guest implements Answer.Taker {
        private final ConnectionCore core;
        private final RdmaConnection connection;
        private final SocketAddress from;

        Guest(ConnectionCore core, RdmaConnection connection, SocketAddress from) {
            this.core = core;
            this.connection = connection;
            this.from = from;
        }

        @Override
        public void established(ControlLink link, Agreement agreement) {
            if (arrivals.isClosed()) {
                throw new HandshakeException(FailureKind.CLOSED, "the server was closed while this client connected");
            }
            if (!arrivals.offer(connection)) {
                throw new HandshakeException(
                        FailureKind.FULL,
                        "this server's program hasn't accepted " + terms.handshake.backlog()
                                + " connections that wait already, its backlog; try again later");
            }
            core.life.attach(link);
        }

        @Override
        public void failed(HandshakeException why) {
            connection.closeNow();
            RdmaServer.this.failed(from, why);
        }
    }
}
