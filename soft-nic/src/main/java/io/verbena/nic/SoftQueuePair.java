package io.verbena.nic;

import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.EndpointEvents;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.PostingRules;
import io.verbena.nic.direct.RequestList;
import io.verbena.nic.direct.Requester;
import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.link.Marks;
import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.DeliveryListener;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SharedLane;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairSnapshot;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.QueuePairTransitions;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;

/** A queue pair: control calls here, data calls passed on to its {@link Endpoint} and {@link Requester}. */
final class SoftQueuePair implements QueuePair, EndpointEvents, DeliveryListener {
    private final SoftProtectionDomain domain;
    private final QueuePairType type;
    private final QueuePairCapabilities sizes;
    private final int qpNum;
    private final SoftCompletionQueue sendCq;
    private final SoftCompletionQueue recvCq;
    private final MemorySegment block;
    private final SendLane sendLane;
    private final ReceiveLane receiveLane;
    private final SoftSharedReceiveQueue srq;
    private final Endpoint endpoint;
    private final Requester requester;
    /** Multicast groups joined; empty until the first one. */
    private Set<Gid> groups = Set.of();
    private QueuePairAttributes attributes = new QueuePairAttributes();
    private boolean closed;
    private boolean taken; // by a control call, which may have left the lock on its way

    SoftQueuePair(SoftProtectionDomain domain, QueuePairConfig config) {
        this.domain = domain;
        type = config.type();
        SoftNic nic = domain.softContext().nic();
        sendCq = (SoftCompletionQueue) config.sendCq();
        recvCq = (SoftCompletionQueue) config.recvCq();
        sizes = nic.shared().capabilities.same(config.capabilities());
        int sendSlots = slots(sizes.maxSendWr());
        srq = (SoftSharedReceiveQueue) config.srq();
        SharedReceives shared = srq != null ? srq.receivesFor(recvCq) : type == QueuePairType.UD ? ownShared() : null;
        int receiveSlots = slots(receivesWanted());
        boolean single = config.threading() == Threading.SINGLE;
        ReceiveQueue.Shape receiveShape =
                new ReceiveQueue.Shape(receiveSlots, receivesWanted(), sizes.maxRecvSge());
        SendQueue.Shape sendShape =
                new SendQueue.Shape(sendSlots, sizes.maxSendWr(), sizes.maxSendSge(), sizes.maxInlineData());
        long receiveBytes = align(receiveShape.bytes());
        long laneBytes = align(SendLane.bytes(sendSlots));
        block = takeBlock(receiveBytes + laneBytes + sendShape.bytes(), shared);
        qpNum = nic.takeQpNum();
        ReceiveQueue receiveQueue =
                new ReceiveQueue(block, receiveShape, nic.table(), domain.number(), single);
        receiveLane = new ReceiveLane(recvCq.core(), qpNum, receiveQueue,
                new KeyCache(nic.table(), nic.regions(), MemoryTable.LOCAL, domain.number()),
                nic.fabric().generation(), this);
        receiveQueue.lane(receiveLane);
        receiveLane.counters(nic.counters().take(qpNum, config.type()));
        sendLane = new SendLane(sendCq.core(), qpNum, block.address() + receiveBytes, sendSlots);
        SendQueue sendQueue = new SendQueue(block, receiveBytes + laneBytes, sendShape, sendLane);
        endpoint = new Endpoint(
                new Endpoint.Identity(type, qpNum, domain.number(), nic.table(),
                        nic.regions(), nic.progress(), this),
                new Endpoint.Rings(sendQueue, sendLane, receiveQueue, receiveLane, shared),
                nic.shared().rules.same(new PostingRules(type, single, config.sqSigAll(), sizes.maxSendSge(),
                        sizes.maxInlineData(), domain, domain)));
        requester = endpoint.requester();
        if (nic.neighbourhood() != null) {
            endpoint.neighbours(nic.neighbourhood());
        }
        sendCq.core().add(sendLane, sizes.maxSendWr());
        recvCq.core().add(receiveLane, receivesWanted());
        if (shared != null && shared.own()) {
            recvCq.core().add(shared.lane(), shared.queue().places());
        }
        sendCq.userAdded();
        if (recvCq != sendCq) {
            recvCq.userAdded();
        }
        nic.add(endpoint);
        resetAttributes();
    }

