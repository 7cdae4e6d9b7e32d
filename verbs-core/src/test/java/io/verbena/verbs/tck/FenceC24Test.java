package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceCapability;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.Assumptions;
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
    void unsignalledLocalInvalidationBeforeFencedRequestsDoesNotDeadlock() {
        MemoryWindow window = window();
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.MW_BIND);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE).fill(4);
        SendRequests list = new SendRequests(4, 1);
        for (int round = 0; round < 200; round++) {
            int key = window.rkey(round);
            list.clear()
                    .add(1, Opcode.BIND_MW, 0).bind(window, key, local.region(), local.address(), 64, 0)
                    .add(2, Opcode.LOCAL_INV, 0).invalidate(key)
                    .add(3, Opcode.RDMA_READ, SendFlags.FENCE).sge(local.address(), 64, local.lkey())
                    .remote(remote.address(), remote.rkey())
                    .add(4, Opcode.RDMA_WRITE, FENCED).sge(local.address(), 64, local.lkey())
                    .remote(remote.address(), remote.rkey());
            assertEquals(PostStatus.OK, pair.qp().postSend(list));
            assertEquals(4, pair.await(WcStatus.SUCCESS).wrId());
        }
        window.close();
    }

    private MemoryWindow window() {
        Assumptions.assumeTrue(fixture.a().context().queryDevice().capabilities()
                .contains(DeviceCapability.MEM_WINDOW_TYPE_2B), "optional: no windows of type 2");
        return fixture.a().keep(fixture.a().domain().allocateMemoryWindow(MemoryWindow.Type.TYPE_2));
    }

    @Test
    void localInvalidationWaitsForEveryRequestBeforeIt() {
        MemoryWindow window = window();
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.MW_BIND);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        SendRequests list = new SendRequests(4, 1).clear()
                .add(1, Opcode.BIND_MW, SendFlags.SIGNALED)
                .bind(window, 5, local.region(), local.address(), 64, Access.REMOTE_WRITE);
        assertEquals(PostStatus.OK, pair.qp().postSend(list));
        pair.await(WcStatus.SUCCESS);
        int key = window.rkey();
        // B has posted no receive: the send waits, and the invalidation behind it.
        list.clear().add(2, Opcode.SEND, SendFlags.SIGNALED).add(3, Opcode.LOCAL_INV, SendFlags.SIGNALED)
                .invalidate(key);
        assertEquals(PostStatus.OK, pair.qp().postSend(list));
        pair.expectNoCompletion();
        pair.postRemote(WorkSpec.send(4, Opcode.RDMA_WRITE).sge(remote.address(), 64, remote.lkey())
                .remote(local.address(), key));
        assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status(), "still bound");
        pair.postRemoteReceive(WorkSpec.receive(1));
        assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
        assertEquals(3, pair.await(WcStatus.SUCCESS).wrId());
        pair.postRemote(WorkSpec.send(5, Opcode.RDMA_WRITE).sge(remote.address(), 64, remote.lkey())
                .remote(local.address(), key));
        assertEquals(WcStatus.REM_ACCESS_ERR, pair.awaitRemoteSends(1).getFirst().status(), "unbound");
        window.close();
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
