package io.verbena.verbs.tck;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** UC, UD and shared receive queues allocate nothing. Both ends are here, since commands to a peer do allocate. */
@DisplayName("Allocation on the data path: UC, UD, shared receive queues")
@Timeout(120)
class UnreliableAllocationTest extends FixtureTest {
    private static final int FLAGS = SendFlags.SIGNALED;
    private static final int ROOM = 2_048;

    private final WorkCompletion completion = new WorkCompletion();
    private Threading threading;
    private CompletionQueue cq;
    private Buffer here;
    private Buffer there;
    private SharedReceiveQueue srq;
    private QueuePair left;
    private QueuePair right;
    private Destination to;

    private void prepare(QueuePairType type, Threading mode, boolean shared) {
        threading = mode;
        cq = fixture.a().completionQueue(256, false, mode);
        here = fixture.local(ROOM, MemoryKind.DEVICE);
        there = fixture.local(ROOM, MemoryKind.DEVICE);
        srq = shared ? fixture.a().keep(fixture.a().domain().createSharedReceiveQueue(
                new SharedReceiveQueueConfig(32, 1, mode))) : null;
        left = create(type, null);
        right = create(type, srq);
        Gid gid = fixture.a().gid();
        LinkSpec link = new LinkSpec();
        link.connect(left, new QueuePairEndpoint(gid, right.qpNum(), link.psn()));
        link.connect(right, new QueuePairEndpoint(gid, left.qpNum(), link.psn()));
        if (type == QueuePairType.UD) {
            to = new Destination(way(gid), right.qpNum(), link.qkey());
        }
    }

    private QueuePair create(QueuePairType type, SharedReceiveQueue queue) {
        QueuePairSpec spec = new QueuePairSpec().type(type).threading(threading).depth(32, 32);
        return fixture.a().keep(fixture.a().domain().createQueuePair(spec.config(cq, cq).withSrq(queue)));
    }

    private AddressHandle way(Gid gid) {
        return fixture.a().keep(fixture.a().domain().createAddressHandle(AddressVector.to(gid)));
    }

    private boolean polled(int count) {
        int left = count;
        for (int turn = 0; turn < 1_000_000 && left > 0; turn++) {
            if (cq.poll(completion) == 1) {
                if (!completion.isSuccess()) {
                    return false;
                }
                left--;
            }
        }
        return left == 0;
    }

    private boolean received(QueuePair qp, long bytes) {
        return qp.postReceive(1, there.address(), bytes, there.lkey()) == PostStatus.OK;
    }

    private boolean shared(long bytes) {
        return srq.postReceive(1, there.address(), bytes, there.lkey()) == PostStatus.OK;
    }

    private boolean sent(int size, int flags) {
        return left.postSend(1, here.address(), size, here.lkey(), flags) == PostStatus.OK;
    }

