package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** INLINE: the data is taken during the post, whatever the key says. */
@DisplayName("C15 INLINE")
@Timeout(60)
class InlineC15Test extends FixtureTest {
    private static final int FLAGS = SendFlags.SIGNALED | SendFlags.INLINE;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;
    private int max;

    private void prepare(Shape shape) {
        PairSpec spec = shape.spec();
        spec.a().maxInline(200);
        pair = fixture.connected(spec);
        max = pair.qp().capabilities().maxInlineData();
        assertTrue(max >= 200);
        local = fixture.local(max + 64L, shape.kind());
        remote = fixture.remote(max + 64L, shape.kind());
    }

    private int[] sizes() {
        return new int[] {0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 199, 200, max};
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void bufferOfASendMayBeOverwrittenRightAfterThePost(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            local.fill(0, size, size);
            pair.post(WorkSpec.send(1, Opcode.SEND_WITH_IMM).sge(local.address(), size, local.lkey()).flags(FLAGS));
            local.fill(0, size, size + 100);
            pair.postRemoteReceive(2, remote, 0, size);
            pair.await(WcStatus.SUCCESS);
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
            remote.check(0, size, size, "inline send of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void bufferOfAWriteMayBeOverwrittenWhileAnEarlierRequestHoldsItUp(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            local.fill(0, size, size);
            pair.post(WorkSpec.send(1, Opcode.SEND));
            pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), size, local.lkey()).flags(FLAGS)
                    .remote(remote.address(), remote.rkey()));
            local.fill(0, size, size + 100);
            pair.postRemoteReceive(WorkSpec.receive(1));
            pair.await(2);
            pair.awaitRemoteReceives(1);
            remote.check(0, size, size, "inline write of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void wrongKeyIsIgnored(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            local.fill(0, size, size);
            pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), size, ~local.lkey()).flags(FLAGS)
                    .remote(remote.address(), remote.rkey()));
            pair.await(WcStatus.SUCCESS);
            remote.check(0, size, size, "inline write of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void severalEntriesAreJoined(Shape shape) {
        prepare(shape);
        local.fill(0, 200, 1);
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).flags(FLAGS).remote(remote.address(), remote.rkey())
                .sge(local.address(), 60, local.lkey())
                .sge(local.address() + 60, 0, 0)
                .sge(local.address() + 60, 17, local.lkey())
                .sge(local.address() + 77, 123, local.lkey()));
        pair.await(WcStatus.SUCCESS);
        remote.check(0, 200, 1, "joined inline write");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void moreThanMaxInlineDataIsRefused(Shape shape) {
        prepare(shape);
        WorkSpec tooLong = WorkSpec.send(1, Opcode.RDMA_WRITE).flags(FLAGS).remote(remote.address(), remote.rkey())
                .sge(local.address(), max, local.lkey()).sge(local.address(), 1, local.lkey());
        assertEquals(PostStatus.INLINE_TOO_LONG, pair.tryPost(tooLong));
        assertEquals(PostStatus.INLINE_TOO_LONG,
                pair.qp().postSend(1, local.address(), max + 1L, local.lkey(), FLAGS));
        pair.expectNoCompletion();
    }

    @Test
    void inlineIsRefusedWithReadsAndAtomics() {
        prepare(new Shape(Mtu.MTU_1024, Threading.SAFE, MemoryKind.DEVICE));
        assertEquals(PostStatus.BAD_FLAGS, pair.qp().postRead(1, local.address(), 8, local.lkey(), remote.address(),
                remote.rkey(), FLAGS));
        assertEquals(PostStatus.BAD_FLAGS, pair.qp().postFetchAndAdd(1, local.address(), local.lkey(),
                remote.address(), remote.rkey(), 1, FLAGS));
    }

    @Test
    void bytesOutsideRegisteredMemoryAreRefused() {
        prepare(new Shape(Mtu.MTU_1024, Threading.SAFE, MemoryKind.DEVICE));
        int refused = pair.qp().postSend(1, 8, 16, local.lkey(), FLAGS);
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, refused);
        assertEquals(PostStatus.INLINE_NOT_REGISTERED,
                pair.qp().postSend(1, local.address() + max + 60, 64, local.lkey(), FLAGS));
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, pair.qp().postSend(1, -4, 16, local.lkey(), FLAGS));
    }

    @Test
    void bytesAreFoundWhateverOtherRegionsOfTheSameMemoryComeAndGo() {
        prepare(new Shape(Mtu.MTU_1024, Threading.SAFE, MemoryKind.DEVICE));
        local.fill(0, 64, 5);
        fixture.a().domain().register(local.segment().asSlice(0, 8), 0).close();
        fixture.a().domain().register(local.segment(), 0).close();
        var inside = fixture.a().keep(fixture.a().domain().register(local.segment().asSlice(4, 4), 0));
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 64, 0).flags(FLAGS)
                .remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.SUCCESS);
        remote.check(0, 64, 5, "inline write beside region " + inside.lkey());
    }

    @Test
    void unsignalledInlineSendsNeedNoOtherSpace() {
        prepare(new Shape(Mtu.MTU_1024, Threading.SAFE, MemoryKind.DEVICE));
        for (int i = 0; i < 500; i++) {
            local.fill(0, 64, i);
            int flags = i % 16 == 15 ? FLAGS : SendFlags.INLINE;
            assertEquals(PostStatus.OK, pair.qp().postWrite(i, local.address(), 64, 0, remote.address(),
                    remote.rkey(), flags), "write " + i);
            if (i % 16 == 15) {
                assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
                remote.check(0, 64, i, "inline write " + i);
            }
        }
    }
}
