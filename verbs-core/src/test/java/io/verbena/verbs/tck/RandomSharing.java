package io.verbena.verbs.tck;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Gid;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Station;
import io.verbena.verbs.tck.peer.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The part of a {@link RandomWorld} that is about shared receive queues, address handles and multicast groups. */
final class RandomSharing {
    private static final int MOST = 5;
    private static final long MARKER = 0x5348_4152_4544L;
    private static final List<Gid> GROUPS = List.of(
            Gid.ofHex("ff0e0000000000000000000000000001"), Gid.ofHex("ff0e0000000000000000000000000002"));

    final List<SharedReceiveQueue> srqs = new ArrayList<>();
    final List<AddressHandle> ways = new ArrayList<>();
    private final Station station;
    private final RandomArguments any;
    private final List<QueuePair> qps;
    private final List<Buffer> buffers;
    private final Supplier<ProtectionDomain> domains;
    private final WorkCompletion completion;
    private final ReceiveRequests receives = new ReceiveRequests(8, 4);

    /** What it shares with its world: the objects that calls choose from. */
    record World(Station station, RandomArguments any, List<QueuePair> qps, List<Buffer> buffers,
            Supplier<ProtectionDomain> domains, WorkCompletion completion) {}

    RandomSharing(World world) {
        station = world.station();
        any = world.any();
        qps = world.qps();
        buffers = world.buffers();
        domains = world.domains();
        completion = world.completion();
    }

    List<Runnable> calls() {
        return List.of(this::createSrq, this::createWay, this::postShared, this::postShared, this::postShared,
                this::postSharedList, this::postSharedList, this::resizeOrLimit, this::group, this::reply,
                this::postDatagram, this::postDatagram, this::postDatagram, this::absurd, this::converse,
                this::converse, this::converse);
    }

    private void createSrq() {
        if (srqs.size() < MOST) {
            SharedReceiveQueueConfig config = new SharedReceiveQueueConfig(
                    1 + any.below(40), 1 + any.below(4), any.pick(Threading.values()));
            srqs.add(station.keep(domains.get().createSharedReceiveQueue(config)));
        }
    }

    private void createWay() {
        if (ways.size() < MOST) {
            Gid to = any.oneIn(3) ? any.pick(GROUPS) : station.gid();
            AddressVector vector = any.oneIn(6)
                    ? new AddressVector(any.oneIn(4) ? null : to, any.number(2), any.number(3), any.number(256),
                            any.number(256), any.number(1 << 20))
                    : AddressVector.to(to);
            ways.add(station.keep(domains.get().createAddressHandle(vector)));
        }
    }

    /** A receiver of datagrams: mostly one that exists. */
    Destination destination() {
        AddressHandle way = any.pick(ways);
        QueuePair to = any.pick(qps);
        if (way == null || to == null) {
            return null;
        }
        int qpNum = way.vector().dgid().isMulticast() && !any.oneIn(8) ? Destination.MULTICAST_QPN
                : any.oneIn(12) ? any.number(1 << 24) : to.qpNum();
        return new Destination(way, qpNum, any.oneIn(10) ? any.number(1 << 30) : new LinkSpec().qkey());
    }

    private void postShared() {
        SharedReceiveQueue srq = any.pick(srqs);
        Buffer local = any.pick(buffers);
        if (srq != null && local != null) {
            RandomWorld.checkCode(srq.postReceive(any.below(1000),
                    any.address(local.address(), local.region().length()), any.length(local.region().length()),
                    any.key(local.lkey())));
        }
    }

    private void postSharedList() {
        SharedReceiveQueue srq = any.pick(srqs);
        Buffer local = any.pick(buffers);
        if (srq != null && local != null) {
            any.fill(receives.clear(), local);
            int code = srq.postReceive(receives);
            RandomWorld.checkCode(code);
            if ((code == PostStatus.OK) != (receives.refusedIndex() < 0)) {
                throw new AssertionError("status " + code + " but refused index " + receives.refusedIndex());
            }
        }
    }

    private void postDatagram() {
        QueuePair qp = any.pick(qps);
        Buffer local = any.pick(buffers);
        Destination to = destination();
        if (qp != null && local != null && (to != null || any.oneIn(10))) {
            RandomWorld.checkCode(qp.postSend(5, any.address(local.address(), local.region().length()),
                    any.length(local.region().length()), any.key(local.lkey()), to, any.flags()));
        }
    }

    /** What random calls seldom come to: two queue pairs that fit, a receive with room, and a message or a few. */
    private void converse() {
        QueuePair from = any.pick(qps);
        QueuePair to = from == null ? null
                : any.pick(qps.stream().filter(other -> other.type() == from.type()).toList());
        Buffer local = any.pick(buffers);
        AddressHandle way = any.pick(ways.stream().filter(each -> each.vector().dgid().equals(station.gid())
                || any.oneIn(3)).toList());
        if (to == null || local == null || from.type() == QueuePairType.UD && way == null) {
            return;
        }
        bringUp(from, to);
        bringUp(to, from);
        long room = local.region().length();
        SharedReceiveQueue srq = to.sharedReceiveQueue();
        int count = 1 + any.below(4);
        for (int i = 0; i < count; i++) {
            RandomWorld.checkCode(srq == null ? to.postReceive(i, local.address(), room, local.lkey())
                    : srq.postReceive(i, local.address(), room, local.lkey()));
            long length = Math.max(0, Math.min(any.below(300), room - RouteHeader.BYTES));
            RandomWorld.checkCode(way == null || from.type() != QueuePairType.UD
                    ? from.postSend(i, local.address(), length, local.lkey(), SendFlags.SIGNALED)
                    : from.postSend(i, local.address(), length, local.lkey(), new Destination(way,
                            way.vector().dgid().isMulticast() ? Destination.MULTICAST_QPN : to.qpNum(),
                            new LinkSpec().qkey()), SendFlags.SIGNALED));
        }
    }

