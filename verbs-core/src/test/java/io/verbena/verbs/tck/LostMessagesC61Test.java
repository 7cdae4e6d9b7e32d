package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An unreliable connection loses exactly the message that its receiver can't take; the sender never learns of it. */
@DisplayName("C61 UC loss")
@Timeout(60)
class LostMessagesC61Test extends FixtureTest {
    private static final long UNTOUCHED = 99;
    private static final int BYTES = 200_000;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(PairSpec spec) {
        pair = fixture.connected(spec.type(QueuePairType.UC));
        local = fixture.local(BYTES, MemoryKind.DEVICE);
        remote = fixture.remote(BYTES, MemoryKind.DEVICE).fill(UNTOUCHED);
    }

    private void prepare(Threading threading) {
        prepare(new PairSpec().threading(threading));
    }

    private WorkSpec send(long wrId, long bytes) {
        return WorkSpec.send(wrId, Opcode.SEND).sge(local.address(), bytes, local.lkey());
    }

    private WorkSpec write(long wrId, Opcode opcode, long bytes) {
        return WorkSpec.send(wrId, opcode).sge(local.address(), bytes, local.lkey())
                .remote(remote.address(), remote.rkey()).imm((int) wrId);
    }

    /** A message that succeeds for its sender and is lost. */
    private void lost(WorkSpec work) {
        pair.post(work);
        assertEquals(work.wrId(), pair.await(WcStatus.SUCCESS).wrId());
        pair.expectNoRemoteReceive();
        remote.check(0, 1024, UNTOUCHED, "memory after a lost message");
        assertEquals(QueuePairState.RTS, pair.queryRemote().state());
    }

