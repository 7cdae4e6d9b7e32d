package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Destination;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many UD queue pairs, shared receive queues, address handles and groups, at a time and one after another. */
@DisplayName("Scale: UD, shared receive queues, address handles")
@Timeout(300)
class SharingScaleTest extends FixtureTest {
    private static final Gid GROUP = Gid.ofHex("ff0e00000000000000000000005ca1e0");
    private static final int BYTES = 4_096;

    private long limit(DeviceLimit kind) {
        return fixture.a().context().queryDevice().limit(kind);
    }

    private AddressHandle way(Gid gid) {
        return fixture.a().domain().createAddressHandle(AddressVector.to(gid));
    }

    private SharedReceiveQueue queue(int maxWr) {
        return fixture.a().domain().createSharedReceiveQueue(new SharedReceiveQueueConfig(maxWr, 1, Threading.SAFE));
    }

    /** More cycles than there may be handles: each close makes room for another. */
    @Test
    void addressHandlesCanBeMadeWithoutEnd() {
        for (long i = 0; i < limit(DeviceLimit.MAX_AH) + 100; i++) {
            way(fixture.a().gid()).close();
        }
    }

    @Test
    void addressHandlesAreRefusedBeyondTheLimit() {
        List<AddressHandle> ways = new ArrayList<>();
        VerbsException refusal = assertThrows(VerbsException.class, () -> {
            for (long i = 0; i <= limit(DeviceLimit.MAX_AH); i++) {
                ways.add(way(fixture.a().gid()));
            }
        });
        assertEquals(Errno.ENOMEM, refusal.errno());
        assertEquals(limit(DeviceLimit.MAX_AH), ways.size());
        ways.removeLast().close();
        ways.add(way(fixture.a().gid()));
        ways.forEach(AddressHandle::close);
    }

    @Test
    void sharedReceiveQueuesCanBeMadeWithoutEnd() {
        for (long i = 0; i < limit(DeviceLimit.MAX_SRQ) + 100; i++) {
            queue(2).close();
        }
    }

