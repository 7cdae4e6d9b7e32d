package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Depths of READs and atomics. How many are on the way at a time can be counted only at a wire. */
@DisplayName("C25, C26 READs and atomics outstanding")
@Timeout(60)
class ReadDepthC25C26Test extends FixtureTest {
    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(int ownDepth, int remoteDepth) {
        PairSpec spec = new PairSpec();
        spec.linkA().rdAtomic(ownDepth, 16);
        spec.linkB().rdAtomic(16, remoteDepth);
        pair = fixture.connected(spec);
        local = fixture.local(5000, MemoryKind.DEVICE);
        remote = fixture.remote(5000, MemoryKind.DEVICE).fill(3);
    }

    private WorkSpec request(long wrId, Opcode opcode) {
        int size = opcode == Opcode.RDMA_READ || opcode == Opcode.RDMA_WRITE ? 5000 : 8;
        return WorkSpec.send(wrId, opcode).sge(local.address(), size, local.lkey())
                .remote(remote.address(), remote.rkey());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void moreReadsThanTheDepthAllComplete(int depth) {
        prepare(depth, 16);
        WorkSpec[] list = IntStream.range(0, 60)
                .mapToObj(i -> request(i, i % 3 == 2 ? Opcode.ATOMIC_FETCH_AND_ADD : Opcode.RDMA_READ))
                .toArray(WorkSpec[]::new);
        pair.post(list);
        List<Completion> completions = pair.await(60);
        for (int i = 0; i < 60; i++) {
            assertEquals(i, completions.get(i).wrId());
            assertEquals(WcStatus.SUCCESS, completions.get(i).status());
        }
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void targetOfDepthZeroRefusesThem(Opcode opcode) {
        prepare(16, 0);
        pair.post(request(1, Opcode.RDMA_WRITE).flags(0), request(2, opcode));
        assertEquals(2, pair.await(WcStatus.REM_INV_REQ_ERR).wrId());
        pair.awaitState(QueuePairState.ERR);
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void initiatorOfDepthZeroFailsThemItself(Opcode opcode) {
        prepare(0, 16);
        pair.post(request(1, Opcode.RDMA_WRITE), request(2, opcode));
        pair.await(WcStatus.SUCCESS);
        assertEquals(2, pair.await(WcStatus.LOC_QP_OP_ERR).wrId());
        pair.awaitState(QueuePairState.ERR);
        assertEquals(QueuePairState.RTS, pair.queryRemote().state(), "the peer saw nothing");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void targetOfSmallDepthServesAnyNumberOfThem(int depth) {
        prepare(depth, depth);
        for (int i = 0; i < 100; i++) {
            pair.post(request(i, Opcode.RDMA_READ));
            assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
        }
        local.check(0, 5000, 3, "read");
    }
}
