package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which state takes which posts. */
@DisplayName("C02 posting in every state")
@Timeout(60)
class PostingStatesC02Test extends FixtureTest {
    private QueuePair create(QueuePairType type, QueuePairState state) {
        var cq = fixture.a().completionQueue(16, false, Threading.SAFE);
        QueuePair qp = fixture.a().queuePair(new QueuePairSpec().type(type), cq, cq);
        StateDriver.bring(qp, fixture.a().gid(), state);
        return qp;
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void receivesAreRefusedInReset(QueuePairType type) throws Throwable {
        Fixture.orSkip(() -> {
            QueuePair qp = create(type, QueuePairState.RESET);
            assertEquals(PostStatus.WRONG_STATE, qp.postReceive(1, 0, 0, 0));
            ReceiveRequests list = new ReceiveRequests(2, 1).add(1).add(2);
            assertEquals(PostStatus.WRONG_STATE, qp.postReceive(list));
            assertEquals(0, list.refusedIndex());
            assertEquals(PostStatus.WRONG_STATE, list.refusedStatus());
        });
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void receivesAreTakenInInitAndLater(QueuePairType type) throws Throwable {
        Fixture.orSkip(() -> {
            Buffer buffer = fixture.local(256, MemoryKind.DEVICE);
            for (QueuePairState state : TransitionTable.REACHABLE) {
                if (state != QueuePairState.RESET) {
                    QueuePair qp = create(type, state);
                    assertEquals(PostStatus.OK, qp.postReceive(1, buffer.address(), 256, buffer.lkey()), "in " + state);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UC"})
    void sendsAreRefusedBeforeReadyToSend(QueuePairType type) throws Throwable {
        Fixture.orSkip(() -> {
            for (QueuePairState state : new QueuePairState[] {
                QueuePairState.RESET, QueuePairState.INIT, QueuePairState.RTR}) {
                QueuePair qp = create(type, state);
                assertEquals(PostStatus.WRONG_STATE, qp.postSend(1, 0, 0, 0, SendFlags.SIGNALED), "SEND in " + state);
                assertEquals(PostStatus.WRONG_STATE, qp.postWrite(1, 0, 0, 0, 0, 0, 0), "WRITE in " + state);
                SendRequests list = new SendRequests(2, 1);
                list.add(1, Opcode.SEND, 0);
                list.add(2, Opcode.SEND, 0);
                assertEquals(PostStatus.WRONG_STATE, qp.postSend(list), "list in " + state);
                assertEquals(0, list.refusedIndex());
            }
        });
    }

    @Test
    void readsAndAtomicsAreRefusedBeforeReadyToSend() {
        for (QueuePairState state : new QueuePairState[] {
            QueuePairState.RESET, QueuePairState.INIT, QueuePairState.RTR}) {
            QueuePair qp = create(QueuePairType.RC, state);
            assertEquals(PostStatus.WRONG_STATE, qp.postRead(1, 0, 0, 0, 0, 0, 0));
            assertEquals(PostStatus.WRONG_STATE, qp.postFetchAndAdd(1, 64, 1, 64, 1, 1, 0));
        }
    }

    @Test
    void receivePostedInInitIsUsedOnceConnected() {
        Pair pair = fixture.pair(new PairSpec());
        Buffer target = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(64, MemoryKind.DEVICE).fill(1);
        pair.qp().modify(QueuePairAttributes.init(1, 0));
        assertEquals(PostStatus.OK, pair.qp().postReceive(77, target.address(), 64, target.lkey()));
        pair.connectRemote();
        pair.qp().modify(new LinkSpec().rtr(pair.remoteEndpoint()));
        pair.postRemote(WorkSpec.send(1, Opcode.SEND).sge(source.address(), 64, source.lkey()));
        assertEquals(77, pair.awaitReceive().wrId());
        target.check(0, 64, 1, "message received in RTR");
        assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
    }

    @Test
    void firstMessageInReadyToReceiveRaisesCommunicationEstablished() {
        Pair pair = fixture.pair(new PairSpec());
        pair.connectRemote();
        pair.qp().modify(QueuePairAttributes.init(1, 0));
        pair.qp().modify(new LinkSpec().rtr(pair.remoteEndpoint()));
        pair.postReceive(WorkSpec.receive(1));
        assertEquals("NONE", fixture.a().takeAsyncEvent(0).kind());
        pair.postRemote(WorkSpec.send(1, Opcode.SEND));
        assertEquals(1, pair.awaitReceive().wrId());
        pair.awaitEvent("COMM_EST");
    }

    @Test
    void sendsInSqdAreTakenAndHeld() {
        Pair pair = fixture.connected();
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE).fill(9);
        Buffer source = fixture.local(64, MemoryKind.DEVICE).fill(1);
        pair.modify(QueuePairState.SQD);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 64, source.lkey())
                .remote(target.address(), target.rkey()));
        pair.expectNoCompletion();
        target.check(0, 64, 9, "held write");
        pair.modify(QueuePairState.RTS);
        pair.await(WcStatus.SUCCESS);
        target.check(0, 64, 1, "resumed write");
    }

    @Test
    void postsInErrAreTakenAndFlushed() {
        Pair pair = fixture.connected();
        pair.modify(QueuePairState.ERR);
        pair.post(WorkSpec.send(5, Opcode.SEND));
        assertEquals(5, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        pair.postReceive(WorkSpec.receive(6));
        assertEquals(WcStatus.WR_FLUSH_ERR, pair.awaitReceive().status());
    }
}
