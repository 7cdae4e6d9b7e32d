package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which sends UC and UD queue pairs take in which state: datagrams need an address, others must not have one. */
@DisplayName("C02 posting to UC and UD")
@Timeout(60)
class UnreliablePostingC02Test extends FixtureTest {
    private static final List<QueuePairState> BEFORE_RTS =
            List.of(QueuePairState.RESET, QueuePairState.INIT, QueuePairState.RTR);

    private QueuePair create(QueuePairType type, Threading threading, QueuePairState state) {
        var cq = fixture.a().completionQueue(64, false, threading);
        QueuePair qp = fixture.a().queuePair(new QueuePairSpec().type(type).threading(threading), cq, cq);
        StateDriver.bring(qp, fixture.a().gid(), state);
        return qp;
    }

    private AddressHandle way() {
        return fixture.a().keep(fixture.a().domain().createAddressHandle(AddressVector.to(fixture.a().gid())));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramsAreRefusedBeforeReadyToSend(Threading threading) {
        AddressHandle way = way();
        for (QueuePairState state : BEFORE_RTS) {
            QueuePair qp = create(QueuePairType.UD, threading, state);
            assertEquals(PostStatus.WRONG_STATE,
                    qp.postSend(1, 0, 0, 0, new Destination(way, 77, 1), SendFlags.SIGNALED), "in " + state);
            SendRequests list = new SendRequests(2, 1);
            list.add(1, Opcode.SEND, 0).to(way, 77, 1).add(2, Opcode.SEND_WITH_IMM, 0).to(way, 77, 1);
            assertEquals(PostStatus.WRONG_STATE, qp.postSend(list), "list in " + state);
            assertEquals(0, list.refusedIndex());
            assertEquals(PostStatus.WRONG_STATE, list.refusedStatus());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramsWithoutAnAddressAreRefused(Threading threading) {
        AddressHandle way = way();
        for (QueuePairState state : List.of(QueuePairState.RTS, QueuePairState.SQD, QueuePairState.ERR)) {
            QueuePair qp = create(QueuePairType.UD, threading, state);
            assertEquals(PostStatus.BAD_ADDRESS_HANDLE, qp.postSend(1, 0, 0, 0, 0), "in " + state);
            SendRequests list = new SendRequests(3, 1);
            list.add(1, Opcode.SEND, 0).to(way, 77, 1).add(2, Opcode.SEND, 0).add(3, Opcode.SEND, 0).to(way, 77, 1);
            assertEquals(PostStatus.BAD_ADDRESS_HANDLE, qp.postSend(list), "in " + state);
            assertEquals(1, list.refusedIndex());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramQueuePairsTakeSendsOnly(Threading threading) {
        AddressHandle way = way();
        QueuePair qp = create(QueuePairType.UD, threading, QueuePairState.RTS);
        assertEquals(PostStatus.BAD_OPCODE, qp.postWrite(1, 0, 0, 0, 0, 0, 0));
        assertEquals(PostStatus.BAD_OPCODE, qp.postRead(1, 0, 0, 0, 0, 0, 0));
        assertEquals(PostStatus.BAD_OPCODE, qp.postFetchAndAdd(1, 64, 1, 64, 1, 1, 0));
        for (Opcode opcode : List.of(Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ,
                Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD)) {
            SendRequests list = new SendRequests(1, 1);
            list.add(1, opcode, 0).sge(64, 8, 1).remote(64, 1).to(way, 77, 1);
            assertEquals(PostStatus.BAD_OPCODE, qp.postSend(list), opcode.toString());
            assertEquals(0, list.refusedIndex());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void unreliableConnectionsTakeNeitherReadsNorAtomics(Threading threading) {
        QueuePair qp = create(QueuePairType.UC, threading, QueuePairState.RTS);
        assertEquals(PostStatus.BAD_OPCODE, qp.postRead(1, 0, 0, 0, 0, 0, 0));
        assertEquals(PostStatus.BAD_OPCODE, qp.postFetchAndAdd(1, 64, 1, 64, 1, 1, 0));
        for (Opcode opcode : List.of(Opcode.RDMA_READ, Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD)) {
            SendRequests list = new SendRequests(2, 1);
            list.add(1, Opcode.RDMA_WRITE, SendFlags.SIGNALED).add(2, opcode, 0).sge(64, 8, 1).remote(64, 1);
            assertEquals(PostStatus.BAD_OPCODE, qp.postSend(list), opcode.toString());
            assertEquals(1, list.refusedIndex());
        }
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"RC", "UC"})
    void connectionsTakeNoDatagrams(QueuePairType type) {
        QueuePair qp = create(type, Threading.SAFE, QueuePairState.RTS);
        assertEquals(PostStatus.BAD_OPCODE, qp.postSend(1, 0, 0, 0, new Destination(way(), 77, 1), 0));
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void postsInErrAreTakenAndFlushed(QueuePairType type, Threading threading) {
        Pair pair = fixture.connected(new PairSpec().type(type).threading(threading));
        pair.modify(QueuePairState.ERR);
        for (int i = 0; i < 100; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).flags(0));
            assertEquals(i, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
            pair.postReceive(WorkSpec.receive(1000 + i));
            assertEquals(1000 + i, pair.awaitReceive().wrId());
        }
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void receivePostedInInitIsUsedOnceReady(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.pair(spec);
        Buffer target = fixture.local(200, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(64, MemoryKind.DEVICE).fill(1);
        pair.qp().modify(spec.linkA().init(type));
        pair.postReceive(WorkSpec.receive(77).sge(target.address(), 200, target.lkey()));
        pair.connectRemote();
        pair.postRemote(WorkSpec.send(1, Opcode.SEND).sge(source.address(), 64, source.lkey()));
        assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
        assertEquals(List.of(), Waiting.poll(pair.recvCq(), 1, Pair.QUIET_NANOS),
                "in INIT what comes is dropped");
        pair.qp().modify(spec.linkA().rtr(type, pair.remoteEndpoint()));
        pair.postRemote(WorkSpec.send(2, Opcode.SEND).sge(source.address(), 64, source.lkey()));
        assertEquals(77, pair.awaitReceive().wrId());
        target.check(spec.header(), 64, 1, "message received in RTR");
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void sendsInSqdAreTakenAndHeld(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.connected(spec);
        RemoteBuffer target = fixture.remote(200, MemoryKind.DEVICE).fill(9);
        Buffer source = fixture.local(64, MemoryKind.DEVICE).fill(1);
        pair.postRemoteReceive(5, target, 0, 200);
        pair.modify(QueuePairState.SQD);
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(source.address(), 64, source.lkey()));
        pair.expectNoCompletion();
        pair.expectNoRemoteReceive();
        target.check(0, 200, 9, "receive of a held message");
        pair.modify(QueuePairState.RTS);
        pair.await(WcStatus.SUCCESS);
        assertEquals(5, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        target.check(spec.header(), 64, 1, "resumed message");
    }
}
