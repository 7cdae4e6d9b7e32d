package io.verbena;

import io.verbena.async.op.Poller;
import io.verbena.async.op.Worker;
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
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open device with what its connections share: a memory pool, and who waits for completions. Where everything
 * starts; a process usually has one. Safe from any thread unless {@link NodeConfig#threading()} says otherwise.
 */
public final class RdmaNode implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RdmaNode.class.getName());
    private static final int FIRST_COMPLETIONS = 1_024;
    private static final ThreadFactory DEPENDENTS = Thread.ofVirtual().name("verbena-dependent-", 0).factory();
    /** One for each task: a task that blocks keeps no other waiting, however few cores there are. */
    private static final Executor VIRTUAL_THREADS = task -> DEPENDENTS.newThread(task).start();

    private final NodeConfig config;
    private final Context context;
    private final ProtectionDomain domain;
    private final MemoryPool memory;
    private final Poller poller;
    private final FutureHome home;
    private final Connector connector;
    private final Teardown teardown;
    private final EventWatch events;
    private final Worker[] workers;
    private final AtomicInteger nextWorker = new AtomicInteger();
    private final Set<ConnectionCore> connections = ConcurrentHashMap.newKeySet();
    private final Object completionsLock = new Object();
    private int completions;
    private volatile boolean closed;

    /** Whatever it makes is known to the teardown at once, so that nothing is left when it fails midway. */
    private RdmaNode(NodeConfig config, Context context, Teardown teardown) {
        this.config = config;
        this.context = context;
        this.teardown = teardown;
        domain = context.allocateProtectionDomain();
        teardown.add(domain::close);
        memory = new MemoryPool(domain, config.pool());
        teardown.add(memory::close);
        poller = new Poller(context, FIRST_COMPLETIONS, config.poller().mode(), "verbena-poller",
                config.threading() == Threading.SINGLE);
        teardown.add(poller::close);
        events = new EventWatch(this);
        poller.add(EventWatch.NO_NUMBER, events);
        workers = new Worker[config.delivery().workers()];
        for (int i = 0; i < workers.length; i++) {
            Worker worker = new Worker("verbena-worker-" + i);
            workers[i] = worker;
            teardown.add(worker::close);
        }
        Executor executor = config.delivery().executor() == null ? VIRTUAL_THREADS : config.delivery().executor();
        home = new FutureHome(poller, executor, config.delivery().inlineDependents());
        connector = new Connector(this, executor);
        poller.start();
        teardown.add(this::endConnections);
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
        Teardown teardown = new Teardown();
        try {
            Context context = Devices.open(config.device());
            teardown.add(context::close);
            context.queryGid(config.port().port(), config.port().gidIndex());
            context.queryPkey(config.port().port(), config.port().pkeyIndex());
            return new RdmaNode(config, context, teardown);
        } catch (RuntimeException | Error e) {
            teardown.after(e);
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
     * Two connections of this node that are connected with each other, for trying out and for tests. {@link
     * ConnectionPair} has names for them.
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
     * Connects to a {@link RdmaServer}, with the usual handshake.
     *
     * @param server where it listens, as {@link RdmaServer#address()} tells
     * @param connection how; what the server has may make it less
     * @return as {@link #connect(InetSocketAddress, ConnectionConfig, HandshakeConfig)}
     */
    public CompletableFuture<RdmaConnection> connect(InetSocketAddress server, ConnectionConfig connection) {
        return connect(server, connection, HandshakeConfig.DEFAULT);
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
     * Listens for clients, with the usual handshake, and takes everybody.
     *
     * @param address where, over TCP; port 0 for any free one
     * @param connection how they are connected; what they have may make it less
     * @return as {@link #listen(InetSocketAddress, ConnectionConfig, HandshakeConfig, Admission)}
     */
    public RdmaServer listen(InetSocketAddress address, ConnectionConfig connection) {
        return listen(address, connection, HandshakeConfig.DEFAULT, Admission.EVERYBODY);
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

    /** Who tells of what completes on the next connection; null when the driver does. */
    Worker worker() {
        return workers.length == 0 ? null : workers[Math.floorMod(nextWorker.getAndIncrement(), workers.length)];
    }

    void remember(ConnectionCore core) {
        connections.add(core);
        events.begin();
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
        Teardown steps = new Teardown();
        for (ConnectionCore each : connections) {
            steps.add(() -> each.life.closeNow("closed with its node"));
        }
        steps.run();
    }

    /**
     * Closes connections that are open, at once; then everything else. Workers tell of what is left before; one that
     * does not return from a callback is waited for 5 seconds, and one that calls this not at all. Closing twice does
     * nothing.
     */
    @Override
    public void close() {
        synchronized (completionsLock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        teardown.run();
    }

    private void endConnections() {
        Teardown steps = new Teardown();
        steps.add(this::drainEvents);
        // Those that the threads of handshakes made until they ended.
        steps.add(this::closeConnections);
        steps.add(connector::close);
        steps.add(this::closeConnections);
        steps.add(connector::closeServers);
        steps.run();
    }

    @Override
    public String toString() {
        return "node on " + context.device().name() + (closed ? ", closed" : ", connections: " + connections());
    }
}
