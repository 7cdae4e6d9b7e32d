package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects that a shared receive queue, an address handle or a multicast group keeps from being closed. */
@DisplayName("C05 destruction around shared queues and datagrams")
@Timeout(60)
class SharingRefusalsC05Test extends FixtureTest {
    private static final Gid GROUP = Gid.ofHex("ff0e00000000000000000000000c0500");

    private static void busy(AutoCloseable object) {
        VerbsException refusal = assertThrows(VerbsException.class, object::close);
        assertEquals(Errno.EBUSY, refusal.errno(), refusal.getMessage());
    }

    private SharedReceiveQueue queue() {
        return fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(4, 1, Threading.SAFE)));
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UD"})
    void sharedReceiveQueueOfQueuePairStaysUsable(QueuePairType type) {
        SharedReceiveQueue srq = queue();
        Pair pair = fixture.connected(new PairSpec().type(type).srq(srq));
        Buffer buffer = fixture.local(64, MemoryKind.DEVICE);
        busy(srq);
        busy(pair.recvCq());
        busy(pair.sendCq());
        assertEquals(PostStatus.OK, srq.postReceive(3, buffer.address(), 64, buffer.lkey()));
        pair.postRemote(WorkSpec.send(1, Opcode.SEND));
        assertEquals(3, pair.awaitReceive().wrId());
        srq.resize(8);
        srq.setLimit(1);
        pair.qp().close();
        srq.close();
        pair.recvCq().close();
    }

    @Test
    void sharedReceiveQueueStaysUntilItsLastQueuePairIsGone() {
        SharedReceiveQueue srq = queue();
        CompletionQueue cq = fixture.a().completionQueue(32, false, Threading.SAFE);
        QueuePairSpec spec = new QueuePairSpec();
        var first = fixture.a().domain().createQueuePair(spec.config(cq, cq).withSrq(srq));
        var second = fixture.a().domain().createQueuePair(spec.config(cq, cq).withSrq(srq));
        first.close();
        first.close();
        busy(srq);
        second.close();
        srq.close();
        cq.close();
    }

    @Test
    void domainWithSharedReceiveQueueStaysUsable() {
        ProtectionDomain domain = fixture.a().keep(fixture.a().context().allocateProtectionDomain());
        SharedReceiveQueue srq = domain.createSharedReceiveQueue(
                new SharedReceiveQueueConfig(4, 1, Threading.SAFE));
        busy(domain);
        assertEquals(PostStatus.OK, srq.postReceive(1, 0, 0, 0));
        srq.close();
        domain.close();
        assertThrows(VerbsException.class, () -> domain.createSharedReceiveQueue(
                new SharedReceiveQueueConfig(4, 1, Threading.SAFE)));
    }

    @Test
    void domainWithAddressHandleStaysUsable() {
        ProtectionDomain domain = fixture.a().keep(fixture.a().context().allocateProtectionDomain());
        AddressHandle way = domain.createAddressHandle(AddressVector.to(fixture.a().gid()));
        busy(domain);
        domain.createAddressHandle(AddressVector.to(fixture.a().gid())).close();
        way.close();
        domain.close();
        assertThrows(VerbsException.class, () -> domain.createAddressHandle(AddressVector.to(fixture.a().gid())));
    }

    @Test
    void queuePairInAMulticastGroupStaysUsable() {
        fixture.requireMulticast();
        Pair pair = fixture.connected(new PairSpec().type(QueuePairType.UD));
        Buffer buffer = fixture.local(200, MemoryKind.DEVICE);
        pair.qp().attachMulticast(GROUP);
        busy(pair.qp());
        busy(pair.recvCq());
        pair.postReceive(WorkSpec.receive(3).sge(buffer.address(), 200, buffer.lkey()));
        pair.post(WorkSpec.send(1, Opcode.SEND).to(pair.wayTo(GROUP), Destination.MULTICAST_QPN,
                pair.spec().linkA().qkey()));
        pair.await(WcStatus.SUCCESS);
        assertEquals(3, pair.awaitReceive().wrId());
        pair.qp().detachMulticast(GROUP);
        pair.qp().close();
        assertThrows(VerbsException.class, () -> pair.qp().attachMulticast(GROUP));
    }

    @Test
    void membershipOutlivesAReset() {
        fixture.requireMulticast();
        Pair pair = fixture.connected(new PairSpec().type(QueuePairType.UD));
        pair.qp().attachMulticast(GROUP);
        pair.reconnect();
        busy(pair.qp());
        pair.qp().detachMulticast(GROUP);
    }

    @Test
    void closedDatagramQueuePairSaysSo() {
        Pair pair = fixture.connected(new PairSpec().type(QueuePairType.UD));
        Destination to = pair.destination();
        pair.qp().close();
        assertEquals(PostStatus.CLOSED, pair.qp().postSend(1, 0, 0, 0, to, SendFlags.SIGNALED));
        assertEquals(PostStatus.CLOSED, pair.tryPost(WorkSpec.send(1, Opcode.SEND)));
        assertEquals(PostStatus.CLOSED, pair.qp().postReceive(1, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void queuePairWithWorkOutstandingCanBeClosed(QueuePairType type) {
        Pair pair = fixture.connected(new PairSpec().type(type));
        pair.modify(QueuePairState.SQD);
        pair.post(WorkSpec.send(1, Opcode.SEND), WorkSpec.send(2, Opcode.SEND));
        pair.postReceive(WorkSpec.receive(2));
        pair.qp().close();
        pair.expectNoCompletion();
        pair.sendCq().close();
        pair.recvCq().close();
    }
}
