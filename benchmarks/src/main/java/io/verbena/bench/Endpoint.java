package io.verbena.bench;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Destination;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One end of a test: an open device with a protection domain, registered memory, completion queues and queue pairs,
 * perhaps with a shared receive queue. {@link #connect(Endpoint, Endpoint, PathConfig)} joins two of them in this
 * process.
 */
public final class Endpoint implements AutoCloseable {
    private static final int PEER_ACCESS = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    private static final long ALIGNMENT = 4_096;
    private static final int PSN_MASK = 0xFF_FFFF;
    private static final int QKEY = 0x1111_1111;

    private final EndpointConfig config;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final Context context;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final MemoryRegion region;
    private final QueuePair[] qps;
    private final Destination[] destinations;
    private final SharedReceiveQueue srq;
    private CompletionQueue[] sendCqs;
    private CompletionQueue[] recvCqs;
    private int sharing;
    private Patience patience = Patience.ENDLESS;

    /**
     * Opens the device and makes everything.
     *
     * @param config what to make
     * @throws io.verbena.verbs.VerbsException when the device refuses; what was made is closed again
     */
    public Endpoint(EndpointConfig config) {
        this(config, () -> { });
    }

    /** The same, calling out between making the completion queues and the queue pairs. */
    Endpoint(EndpointConfig config, Runnable queuesMade) {
        this.config = config;
        try {
            context = own(Devices.open(config.device()));
            domain = own(context.allocateProtectionDomain());
            AllocatedMemory memory = own(context.allocateMemory(config.bufferBytes(), ALIGNMENT));
            region = own(domain.register(memory.segment(), Access.LOCAL_WRITE | PEER_ACCESS));
            channel = config.events() ? own(context.createCompletionChannel()) : null;
            qps = new QueuePair[config.qps()];
            destinations = new Destination[config.qps()];
            srq = config.sharing().transport().srq() ? own(createSharedQueue()) : null;
            createQueues();
            queuesMade.run();
            createQueuePairs();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

    private SharedReceiveQueue createSharedQueue() {
        long wanted = (long) config.capabilities().maxRecvWr() * config.qps();
        long most = context.queryDevice().limit(DeviceLimit.MAX_SRQ_WR);
        if (wanted > most) {
            throw new BadOptionException("-q times -r asks for " + wanted
                    + " receives in one shared queue; allowed: up to " + most);
        }
        return domain.createSharedReceiveQueue(
                new SharedReceiveQueueConfig((int) Math.max(1, wanted), 1, config.threading()));
    }

    private void createQueues() {
        long sends = config.capabilities().maxSendWr();
        long receives = (long) config.capabilities().maxRecvWr() * (srq == null ? 1 : config.qps());
        sharing = switch (config.layout()) {
            case OWN -> 1;
            case TWO -> qps.length;
            case ONE -> Math.clamp(
                    context.queryDevice().limit(DeviceLimit.MAX_CQE) / Math.max(1, sends + receives), 1, qps.length);
        };
        int groups = (qps.length + sharing - 1) / sharing;
        sendCqs = new CompletionQueue[groups];
        recvCqs = new CompletionQueue[groups];
        for (int i = 0; i < groups; i++) {
            boolean one = config.layout() == CqLayout.ONE;
            sendCqs[i] = createQueue(sharing * (one ? sends + receives : sends));
            recvCqs[i] = one ? sendCqs[i] : createQueue(sharing * receives);
        }
    }

    private void createQueuePairs() {
        for (int i = 0; i < qps.length; i++) {
            qps[i] = own(domain.createQueuePair(new QueuePairConfig(config.sharing().transport().type(),
                    sendCqs[i / sharing], recvCqs[i / sharing], srq, config.capabilities(), false,
                    config.threading())));
        }
    }

    private CompletionQueue createQueue(long entries) {
        long most = context.queryDevice().limit(DeviceLimit.MAX_CQE);
        if (entries > most) {
            throw new BadOptionException("-q times -t (or -r) asks for " + entries
                    + " completions in one queue; allowed: up to " + most);
        }
        return own(context.createCompletionQueue(CompletionQueueConfig.of((int) Math.max(1, entries))
                .withChannel(channel).withThreading(config.threading())));
    }

    /**
     * Connects every queue pair of one end with the one of the same index of the other end.
     *
     * @param a one end
     * @param b the other end, with as many queue pairs
     * @param path how to connect
     */
    public static void connect(Endpoint a, Endpoint b, PathConfig path) {
        for (int i = 0; i < a.qps.length; i++) {
            connect(a, b, i, path);
        }
    }

    private static void connect(Endpoint a, Endpoint b, int index, PathConfig path) {
        QueuePairEndpoint endA = a.describe(index, path);
        QueuePairEndpoint endB = b.describe(index, path);
        a.connect(index, endA, endB, path);
        b.connect(index, endB, endA, path);
    }

    /**
     * What the peer must know to connect, with a fresh packet sequence number.
     *
     * @param index which queue pair
     * @param path how it will be connected
     * @return GID, queue pair number and first packet sequence number
     */
    public QueuePairEndpoint describe(int index, PathConfig path) {
        int psn = ThreadLocalRandom.current().nextInt() & PSN_MASK;
        return new QueuePairEndpoint(context.queryGid(path.port(), path.gidIndex()).gid(), qps[index].qpNum(), psn);
    }

    /**
     * Brings a queue pair from RESET to RTS.
     *
     * @param index which queue pair
     * @param own what {@link #describe} returned here
     * @param peer what it returned at the other end
     * @param path how to connect
     */
    public void connect(int index, QueuePairEndpoint own, QueuePairEndpoint peer, PathConfig path) {
        patience = Patience.of(path);
        QueuePair qp = qps[index];
        AddressVector way = new AddressVector(peer.gid(), path.gidIndex(), path.port(), 64, path.trafficClass(), 0);
        switch (qp.type()) {
            case RC -> connectReliable(qp, own, peer, way, path);
            case UC -> {
                qp.modify(QueuePairAttributes.init(path.port(), Access.REMOTE_WRITE));
                qp.modify(QueuePairAttributes.readyToReceiveUc(peer).addressVector(way).pathMtu(path.mtu()));
                qp.modify(QueuePairAttributes.readyToSendUc(own.psn()));
            }
            case UD -> {
                qp.modify(QueuePairAttributes.initUd(path.port(), QKEY));
                qp.modify(QueuePairAttributes.readyToReceiveUd());
                qp.modify(QueuePairAttributes.readyToSendUd(own.psn()));
                destinations[index] = new Destination(own(domain.createAddressHandle(way)), peer.qpNum(), QKEY);
            }
        }
    }

    private void connectReliable(
            QueuePair qp, QueuePairEndpoint own, QueuePairEndpoint peer, AddressVector way, PathConfig path) {
        int outstanding = (int) Math.min(16, context.queryDevice().limit(DeviceLimit.MAX_QP_RD_ATOM));
        qp.modify(QueuePairAttributes.init(path.port(), PEER_ACCESS));
        qp.modify(QueuePairAttributes.readyToReceive(peer).addressVector(way).pathMtu(path.mtu())
                .maxDestRdAtomic(outstanding).minRnrTimer(path.retries().minRnrTimer()));
        qp.modify(QueuePairAttributes.readyToSend(own.psn()).timeout(path.retries().timeout())
                .retryCount(path.retries().retryCount()).rnrRetry(path.retries().rnrRetry())
                .maxRdAtomic(outstanding));
    }

    /**
     * Where the datagrams of a queue pair go.
     *
     * @param index which queue pair
     * @return null unless it is a connected UD queue pair
     */
    Destination destination(int index) {
        return destinations[index];
    }

    /** Posts a receive that any of these queue pairs may take, or the one of an index. */
    int postReceive(int index, long wrId, long address, long length) {
        return srq != null ? srq.postReceive(wrId, address, length, region.lkey())
                : qps[index].postReceive(wrId, address, length, region.lkey());
    }

    /** Bytes before each message in a receive buffer. */
    int headerBytes() {
        return config.sharing().transport().headerBytes();
    }

    /**
     * Takes a queue pair back to RESET, so that it can be connected again.
     *
     * @param index which queue pair
     */
    public void reset(int index) {
        qps[index].modify(QueuePairAttributes.toState(QueuePairState.RESET));
    }

    /**
     * The open device.
     *
     * @return never null
     */
    public Context context() {
        return context;
    }

    /**
     * The protection domain of everything here.
     *
     * @return never null
     */
    public ProtectionDomain domain() {
        return domain;
    }

    /**
     * The registered memory.
     *
     * @return never null
     */
    public MemoryRegion region() {
        return region;
    }

    /**
     * A queue pair.
     *
     * @param index from 0
     * @return never null
     */
    public QueuePair qp(int index) {
        return qps[index];
    }

    /**
     * How many queue pairs there are.
     *
     * @return 1 or more
     */
    public int qps() {
        return qps.length;
    }

    /**
     * How many completion queues there are.
     *
     * @return 1 or more
     */
    public int cqs() {
        return config.layout() == CqLayout.ONE ? sendCqs.length : 2 * sendCqs.length;
    }

    /**
     * Takes completions of the sends of a queue pair (and of what shares its queue).
     *
     * @param index which queue pair
     * @param stop ends the waits
     * @return a waiter for one thread
     */
    public Waiter sends(int index, StopFlag stop) {
        return new Waiter(qps[index].sendCq(), channel, stop, patience);
    }

    /**
     * Takes completions of the receives of a queue pair (and of what shares its queue).
     *
     * @param index which queue pair
     * @param stop ends the waits
     * @return a waiter for one thread
     */
    public Waiter receives(int index, StopFlag stop) {
        return new Waiter(qps[index].recvCq(), channel, stop, patience);
    }

    /** How long waits for the other end may last, once it is connected. */
    Patience patience() {
        return patience;
    }

    /** Where the completion queues report; null when waits spin. */
    CompletionChannel channel() {
        return channel;
    }

    /** Closes everything in reverse order. */
    @Override
    public void close() {
        RuntimeException first = null;
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Exception e) {
                first = first == null && e instanceof RuntimeException failure ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
