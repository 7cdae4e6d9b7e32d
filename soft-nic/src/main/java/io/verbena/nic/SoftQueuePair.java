package io.verbena.nic;

import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.PostingRules;
import io.verbena.nic.direct.Requester;
import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.nic.ring.SendLane;
import io.verbena.nic.ring.SendQueue;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.QueuePairTransitions;
import java.lang.foreign.MemorySegment;

/** A queue pair: control calls here, data calls passed on to its {@link Endpoint} and {@link Requester}. */
final class SoftQueuePair implements QueuePair {
    private final SoftProtectionDomain domain;
    private final SoftNic nic;
    private final QueuePairConfig config;
    private final int qpNum;
    private final SoftCompletionQueue sendCq;
    private final SoftCompletionQueue recvCq;
    private final MemorySegment block;
    private final SendLane sendLane;
    private final ReceiveLane receiveLane;
    private final int sendSlots;
    private final int receiveSlots;
    private final Endpoint endpoint;
    private final Requester requester;
    private QueuePairAttributes attributes = new QueuePairAttributes();
    private boolean closed;

    SoftQueuePair(SoftProtectionDomain domain, QueuePairConfig config) {
        this.domain = domain;
        this.config = config;
        nic = domain.softContext().nic();
        sendCq = (SoftCompletionQueue) config.sendCq();
        recvCq = (SoftCompletionQueue) config.recvCq();
        QueuePairCapabilities sizes = config.capabilities();
        sendSlots = slots(sizes.maxSendWr());
        receiveSlots = slots(sizes.maxRecvWr());
        boolean single = config.threading() == Threading.SINGLE;
        ReceiveQueue.Shape receiveShape =
                new ReceiveQueue.Shape(receiveSlots, sizes.maxRecvWr(), sizes.maxRecvSge());
        SendQueue.Shape sendShape =
                new SendQueue.Shape(sendSlots, sizes.maxSendWr(), sizes.maxSendSge(), sizes.maxInlineData());
        long receiveBytes = align(receiveShape.bytes());
        long laneBytes = align(SendLane.bytes(sendSlots));
        block = nic.pool().take(receiveBytes + laneBytes + sendShape.bytes());
        qpNum = nic.takeQpNum();
        ReceiveQueue receiveQueue = new ReceiveQueue(
                block.asSlice(0, receiveBytes), receiveShape, nic.table(), domain.number(), single);
        receiveLane = new ReceiveLane(recvCq.core(), qpNum, receiveQueue,
                new KeyCache(nic.table(), nic.regions(), MemoryTable.LOCAL, domain.number()),
                nic.fabric().generation(), this::deliveryFailed);
        receiveQueue.lane(receiveLane);
        sendLane = new SendLane(sendCq.core(), qpNum, block.address() + receiveBytes, sendSlots);
        SendQueue sendQueue = new SendQueue(
                block.asSlice(receiveBytes + laneBytes, sendShape.bytes()), sendShape, sendLane);
        endpoint = new Endpoint(
                new Endpoint.Identity(config.type() == QueuePairType.RC, qpNum, domain.number(), nic.table(),
                        nic.regions(), nic.progress(), this::raise),
                new Endpoint.Rings(sendQueue, sendLane, receiveQueue, receiveLane),
                new PostingRules(
                        single, config.sqSigAll(), sizes.maxSendSge(), sizes.maxInlineData(), domain));
        requester = endpoint.requester();
        sendCq.core().add(sendLane, sizes.maxSendWr());
        recvCq.core().add(receiveLane, sizes.maxRecvWr());
        sendCq.userAdded();
        if (recvCq != sendCq) {
            recvCq.userAdded();
        }
        nic.fabric().add(nic.gid().gid(), endpoint);
        resetAttributes();
    }

    private static int slots(int workRequests) {
        return workRequests <= 1 ? 1 : Integer.highestOneBit(workRequests - 1) << 1;
    }

    private static long align(long bytes) {
        return (bytes + BlockPool.ALIGNMENT - 1) & -BlockPool.ALIGNMENT;
    }

    private void resetAttributes() {
        attributes = new QueuePairAttributes().capabilities(config.capabilities());
    }

    private void raise(Kind kind) {
        domain.softContext().events().raise(sequence -> new AsyncEvent.QueuePairEvent(sequence, kind, this));
    }

    private void deliveryFailed() {
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
    public int postSend(SendRequests requests) {
        if (requests == null) {
            throw VerbsException.invalid("requests", null, "a SendRequests");
        }
        return requester.post(requests);
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
            requireOpen();
            QueuePairState now = endpoint.state();
            QueuePairState next = QueuePairTransitions.check(config.type(), now, wanted);
            QueuePairTransitions.checkValues(wanted, domain.softContext());
            refuseWhileDraining(now, next);
            change(wanted, now, next);
            return null;
        });
        nic.progress().runIfPending();
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
            resetAttributes();
            return;
        }
        QueuePairAttributes changed = new QueuePairAttributes(attributes);
        changed.set(wanted, wanted.mask() & ~QueuePairAttribute.CUR_STATE.mask());
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
                nic.gid().gid(),
                connected ? attributes.addressVector().dgid() : null,
                attributes.destQpNum(),
                attributes.pathMtu().bytes(),
                new Path.Responding(attributes.accessFlags(), attributes.maxDestRdAtomic(),
                        RnrTimer.nanos(attributes.minRnrTimer())),
                new Path.Requesting(
                        attributes.timeout() == 0 ? 0 : RnrTimer.ackTimeoutNanos(attributes.timeout()),
                        attributes.retryCount(), attributes.rnrRetry(), attributes.maxRdAtomic()));
    }

    @Override
    public QueuePairAttributes query() {
        return domain.softContext().control(() -> {
            requireOpen();
            QueuePairAttributes now = new QueuePairAttributes(attributes);
            QueuePairState state = endpoint.state();
            now.state(state).currentState(state);
            if (state != QueuePairState.RESET) {
                now.sqPsn(requester.psn()).rqPsn(receiveLane.expectedPsn());
            }
            return now.sqDraining(state == QueuePairState.SQD && requester.isDraining()).mask(0);
        });
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QueuePairType type() {
        return config.type();
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
    public QueuePairCapabilities capabilities() {
        return config.capabilities();
    }

    @Override
    public String toString() {
        return config.type() + " queue pair 0x" + Integer.toHexString(qpNum) + " in " + endpoint.state();
    }

    @Override
    public void close() {
        nic.fabric().controlLock().lock();
        try {
            if (!closed) {
                closed = true;
                destroy();
            }
        } finally {
            nic.fabric().controlLock().unlock();
        }
        // Waiting may be interrupted; closing again goes on from here.
        domain.softContext().awaitAcknowledged(this);
    }

    private void destroy() {
        nic.fabric().remove(nic.gid().gid(), endpoint);
        endpoint.reset(true);
        sendCq.core().remove(sendLane, config.capabilities().maxSendWr());
        recvCq.core().remove(receiveLane, config.capabilities().maxRecvWr());
        sendCq.userRemoved();
        if (recvCq != sendCq) {
            recvCq.userRemoved();
        }
        nic.giveQpNum(qpNum);
        nic.pool().give(block);
        domain.queuePairClosed();
    }
}