    /** A queue that any number of senders may draw from. */
    private SharedReceives ownShared() {
        Blocks memory = nic().newBlocks();
        try {
            SharedQueue queue = new SharedQueue(sizes.maxRecvWr(), sizes.maxRecvSge(), () -> { }, memory);
            SharedLane lane = new SharedLane(recvCq.core(), queue, memory);
            return new SharedReceives(queue, lane, domain.number(), true, memory);
        } catch (OutOfMemoryError e) {
            memory.giveAll();
            throw e;
        }
    }

    /** Receives of a queue of its own that only the peer fills. */
    private int receivesWanted() {
        return srq == null && type != QueuePairType.UD ? sizes.maxRecvWr() : 0;
    }

    private MemorySegment takeBlock(long bytes, SharedReceives shared) {
        try {
            return nic().pool().take(bytes);
        } catch (OutOfMemoryError e) {
            if (srq != null) {
                srq.receivesDone(recvCq);
            } else if (shared != null) {
                shared.memory().giveAll();
            }
            throw e;
        }
    }

    private SoftNic nic() {
        return domain.softContext().nic();
    }

    private static int slots(int workRequests) {
        return workRequests <= 1 ? 1 : Integer.highestOneBit(workRequests - 1) << 1;
    }

    private static long align(long bytes) {
        return (bytes + BlockPool.ALIGNMENT - 1) & -BlockPool.ALIGNMENT;
    }

    private void resetAttributes() {
        attributes = new QueuePairAttributes().capabilities(sizes);
    }

    @Override
    public void raise(Kind kind) {
        domain.softContext().events().raise(sequence -> new AsyncEvent.QueuePairEvent(sequence, kind, this));
    }

    Requester requester() {
        return requester;
    }

    @Override
    public void deliveryFailed() {
        endpoint.enterError(null);
    }

    // Data path

    @Override
    public int postSend(long wrId, long address, long length, int lkey, int flags) {
        return requester.postSend(wrId, address, length, lkey, flags);
    }

    @Override
    public int postWrite(
            long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags) {
        return requester.postWrite(wrId, address, length, lkey, remoteAddress, rkey, flags);
    }

    @Override
    public int postRead(long wrId, long address, long length, int lkey, long remoteAddress, int rkey, int flags) {
        return requester.postRead(wrId, address, length, lkey, remoteAddress, rkey, flags);
    }

    @Override
    public int postFetchAndAdd(
            long wrId, long address, int lkey, long remoteAddress, int rkey, long add, int flags) {
        return requester.postFetchAndAdd(wrId, address, lkey, remoteAddress, rkey, add, flags);
    }

    @Override
    public int postSend(long wrId, long address, long length, int lkey, Destination to, int flags) {
        if (to == null) {
            throw VerbsException.invalid("to", null, "a Destination");
        }
        return requester.postDatagram(wrId, address, length, lkey, to, flags);
    }

    @Override
    public int postSend(SendRequests requests) {
        if (requests == null) {
            throw VerbsException.invalid("requests", null, "a SendRequests");
        }
        return RequestList.post(requester, requests);
    }

    @Override
    public int postAll(SendRequests requests) {
        if (requests == null) {
            throw VerbsException.invalid("requests", null, "a SendRequests");
        }
        return RequestList.postAll(requester, requests);
    }

    @Override
    public int postReceive(long wrId, long address, long length, int lkey) {
        return endpoint.postReceive(wrId, address, length, lkey);
    }

    @Override
    public int postReceive(ReceiveRequests requests) {
        if (requests == null) {
            throw VerbsException.invalid("requests", null, "a ReceiveRequests");
        }
        return endpoint.postReceive(requests);
    }

    // Control

