package io.verbena;

import io.verbena.async.handshake.Agreement;
import io.verbena.async.handshake.Answered;
import io.verbena.async.handshake.FailureKind;
import io.verbena.async.handshake.HandshakeClient;
import io.verbena.async.handshake.HandshakeException;
import io.verbena.async.handshake.HandshakeLoop;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.Threading;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Connects a node by addresses: the threads that shake hands, started by the first who needs them, and its clients. */
final class Connector implements AutoCloseable {
    private final RdmaNode node;
    private final Executor executor;
    private final Set<RdmaServer> servers = ConcurrentHashMap.newKeySet();
    private HandshakeLoop loop;
    private boolean closed;

    Connector(RdmaNode node, Executor executor) {
        this.node = node;
        this.executor = executor;
    }

    /** The threads that shake hands. They use the node besides the callers. */
    synchronized HandshakeLoop loop() {
        if (closed) {
            throw new IllegalStateException("the node is closed; open another");
        }
        if (node.config().threading() == Threading.SINGLE) {
            throw new IllegalStateException("threading is SINGLE, and handshakes have threads of their own that make "
                    + "queue pairs; open the node with SAFE, or connect by prepare()");
        }
        if (loop == null) {
            loop = new HandshakeLoop("verbena-handshake");
        }
        return loop;
    }

    Executor executor() {
        return executor;
    }

    CompletableFuture<RdmaConnection> connect(
            InetSocketAddress server, ConnectionConfig connection, HandshakeConfig handshake) {
        var client = new HandshakeClient(loop(), Checks.present("handshake", handshake).options());
        Checks.present("server", server);
        var prepared = node.prepare(connection);
        var result = new CompletableFuture<RdmaConnection>();
        CompletableFuture<Answered> answered;
        try {
            var mine = Greeting.of(node, prepared, handshake.privateData());
            answered = client.connect(server, mine, handshake.timeout());
        } catch (RuntimeException | Error e) {
            prepared.close();
            throw e;
        }
        answered.thenCompose(answer -> join(prepared, answer)).whenComplete((connected, failure) -> {
            if (failure != null) {
                prepared.core().life.closeNow("not connected");
                executor.execute(() -> result.completeExceptionally(publicOf(failure)));
            } else {
                executor.execute(() -> hand(result, connected));
            }
        });
        result.whenComplete((connected, failure) -> {
            if (result.isCancelled()) {
                answered.cancel(true);
            }
        });
        return result;
    }

    /** Whoever gave up doesn't get it; nobody else has it. */
    private static void hand(CompletableFuture<RdmaConnection> result, RdmaConnection connected) {
        if (!result.complete(connected)) {
            connected.closeNow();
        }
    }

    private static CompletableFuture<RdmaConnection> join(PreparedConnection prepared, Answered answer) {
        RdmaConnection connection;
        try {
            connection = connect(prepared, answer.theirs().endpoint(), answer.agreement());
        } catch (RuntimeException e) {
            var why = new HandshakeException(FailureKind.FAILED, "can't connect the queue pair: " + e.getMessage(), e);
            answer.refuse(why);
            throw why;
        }
        return answer.ready().thenApply(link -> {
            connection.introduce(new Introduction(link.remoteAddress(), answer.theirs().privateData()));
            prepared.core().life.attach(link);
            return connection;
        });
    }

    /** Connects one end's queue pair as both have agreed. */
    static RdmaConnection connect(PreparedConnection prepared, QueuePairEndpoint peer, Agreement agreement) {
        return prepared.connect(peer, Mtu.ofBytes(agreement.mtuBytes()), Greeting.limits(agreement));
    }

    private static Throwable publicOf(Throwable failure) {
        var cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof HandshakeException known ? new RdmaConnectException(known) : cause;
    }

    RdmaServer listen(
            InetSocketAddress address, ConnectionConfig connection, HandshakeConfig handshake, Admission admission) {
        Checks.present("address", address);
        Checks.present("connection", connection);
        Checks.present("handshake", handshake);
        Checks.present("admission", admission);
        try {
            var server = new RdmaServer(node, this, new RdmaServer.Terms(connection, handshake, admission));
            server.open(address);
            return server;
        } catch (HandshakeException e) {
            throw new RdmaConnectException(e);
        }
    }

    void remember(RdmaServer server) {
        servers.add(server);
    }

    void forget(RdmaServer server) {
        servers.remove(server);
    }

    /** Nobody connects any more; connections stay. */
    void closeServers() {
        synchronized (this) {
            closed = true;
        }
        servers.forEach(RdmaServer::close);
    }

    /** Ends the threads; whoever is connecting fails, and peers of connections that are still open notice. */
    @Override
    public void close() {
        closeServers();
        HandshakeLoop last;
        synchronized (this) {
            last = loop;
            loop = null;
        }
        if (last != null) {
            last.close();
        }
    }
}