    /** The next message arrives in the receive with a certain id. */
    private void arrives(long receiveId, int bytes, long seed) {
        local.fill(0, bytes, seed);
        pair.post(send(1000 + seed, bytes));
        pair.await(WcStatus.SUCCESS);
        Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
        assertEquals(receiveId, received.wrId());
        assertEquals(bytes, received.byteLen());
        remote.check(0, bytes, seed, "message after a lost one");
        remote.fill(0, Math.max(bytes, 1024), UNTOUCHED);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void messageWithoutAReceiveIsLostAndTheNextArrives(Threading threading) {
        prepare(threading);
        for (int i = 0; i < 5; i++) {
            lost(send(i, 64));
            lost(send(i, 5000));
            pair.postRemoteReceive(i, remote, 0, 1024);
            arrives(i, 100, i);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void messageTooLongIsLostAndItsReceiveStays(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(7, remote, 0, 1000);
        lost(send(1, 1001));
        lost(send(2, 100_000));
        arrives(7, 1000, 3);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void writeToABadKeyIsLostAndTheNextArrives(Threading threading) {
        prepare(threading);
        RemoteBuffer readable = fixture.remote(64, MemoryKind.DEVICE, Access.REMOTE_READ);
        for (long bytes : new long[] {1, 64, 1025, 70_000}) {
            lost(write(1, Opcode.RDMA_WRITE, bytes).remote(remote.address(), remote.rkey() ^ 1));
            lost(write(2, Opcode.RDMA_WRITE, bytes).remote(remote.address() - 1, remote.rkey()));
            lost(write(3, Opcode.RDMA_WRITE, bytes).remote(readable.address(), readable.rkey()));
            lost(write(4, Opcode.RDMA_WRITE, bytes).remote(remote.address() + BYTES, remote.rkey()));
        }
        pair.postRemoteReceive(7, remote, 0, 1000);
        lost(write(5, Opcode.RDMA_WRITE_WITH_IMM, 64).remote(remote.address(), remote.rkey() ^ 1));
        arrives(7, 10, 3);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void writeWithImmediateWithoutAReceiveIsLost(Threading threading) {
        prepare(threading);
        lost(write(1, Opcode.RDMA_WRITE_WITH_IMM, 64));
        lost(write(2, Opcode.RDMA_WRITE_WITH_IMM, 0));
        pair.postRemoteReceive(7, remote, 0, 1000);
        arrives(7, 10, 3);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void writeWithoutTheRightIsLost(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading);
        spec.linkB().access(0);
        prepare(spec);
        lost(write(1, Opcode.RDMA_WRITE, 64));
        lost(write(2, Opcode.RDMA_WRITE, 5000));
        pair.postRemoteReceive(7, remote, 0, 1000);
        arrives(7, 10, 3);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void receiveWhoseMemoryIsNotItsOwnFailsAtTheReceiverOnly(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(WorkSpec.receive(4).sge(remote.address(), 64, remote.lkey() ^ 0x100));
        pair.post(send(1, 64));
        pair.await(WcStatus.SUCCESS);
        assertEquals(4, pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR).wrId());
        assertEquals(QueuePairState.RTS, pair.qp().state());
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void withoutAPeerEverythingIsLostUntilItIsBack(Threading threading) {
        prepare(threading);
        for (QueuePairState state : new QueuePairState[] {QueuePairState.ERR, QueuePairState.RESET}) {
            pair.modifyRemote(state);
            for (int i = 0; i < 100; i++) {
                pair.post(i % 2 == 0 ? send(i, 64) : write(i, Opcode.RDMA_WRITE, 5000));
                assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
            }
            assertEquals(QueuePairState.RTS, pair.qp().state());
        }
        pair.connectRemote();
        pair.postRemoteReceive(3, remote, 0, 1024);
        arrives(3, 64, 1);
        fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
        pair.post(send(1, 64));
        pair.await(WcStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void receiverThatIsNotReadyYetLosesWhatComes(Threading threading) {
        pair = fixture.pair(new PairSpec().threading(threading).type(QueuePairType.UC));
        local = fixture.local(64, MemoryKind.DEVICE);
        pair.spec().linkA().connect(pair.qp(), pair.remoteEndpoint());
        pair.post(send(1, 64));
        pair.await(WcStatus.SUCCESS);
    }

    /** Whatever is lost takes its packet sequence numbers along; the first message that arrives sets the peer right. */
    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void sequenceNumbersOfLostMessagesAreSkipped(Shape shape) {
        prepare(shape.spec());
        int psn = pair.qp().query().sqPsn();
        assertEquals(psn, pair.queryRemote().rqPsn());
        lost(send(1, 10 * shape.mtu().bytes()));
        assertEquals(psn + 10 & 0xFF_FFFF, pair.qp().query().sqPsn());
        pair.postRemoteReceive(7, remote, 0, 1024);
        arrives(7, 5, 3);
        assertEquals(psn + 11 & 0xFF_FFFF, pair.qp().query().sqPsn());
        assertEquals(psn + 11 & 0xFF_FFFF, pair.queryRemote().rqPsn());
    }

    /** Random messages, some of which find no receive: exactly the others arrive, whole and in order. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void exactlyTheMessagesThatFindReceivesArrive(Threading threading) {
        prepare(new PairSpec().threading(threading).depth(512));
        Random random = new Random(61);
        for (int i = 0; i < 200; i++) {
            int bytes = random.nextInt(8) == 0 ? random.nextInt(50_000) : random.nextInt(200);
            boolean fits = random.nextBoolean();
            if (fits) {
                pair.postRemoteReceive(i, remote, 0, bytes + random.nextInt(3));
            }
            local.fill(0, bytes, i);
            pair.post(send(i, bytes));
            pair.await(WcStatus.SUCCESS);
            if (fits) {
                Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
                assertEquals(List.of((long) i, (long) bytes), List.of(received.wrId(), received.byteLen()));
                remote.check(0, bytes, i, "message " + i);
            } else {
                pair.expectNoRemoteReceive(); // nor does it still come once there is a receive
            }
        }
    }
}