    @Override
    public void modify(QueuePairAttributes wanted) {
        if (wanted == null) {
            throw VerbsException.invalid("attributes", null, "a QueuePairAttributes");
        }
        domain.softContext().control(() -> {
            inTurn(() -> {
                requireOpen();
                QueuePairState now = endpoint.state();
                QueuePairState next = QueuePairTransitions.check(type, now, wanted);
                QueuePairTransitions.checkValues(wanted, domain.softContext());
                QueuePairChecks.way(nic(), wanted);
                refuseWhileDraining(now, next);
                change(wanted, now, next);
            });
            return null;
        });
        if (nic().neighbourhood() != null) {
            nic().neighbourhood().connect(endpoint);
        }
        nic().progress().runIfPending();
    }

    private void inTurn(Runnable call) {
        while (taken) {
            nic().fabric().awaitTurn();
        }
        taken = true;
        try {
            call.run();
        } finally {
            taken = false;
            nic().fabric().turnEnded();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw VerbsException.closed("queue pair");
        }
    }

    private void refuseWhileDraining(QueuePairState now, QueuePairState next) {
        boolean allowed = next == QueuePairState.ERR || next == QueuePairState.RESET;
        if (now == QueuePairState.SQD && !allowed && requester.isDraining()) {
            throw VerbsException.invalid("state", next, "while the send queue drains only ERR and RESET;"
                    + " wait for SQ_DRAINED");
        }
    }

    private void change(QueuePairAttributes wanted, QueuePairState now, QueuePairState next) {
        if (next == QueuePairState.RESET) {
            endpoint.reset(false);
            QueuePairCounters.peer(receiveLane.counters(), qpNum, 0);
            resetAttributes();
            return;
        }
        QueuePairAttributes changed = new QueuePairAttributes(attributes);
        changed.set(wanted, wanted.mask() & ~QueuePairAttribute.CUR_STATE.mask());
        if (changed.addressVector() != null) {
            changed.addressVector(nic().shared().vectors.same(changed.addressVector()));
        }
        attributes = changed;
        if (next == QueuePairState.ERR) {
            endpoint.enterError(null);
            return;
        }
        if ((wanted.mask() & QueuePairAttribute.RQ_PSN.mask()) != 0) {
            receiveLane.expectPsn(wanted.rqPsn());
        }
        if ((wanted.mask() & QueuePairAttribute.SQ_PSN.mask()) != 0) {
            requester.psn(wanted.sqPsn());
        }
        endpoint.apply(path(), next);
        QueuePairCounters.peer(receiveLane.counters(), qpNum, attributes.destQpNum());
        if (now != next && next == QueuePairState.SQD) {
            endpoint.awaitSends();
            endpoint.wantDrained((wanted.mask() & QueuePairAttribute.EN_SQD_ASYNC_NOTIFY.mask()) != 0
                    && wanted.sqdAsyncNotify());
        } else if (now == QueuePairState.SQD && next != now) {
            endpoint.wantDrained(false);
        }
    }

    private Path path() {
        boolean connected = attributes.addressVector() != null;
        return new Path(
                nic().gid().gid(),
                connected ? attributes.addressVector().dgid() : null,
                attributes.destQpNum(),
                type == QueuePairType.UD ? nic().port().activeMtu().bytes() : attributes.pathMtu().bytes(),
                nic().shared().responding.same(new Path.Responding(attributes.accessFlags(),
                        attributes.maxDestRdAtomic(), RnrTimer.nanos(attributes.minRnrTimer()))),
                nic().shared().requesting.same(new Path.Requesting(
                        attributes.timeout() == 0 ? 0 : RnrTimer.ackTimeoutNanos(attributes.timeout()),
                        attributes.retryCount(), attributes.rnrRetry(), attributes.maxRdAtomic(),
                        connected ? Marks.of(attributes.addressVector()) : Marks.USUAL)),
                attributes.qkey());
    }