    private void bringUp(QueuePair qp, QueuePair peer) {
        boolean ready = qp.state() == QueuePairState.RTS
                && (qp.type() == QueuePairType.UD || qp.query().destQpNum() == peer.qpNum());
        if (!ready) {
            qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            LinkSpec link = new LinkSpec().retry(any.below(8), any.below(3)).minRnrTimer(1 + any.below(10));
            link.connect(qp, new QueuePairEndpoint(station.gid(), peer.qpNum(), link.psn()));
        }
    }

    private void resizeOrLimit() {
        SharedReceiveQueue srq = any.pick(srqs);
        if (srq == null) {
            return;
        }
        int capacity = srq.capacity();
        int limit = srq.limit();
        try {
            if (any.oneIn(2)) {
                srq.resize(any.number(200));
            } else {
                srq.setLimit(any.number(capacity + 2));
            }
        } catch (VerbsException refusal) {
            if (srq.capacity() != capacity || srq.limit() != limit && srq.limit() != 0) {
                throw new AssertionError("a refused call changed " + srq, refusal);
            }
            throw refusal;
        }
    }

    private void group() {
        QueuePair qp = any.pick(qps);
        Gid group = any.oneIn(10) ? any.oneIn(2) ? null : station.gid() : any.pick(GROUPS);
        if (qp != null && any.oneIn(2)) {
            qp.attachMulticast(group);
        } else if (qp != null) {
            qp.detachMulticast(group);
        }
    }

    /** Answers whatever was polled last, which seldom was a datagram, from memory that seldom holds its header. */
    private void reply() {
        Buffer buffer = any.pick(buffers);
        if (ways.size() < MOST && buffer != null && buffer.segment().scope().isAlive()) {
            ways.add(station.keep(domains.get().createAddressHandle(completion, buffer.segment(), any.number(3))));
        }
    }

    private void absurd() {
        switch (any.below(5)) {
            case 0 -> domains.get().createSharedReceiveQueue(null);
            case 1 -> domains.get().createAddressHandle(null);
            case 2 -> domains.get().createSharedReceiveQueue(new SharedReceiveQueueConfig(
                    any.number(1 << 17), any.number(64), Threading.SAFE)).close();
            case 3 -> new Destination(any.pick(ways), any.number(1 << 25), 0);
            default -> {
                SharedReceiveQueue srq = any.pick(srqs);
                if (srq != null) {
                    srq.postReceive(null);
                    throw new AssertionError("a list that is null was taken");
                }
            }
        }
    }

    // The end

    /** Leaves all groups, since members can't be closed. */
    void leaveGroups() {
        for (QueuePair qp : qps) {
            for (Gid group : GROUPS) {
                try {
                    qp.detachMulticast(group);
                } catch (VerbsException notJoined) {
                    assert notJoined.getMessage() != null;
                }
            }
        }
    }

    /** Sees a marker come out of every shared queue that is open; completions of other queues were polled before. */
    void drainShared() {
        for (SharedReceiveQueue srq : srqs) {
            if (srq.postReceive(0, 0, -1, 0) != PostStatus.CLOSED && isOpen(srq)) {
                drain(srq);
            }
        }
    }

    private static boolean isOpen(SharedReceiveQueue srq) {
        try {
            srq.setLimit(0);
            return true;
        } catch (VerbsException closed) {
            return false;
        }
    }

    private void drain(SharedReceiveQueue srq) {
        int most = (int) station.context().queryDevice().limit(DeviceLimit.MAX_SRQ_WR);
        CompletionQueue cq = station.completionQueue(2 * most, false, Threading.SAFE);
        QueuePair qp = station.keep(srq.protectionDomain().createQueuePair(
                new QueuePairSpec().config(cq, cq).withSrq(srq)));
        LinkSpec link = new LinkSpec();
        link.connect(qp, new QueuePairEndpoint(station.gid(), qp.qpNum(), link.psn()));
        boolean[] posted = new boolean[1];
        int[] outstanding = new int[1];
        boolean came = Waiting.until(() -> {
            posted[0] |= !posted[0] && srq.postReceive(MARKER, 0, 0, 0) == PostStatus.OK;
            if (outstanding[0] == 0) {
                RandomWorld.checkCode(qp.postSend(1, 0, 0, 0, SendFlags.SIGNALED));
                outstanding[0]++;
            }
            int taken = cq.poll(completion);
            if (taken == 1 && !completion.isSuccess()) {
                throw new AssertionError("an empty message failed: " + completion);
            }
            outstanding[0] -= taken == 1 && completion.opcode() == WcOpcode.SEND ? 1 : 0;
            return taken == 1 && completion.opcode() == WcOpcode.RECV && completion.wrId() == MARKER;
        }, Waiting.LIMIT_NANOS);
        if (!came) {
            throw new AssertionError("shared queue stuck, marker posted: " + posted[0] + ", " + srq);
        }
        qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
    }
}
