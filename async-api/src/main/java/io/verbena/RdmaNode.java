package io.verbena;

import io.verbena.async.op.Poller;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.Threading;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * An open device with what its connections share: a memory pool, and who waits for completions. Where everything
 * starts; a process usually has one. Safe from any thread unless {@link NodeConfig#threading()} says otherwise.
 */
public final class RdmaNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RdmaNode.class.getName());
    private static final int FIRST_COMPLETIONS = 1_024;

    private final NodeConfig config;
    private final Context context;
    private final ProtectionDomain domain;
    private final MemoryPool memory;
    private final Poller poller;
    private final FutureHome home;
    private final Connector connector;
    private final Set<ConnectionCore> connections = ConcurrentHashMap.newKeySet();
    private final Object completionsLock = new Object();
    private int completions;
    private volatile boolean closed;

    private RdmaNode(NodeConfig config, Context context) {
        this.config = config;
        this.context = context;
        domain = context.allocateProtectionDomain();
        memory = new MemoryPool(domain, config.pool(), config.threading() == Threading.SINGLE);
        poller = new Poller(context, FIRST_COMPLETIONS, config.poller().mode(), "verbena-poller",
                config.threading() == Threading.SINGLE);
        Executor executor = config.executor() == null ? ForkJoinPool.commonPool() : config.executor();
        home = new FutureHome(poller, executor, config.inlineDependents());
        connector = new Connector(this, executor);
        poller.start();
    }

    /**
     * Opens a device.
     *
     * @param config which, and how
     * @return a new node; the caller closes it
     * @throws io.verbena.verbs.VerbsException when there is no such device or a setting of it is not allowed
     */
    public static RdmaNode open(NodeConfig config) {
        Checks.present("config", config);
        Context context = Devices.open(config.device());
        try {
            context.queryGid(config.port().port(), config.port().gidIndex());
            context.queryPkey(config.port().port(), config.port().pkeyIndex());
            return new RdmaNode(config, context);
        } catch (RuntimeException | Error e) {
            try {
                context.close();
            } catch (RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    /**
     * Opens a device with usual values.
     *
     * @param device as {@link Devices#open} takes it
     * @return a new node; the caller closes it
     * @throws io.verbena.verbs.VerbsException when there is no such device or a setting of it is not allowed
     */
    public static RdmaNode open(String device) {
        return open(NodeConfig.of(device));
    }

    /**
     * What it was made from.
     *
     * @return never null
     */
    public NodeConfig config() {
        return config;
    }

    /**
     * Where memory for operations comes from, for all connections of the node.
     *
     * @return the pool
     */
    public MemoryPool memory() {
        return memory;
    }

    /**
     * Prepares this side of a connection whose peer is told about it by some other way, for any peer that speaks RDMA
     * if {@link MessageConfig#raw()} is set.
     *
     * @param connection how
     * @return this side; the caller connects or closes it
     * @throws io.verbena.verbs.VerbsException when the device refuses something
     */
    public PreparedConnection prepare(ConnectionConfig connection) {
        if (closed) {
            throw new IllegalStateException("the node is closed; open another");
        }
        Checks.present("connection", connection);
        int sends = connection.sendPlaces();
        int receives = connection.receivePlaces();
        growCompletions(sends + receives);
        QueuePairCapabilities sizes = new QueuePairCapabilities(
                sends, receives, connection.queues().maxSge(), 1, connection.queues().maxInlineBytes());
        QueuePair queuePair = null;
        ConnectionCore core;
        try {
            queuePair = domain.createQueuePair(QueuePairConfig.rc(poller.queue(), sizes)
                    .withThreading(config.threading()));
            core = new ConnectionCore(this, connection, queuePair);
        } catch (RuntimeException | Error e) {
            if (queuePair != null) {
                queuePair.close();
            }
            shrinkCompletions(sends + receives);
            throw e;
        }
        PreparedConnection prepared = PreparedConnection.make(this, core);
        if (closed) {
            // Whoever closed the node meanwhile may have missed it.
            core.life.closeNow("closed with its node");
            throw new IllegalStateException("the node is closed; open another");
        }
        return prepared;
    }

    /**
     * Two connections of this node that are connected with each other, for trying out and for tests.
     *
     * @param connection how, for both
     * @return the two ends; the caller closes both
     * @throws io.verbena.verbs.VerbsException when the device refuses something
     */
    public RdmaConnection[] pair(ConnectionConfig connection) {
        return pair(this, this, connection);
    }

    /**
     * A connection of each of two nodes of this process, connected with each other. Both must be on devices that reach
     * each other.
     *
     * @param first one node
     * @param second the other, or the same
     * @param connection how, for both
     * @return the end at the first node, and the one at the second; the caller closes both
     * @throws io.verbena.verbs.VerbsException when a device refuses something
     */
    public static RdmaConnection[] pair(RdmaNode first, RdmaNode second, ConnectionConfig connection) {
        PreparedConnection one = first.prepare(connection);
        PreparedConnection other = null;
        try {
            other = second.prepare(connection);
            RdmaConnection connected = one.connect(other.endpoint());
            return new RdmaConnection[] {connected, other.connect(one.endpoint())};
        } catch (RuntimeException | Error e) {
            one.core().life.closeNow("not connected");
            if (other != null) {
                other.core().life.closeNow("not connected");
            }
            throw e;
        }
    }

    /**
     * Connects to a {@link RdmaServer}, with usual values.
     *
     * @param server where it listens, as {@link RdmaServer#address()} tells
     * @return as {@link #connect(InetSocketAddress, ConnectionConfig, HandshakeConfig)}
     */
    public CompletableFuture<RdmaConnection> connect(InetSocketAddress server) {
        return connect(server, ConnectionConfig.DEFAULT, HandshakeConfig.DEFAULT);
    }

    /**
     * Connects to a {@link RdmaServer}: over TCP both ends tell each other of their queue pairs, agree on the smaller
     * of their limits, and wait until both are ready. Both are on links that reach each other, and raw or not alike.
     *
     * @param server where it listens; a name is looked up
     * @param connection how; what the server has may make it less
     * @param handshake how to get there
     * @return ends within the handshake's timeout, with the connection, which the caller closes, or exceptionally with
     *     {@link RdmaConnectException}. Cancelling it ends the attempt. Dependents run on the node's executor
     * @throws io.verbena.verbs.VerbsException when the device refuses something
     * @throws IllegalArgumentException when a TLS file can't be used
     * @throws IllegalStateException when the node is closed, or its threading is SINGLE
     */
    public CompletableFuture<RdmaConnection> connect(
            InetSocketAddress server, ConnectionConfig connection, HandshakeConfig handshake) {
        return connector.connect(server, connection, handshake);
    }

    /**
     * Listens for clients, with usual values, and takes everybody.
     *
     * @param address where, over TCP; port 0 for any free one
     * @return as {@link #listen(InetSocketAddress, ConnectionConfig, HandshakeConfig, Admission)}
     */
    public RdmaServer listen(InetSocketAddress address) {
        return listen(address, ConnectionConfig.DEFAULT, HandshakeConfig.DEFAULT, Admission.EVERYBODY);
    }

    /**
     * Listens for clients.
     *
     * @param address where, over TCP; port 0 for any free one
     * @param connection how they are connected; what they have may make it less
     * @param handshake how they get there, and how many at a time
     * @param admission which of them are wanted
     * @return the server; the caller closes it, or the node does
     * @throws RdmaConnectException of kind FAILED when it can't listen there
     * @throws IllegalArgumentException when a TLS file can't be used
     * @throws IllegalStateException when the node is closed, or its threading is SINGLE
     */
    public RdmaServer listen(
            InetSocketAddress address, ConnectionConfig connection, HandshakeConfig handshake, Admission admission) {
        return connector.listen(address, connection, handshake, admission);
    }

    /**
     * Hands over completions and does what is due, for nodes with {@link PollerMode#MANUAL}.
     *
     * @return how many completions there were; 0 also when another thread does it
     */
    public int poll() {
        return Math.max(0, poller.drive(FIRST_COMPLETIONS));
    }

    /**
     * As {@link #poll()}, with a limit: a single one is the quickest way to an operation that is alone under way.
     *
     * @param max most completions to hand over, 1 or more
     * @return how many there were; 0 also when another thread does it
     */
    public int poll(int max) {
        Checks.range("max", max, 1, Integer.MAX_VALUE);
        return Math.max(0, poller.drive(max));
    }

    /**
     * How many connections are open or prepared.
     *
     * @return 0 or more
     */
    public int connections() {
        return connections.size();
    }

    Context context() {
        return context;
    }

    FutureHome home() {
        return home;
    }

    void remember(ConnectionCore core) {
        connections.add(core);
    }

    void forget(ConnectionCore core) {
        if (connections.remove(core)) {
            shrinkCompletions(core.config.sendPlaces() + core.config.receivePlaces());
        }
    }

    /** The completion queue holds whatever all connections can have under way, so it never overflows. */
    private void growCompletions(int more) {
        synchronized (completionsLock) {
            completions += more;
            if (completions > poller.queue().capacity()) {
                try {
                    poller.queue().resize(Math.max(completions, 2 * poller.queue().capacity()));
                } catch (RuntimeException e) {
                    completions -= more;
                    throw e;
                }
            }
        }
    }

    private void shrinkCompletions(int less) {
        synchronized (completionsLock) {
            completions -= less;
        }
    }

    /** Takes what the device has reported, and tells the connections concerned. */
    void drainEvents() {
        for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
            if (event instanceof AsyncEvent.QueuePairEvent about) {
                for (ConnectionCore each : connections) {
                    if (each.queuePair == about.queuePair()) {
                        each.life.event(about.kind());
                    }
                }
            }
            context.acknowledge(event);
        }
    }

    void callbackFailed(Throwable cause) {
        LOG.log(System.Logger.Level.ERROR, "a completion callback threw; its completion counts as handed over", cause);
    }

    private void closeConnections() {
        for (ConnectionCore each : connections) {
            each.life.closeNow("closed with its node");
        }
    }

    /** Closes connections that are open, at once; then everything else. Closing twice does nothing. */
    @Override
    public void close() {
        synchronized (completionsLock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        connector.closeServers();
        closeConnections();
        connector.close();
        // Those that the threads of handshakes made until they ended.
        closeConnections();
        drainEvents();
        poller.close();
        memory.close();
        domain.close();
        context.close();
    }

    @Override
    public String toString() {
        return "node on " + context.device().name() + (closed ? ", closed" : ", connections: " + connections());
    }
}