    private boolean sentTo(Destination where, int size, int flags) {
        return left.postSend(1, here.address(), size, here.lkey(), where, flags) == PostStatus.OK;
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void unreliableConnectionsAllocateNothing(Threading mode) {
        prepare(QueuePairType.UC, mode, false);
        int rkey = there.region().rkey();
        for (int size : new int[] {0, 8, 64, 1000}) {
            AllocationTest.allocatesNothing("UC SEND of " + size,
                    () -> received(right, size) && sent(size, FLAGS) && polled(2));
            AllocationTest.allocatesNothing("lost UC SEND of " + size, () -> sent(size, FLAGS) && polled(1));
            AllocationTest.allocatesNothing("UC WRITE of " + size, () -> left.postWrite(1, here.address(), size,
                    here.lkey(), there.address(), rkey, FLAGS) == PostStatus.OK && polled(1));
            AllocationTest.allocatesNothing("UC WRITE of " + size + " with a bad key", () -> left.postWrite(1,
                    here.address(), size, here.lkey(), there.address(), ~rkey, FLAGS) == PostStatus.OK && polled(1));
        }
        AllocationTest.allocatesNothing("inline UC SEND",
                () -> received(right, 32) && sent(32, FLAGS | SendFlags.INLINE) && polled(2));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramsAllocateNothing(Threading mode) {
        prepare(QueuePairType.UD, mode, false);
        for (int size : new int[] {0, 8, 64, 1000}) {
            AllocationTest.allocatesNothing("datagram of " + size, () -> received(right, RouteHeader.BYTES + size)
                    && sentTo(to, size, FLAGS) && polled(2));
            AllocationTest.allocatesNothing("lost datagram of " + size, () -> sentTo(to, size, FLAGS) && polled(1));
        }
        AllocationTest.allocatesNothing("inline datagram", () -> received(right, RouteHeader.BYTES + 32)
                && sentTo(to, 32, FLAGS | SendFlags.INLINE) && polled(2));
        Destination nobody = new Destination(to.handle(), right.qpNum() ^ 1, to.qkey());
        AllocationTest.allocatesNothing("datagram to nobody", () -> sentTo(nobody, 8, FLAGS) && polled(1));
        SendRequests list = new SendRequests(2, 2);
        ReceiveRequests receives = new ReceiveRequests(2, 1);
        AllocationTest.allocatesNothing("list of datagrams", () -> {
            receives.clear().add(1).sge(there.address(), ROOM, there.lkey()).add(2)
                    .sge(there.address(), ROOM, there.lkey());
            list.clear().add(1, Opcode.SEND, 0).sge(here.address(), 40, here.lkey())
                    .sge(here.address(), 40, here.lkey()).to(to.handle(), to.qpNum(), to.qkey())
                    .add(2, Opcode.SEND_WITH_IMM, FLAGS).imm(3).to(to.handle(), to.qpNum(), to.qkey());
            return right.postReceive(receives) == PostStatus.OK && left.postSend(list) == PostStatus.OK && polled(3);
        });
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void multicastAllocatesNothing(Threading mode) {
        fixture.requireMulticast();
        prepare(QueuePairType.UD, mode, false);
        Gid gid = Gid.ofHex("ff0e0000000000000000000000a110c8");
        left.attachMulticast(gid);
        right.attachMulticast(gid);
        Destination group = new Destination(way(gid), Destination.MULTICAST_QPN, to.qkey());
        AllocationTest.allocatesNothing("multicast to two members", () -> received(left, 100) && received(right, 100)
                && sentTo(group, 60, FLAGS) && polled(3));
        left.detachMulticast(gid);
        right.detachMulticast(gid);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void sharedReceiveQueuesAllocateNothing(Threading mode) {
        prepare(QueuePairType.RC, mode, true);
        for (int size : new int[] {0, 8, 64, 1000}) {
            AllocationTest.allocatesNothing("SEND of " + size + " to a shared queue",
                    () -> shared(size) && sent(size, FLAGS) && polled(2));
        }
        ReceiveRequests receives = new ReceiveRequests(4, 1);
        AllocationTest.allocatesNothing("list on a shared queue", () -> {
            receives.clear();
            for (int i = 0; i < 4; i++) {
                receives.add(i).sge(there.address(), 100, there.lkey());
            }
            return srq.postReceive(receives) == PostStatus.OK && sent(8, 0) && sent(8, 0) && sent(8, 0)
                    && sent(8, FLAGS) && polled(5);
        });
        for (int i = 0; i < srq.capacity(); i++) {
            srq.postReceive(i, 0, 0, 0);
        }
        AllocationTest.allocatesNothing("post to a full shared queue",
                () -> srq.postReceive(1, 0, 0, 0) == PostStatus.QUEUE_FULL);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramsToASharedReceiveQueueAllocateNothing(Threading mode) {
        prepare(QueuePairType.UD, mode, true);
        AllocationTest.allocatesNothing("datagram to a shared queue",
                () -> shared(ROOM) && sentTo(to, 500, FLAGS) && polled(2));
        srq.postReceive(9, there.address(), RouteHeader.BYTES, there.lkey());
        AllocationTest.allocatesNothing("datagram too big for a shared queue's receive, left there",
                () -> sentTo(to, 8, FLAGS) && polled(1));
    }

    /** A queue that grew takes from several rings until the older ones are empty. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void sharedReceiveQueueThatGrewAllocatesNothing(Threading mode) {
        prepare(QueuePairType.RC, mode, true);
        srq.resize(33);
        srq.resize(100);
        AllocationTest.allocatesNothing("SEND to a queue that grew",
                () -> shared(64) && sent(64, FLAGS) && polled(2));
    }
}