    @Test
    void groupsTakeNoMoreMembersThanTheirLimit() {
        long most = limit(DeviceLimit.MAX_MCAST_QP_ATTACH);
        CompletionQueue cq = fixture.a().completionQueue(64, false, Threading.SAFE);
        List<QueuePair> members = new ArrayList<>();
        QueuePairSpec spec = new QueuePairSpec().type(QueuePairType.UD).depth(1, 1);
        for (long i = 0; i < most; i++) {
            members.add(fixture.a().queuePair(spec, cq, cq));
            members.getLast().attachMulticast(GROUP);
        }
        QueuePair last = fixture.a().queuePair(spec, cq, cq);
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> last.attachMulticast(GROUP)).errno());
        members.getFirst().attachMulticast(GROUP);
        members.removeFirst().detachMulticast(GROUP);
        last.attachMulticast(GROUP);
        last.detachMulticast(GROUP);
        members.forEach(member -> member.detachMulticast(GROUP));
    }

    /** One queue pair sends to a thousand others, all of which draw from one shared queue. */
    @Test
    void thousandReceiversShareOneQueue() {
        int count = 1_000;
        SharedReceiveQueue srq = fixture.a().keep(queue(count));
        CompletionQueue cq = fixture.a().completionQueue(2 * count, false, Threading.SAFE);
        Buffer buffer = fixture.local(BYTES, MemoryKind.DEVICE);
        QueuePairSpec spec = new QueuePairSpec().type(QueuePairType.UD).depth(16, 1);
        LinkSpec link = new LinkSpec();
        List<QueuePair> receivers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            receivers.add(fixture.a().keep(fixture.a().domain().createQueuePair(
                    spec.config(cq, cq).withSrq(srq))));
            link.connect(receivers.get(i), null);
            assertEquals(PostStatus.OK, srq.postReceive(i, buffer.address(), 100, buffer.lkey()));
        }
        CompletionQueue sendCq = fixture.a().completionQueue(64, false, Threading.SAFE);
        QueuePair sender = fixture.a().queuePair(spec, sendCq, sendCq);
        link.connect(sender, null);
        try (AddressHandle way = way(fixture.a().gid())) {
            for (QueuePair receiver : receivers) {
                assertEquals(PostStatus.OK, sender.postSend(1, buffer.address(), 60, buffer.lkey(),
                        new Destination(way, receiver.qpNum(), link.qkey()), SendFlags.SIGNALED));
                assertEquals(1, Waiting.poll(sendCq, 1, Waiting.LIMIT_NANOS).size());
            }
        }
        var received = Waiting.poll(cq, count, Waiting.LIMIT_NANOS);
        assertEquals(count, received.stream().map(each -> each.qpNum()).distinct().count());
        assertEquals(count, received.stream().map(each -> each.wrId()).distinct().count());
    }

    @Test
    void thousandCyclesLeaveMemoryFlat() {
        cycles(1_000);
    }

    @Test
    @Tag("ci")
    void twentyThousandCyclesLeaveMemoryFlat() {
        cycles(20_000);
    }

    private void cycles(int count) {
        ScaleTest.staysFlat(count, this::cycle);
    }

    /** Creates, uses and destroys one of everything, with completions left unpolled. */
    private void cycle() {
        var domain = fixture.a().context().allocateProtectionDomain();
        QueuePairSpec spec = new QueuePairSpec().type(QueuePairType.UD).depth(16, 16);
        LinkSpec link = new LinkSpec();
        Gid gid = fixture.a().gid();
        try (var cq = fixture.a().context().createCompletionQueue(
                        CompletionQueueConfig.of(64));
                var memory = fixture.a().context().allocateMemory(BYTES, 64);
                MemoryRegion region = domain.register(memory.segment(), Fixture.ALL_ACCESS);
                SharedReceiveQueue srq = domain.createSharedReceiveQueue(
                        new SharedReceiveQueueConfig(16, 1, Threading.SAFE));
                QueuePair own = domain.createQueuePair(spec.config(cq, cq));
                QueuePair drawing = domain.createQueuePair(spec.config(cq, cq).withSrq(srq));
                QueuePair reliable = domain.createQueuePair(new QueuePairSpec().config(cq, cq).withSrq(srq));
                AddressHandle way = domain.createAddressHandle(AddressVector.to(gid));
                AddressHandle group = domain.createAddressHandle(AddressVector.to(GROUP))) {
            link.connect(own, null);
            link.connect(drawing, null);
            link.connect(reliable, new QueuePairEndpoint(gid, reliable.qpNum(), link.psn()));
            srq.resize(40);
            srq.setLimit(1);
            for (int i = 0; i < 8; i++) {
                own.postReceive(i, region.address(), 100, region.lkey());
                srq.postReceive(i, region.address(), 100, region.lkey());
            }
            own.attachMulticast(GROUP);
            send(own, region, new Destination(way, drawing.qpNum(), link.qkey()));
            send(drawing, region, new Destination(way, own.qpNum(), link.qkey()));
            send(drawing, region, new Destination(group, Destination.MULTICAST_QPN, link.qkey()));
            assertEquals(PostStatus.OK, reliable.postSend(1, 0, 0, 0, SendFlags.SIGNALED));
            assertEquals(8, Waiting.poll(cq, 8, Waiting.LIMIT_NANOS).size());
            send(own, region, new Destination(way, drawing.qpNum(), link.qkey()));
            own.detachMulticast(GROUP);
        }
        domain.close();
    }

    private static void send(QueuePair qp, MemoryRegion region, Destination to) {
        assertEquals(PostStatus.OK, qp.postSend(1, region.address(), 40, region.lkey(), to, SendFlags.SIGNALED));
    }
}