    @Override
    public QueuePairAttributes query() {
        return domain.softContext().control(() -> {
            requireOpen();
            QueuePairAttributes now = new QueuePairAttributes(attributes);
            QueuePairState state = endpoint.state();
            now.state(state).currentState(state);
            if (state != QueuePairState.RESET) {
                nic().progress().awaitTurn(); // it completes requests first, and leaves their numbers at its end
                now.sqPsn(requester.psn()).rqPsn(endpoint.expectedPsn());
            }
            return now.sqDraining(state == QueuePairState.SQD && requester.isDraining()).mask(0);
        });
    }

    @Override
    public QueuePairSnapshot snapshot() {
        return domain.softContext().control(() -> {
            requireOpen();
            return QueuePairCounts.of(requester.queue(), sendLane, receiveLane, endpoint.shared());
        });
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QueuePairType type() {
        return type;
    }

    @Override
    public QueuePairState state() {
        return endpoint.state();
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public CompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public CompletionQueue recvCq() {
        return recvCq;
    }

    @Override
    public SharedReceiveQueue sharedReceiveQueue() {
        return srq;
    }

    @Override
    public void attachMulticast(Gid group) {
        multicast(group, () -> {
            SoftAddressHandle.refuseGroups(nic(), group);
            boolean joined = nic().fabric().datagramReceivers().join(group, endpoint,
                    NicLimits.limit(DeviceLimit.MAX_MCAST_GRP), NicLimits.limit(DeviceLimit.MAX_MCAST_QP_ATTACH));
            if (!joined) {
                throw new VerbsException(Errno.ENOMEM, "group", "there are too many groups, or too many queue pairs in "
                        + group + "; see MAX_MCAST_GRP and MAX_MCAST_QP_ATTACH");
            }
            groups = groups.isEmpty() ? new TreeSet<>(Comparator.comparing(Gid::toHex)) : groups;
            groups.add(group);
        });
        if (nic().neighbourhood() != null) {
            nic().neighbourhood().exchange().join();
        }
    }

    @Override
    public void detachMulticast(Gid group) {
        multicast(group, () -> {
            if (!nic().fabric().datagramReceivers().leave(group, endpoint)) {
                throw VerbsException.invalid("group", group, groups.isEmpty() ? "none, since no group was joined"
                        : "a group that was joined: " + groups);
            }
            groups.remove(group);
        });
    }

    private void multicast(Gid group, Runnable change) {
        if (group == null || !group.isMulticast()) {
            throw VerbsException.invalid("group", group, "a multicast GID, whose first byte is 0xff");
        }
        if (type != QueuePairType.UD) {
            throw VerbsException.invalid("queue pair type", type, "UD, for multicast");
        }
        domain.softContext().control(() -> {
            requireOpen();
            change.run();
            return null;
        });
    }

    @Override
    public QueuePairCapabilities capabilities() {
        return sizes;
    }

    @Override
    public String toString() {
        return type + " queue pair 0x" + Integer.toHexString(qpNum) + " in " + endpoint.state();
    }

    @Override
    public void close() {
        nic().fabric().controlLock().lock();
        try {
            inTurn(this::destroyOnce);
        } finally {
            nic().fabric().controlLock().unlock();
        }
        // Waiting may be interrupted; closing again goes on from here.
        domain.softContext().awaitAcknowledged(this);
    }

    private void destroyOnce() {
        if (closed) {
            return;
        }
        if (!groups.isEmpty()) {
            throw VerbsException.busy("queue pair", groups.size() + " multicast group(s)");
        }
        closed = true;
        nic().remove(endpoint);
        endpoint.reset(true);
        nic().forget(endpoint);
        sendCq.core().remove(sendLane, sizes.maxSendWr());
        recvCq.core().remove(receiveLane, receivesWanted());
        if (srq != null) {
            srq.receivesDone(recvCq);
        } else if (endpoint.shared() != null) {
            recvCq.core().remove(endpoint.shared().lane(), endpoint.shared().queue().places());
            endpoint.shared().memory().giveAll();
        }
        sendCq.userRemoved();
        if (recvCq != sendCq) {
            recvCq.userRemoved();
        }
        nic().fabric().generation().roster().remove(requester);
        nic().counters().give(receiveLane.counters());
        nic().pool().give(block);
        domain.queuePairClosed(qpNum);
    }
}
