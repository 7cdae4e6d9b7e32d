package io.verbena.verbs.tck;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the target's queue pair does not allow is an invalid request, whatever the region grants. */
@DisplayName("C28 access flags of the queue pair")
@Timeout(60)
class QueuePairAccessC28Test extends FixtureTest {
    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(int access) {
        PairSpec spec = new PairSpec();
        spec.linkB().access(access);
        pair = fixture.connected(spec);
        local = fixture.local(8, MemoryKind.DEVICE).fill(1);
        remote = fixture.remote(8, MemoryKind.DEVICE).fill(2);
    }

    private void refused(Opcode opcode) {
        pair.post(request(opcode));
        pair.await(WcStatus.REM_INV_REQ_ERR);
        pair.awaitState(QueuePairState.ERR);
        pair.awaitRemoteState(QueuePairState.ERR);
        pair.awaitRemoteEvent("QP_REQ_ERR");
        remote.check(0, 8, 2, "B's memory");
        local.check(0, 8, 1, "A's memory");
    }

    private WorkSpec request(Opcode opcode) {
        return WorkSpec.send(1, opcode).sge(local.address(), 8, local.lkey())
                .remote(remote.address(), remote.rkey()).operands(0, 1);
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ", "ATOMIC_CMP_AND_SWP",
        "ATOMIC_FETCH_AND_ADD"})
    void missingFlagRefusesTheOperation(Opcode opcode) {
        prepare(LinkSpec.ALL_REMOTE & ~RemoteKeyC27Test.right(opcode));
        refused(opcode);
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ", "ATOMIC_CMP_AND_SWP",
        "ATOMIC_FETCH_AND_ADD"})
    void flagOfTheOperationAloneIsEnough(Opcode opcode) {
        prepare(RemoteKeyC27Test.right(opcode));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.post(request(opcode));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void sendsNeedNoFlag() {
        prepare(0);
        pair.postRemoteReceive(1, remote, 0, 8);
        pair.post(request(Opcode.SEND));
        pair.await(WcStatus.SUCCESS);
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        remote.check(0, 8, 1, "message");
    }

    @Test
    void flagsAreCheckedBeforeTheKey() {
        prepare(0);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 8, local.lkey()).remote(1, 1));
        pair.await(WcStatus.REM_INV_REQ_ERR);
    }

    @Test
    void flagsChangedInReadyToSendTakeEffect() {
        prepare(LinkSpec.ALL_REMOTE);
        pair.post(request(Opcode.RDMA_READ));
        pair.await(WcStatus.SUCCESS);
        local.fill(1);
        pair.remoteAccess(0);
        refused(Opcode.RDMA_READ);
    }
}
