package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** FENCE: a request starts only after all earlier READs and atomics are complete. */
@DisplayName("C24 fence")
@Timeout(60)
class FenceC24Test extends FixtureTest {
    private static final int FENCED = SendFlags.SIGNALED | SendFlags.FENCE;

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void fencedSendSendsWhatTheReadBeforeItFetched(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        Buffer local = fixture.local(Shape.largest(), shape.kind());
        RemoteBuffer source = fixture.remote(Shape.largest(), shape.kind());
        RemoteBuffer target = fixture.remote(Shape.largest(), shape.kind());
        for (int size : shape.sizes()) {
            source.fill(0, size, size + 1);
            local.fill(0, size, -1);
            pair.postRemoteReceive(1, target, 0, size);
            pair.post(WorkSpec.send(1, Opcode.RDMA_READ).sge(local.address(), size, local.lkey())
                            .remote(source.address(), source.rkey()).flags(0),
                    WorkSpec.send(2, Opcode.SEND).sge(local.address(), size, local.lkey()).flags(FENCED));
            assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
            target.check(0, size, size + 1, "sent back");
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void fencedWriteWritesWhatTheAtomicBeforeItReturned(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        Buffer local = fixture.local(8, shape.kind());
        RemoteBuffer counter = fixture.remote(8, shape.kind());
        RemoteBuffer target = fixture.remote(8, shape.kind());
        for (int i = 0; i < 100; i++) {
            local.setLong(0, -1);
            pair.post(WorkSpec.send(1, Opcode.ATOMIC_FETCH_AND_ADD).sge(local.address(), 8, local.lkey())
                            .remote(counter.address(), counter.rkey()).operands(1, 0).flags(0),
                    WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 8, local.lkey())
                            .remote(target.address(), target.rkey()).flags(FENCED));
            pair.await(WcStatus.SUCCESS);
            assertEquals(i, target.getLong(0));
        }
    }

    @Test
    void fencedRequestWithNothingBeforeItStartsAtOnce() {
        Pair pair = fixture.connected();
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).flags(FENCED));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void fenceBehindAWaitingSendDoesNotDeadlock() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE).fill(4);
        pair.post(WorkSpec.send(1, Opcode.SEND).flags(0),
                WorkSpec.send(2, Opcode.RDMA_READ).sge(local.address(), 64, local.lkey())
                        .remote(remote.address(), remote.rkey()).flags(SendFlags.FENCE),
                WorkSpec.send(3, Opcode.SEND).sge(local.address(), 64, local.lkey()).flags(FENCED));
        pair.expectNoCompletion();
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE);
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.postRemoteReceive(2, target, 0, 64);
        assertEquals(3, pair.await(WcStatus.SUCCESS).wrId());
        target.check(0, 64, 4, "sent back");
        pair.awaitRemoteReceives(2);
    }
}
