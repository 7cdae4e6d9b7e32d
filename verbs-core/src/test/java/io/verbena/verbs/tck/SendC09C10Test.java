package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** SEND and SEND_WITH_IMM of every size, path MTU, threading mode and kind of memory. */
@DisplayName("C09 SEND, C10 SEND_WITH_IMM")
@Timeout(60)
class SendC09C10Test extends FixtureTest {
    private static final long UNTOUCHED = 99;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Shape shape) {
        pair = fixture.connected(shape.spec());
        local = fixture.local(Shape.largest() + 64, shape.kind());
        remote = fixture.remote(Shape.largest() + 64, shape.kind());
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sendArrivesWithContentAndLength(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            local.fill(0, size, size);
            remote.fill(0, size + 64, UNTOUCHED);
            pair.postRemoteReceive(size, remote, 0, size + 64);
            pair.post(WorkSpec.send(7, Opcode.SEND).sge(local.address(), size, local.lkey()));
            assertEquals(WcOpcode.SEND, pair.await(WcStatus.SUCCESS).opcode());
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(size, received.wrId());
            assertEquals(size, received.byteLen());
            assertEquals(WcOpcode.RECV, received.opcode());
            assertEquals(0, received.flags() & WcFlags.WITH_IMM);
            remote.check(0, size, size, "message of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sendTouchesNothingBehindTheMessage(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            int start = size % 7 + 1;
            remote.fill(start + size, 32, UNTOUCHED);
            pair.postRemoteReceive(size, remote, start, size + 32);
            pair.post(WorkSpec.send(7, Opcode.SEND).sge(local.address() + 3, size, local.lkey()));
            pair.await(WcStatus.SUCCESS);
            pair.awaitRemoteReceive(WcStatus.SUCCESS);
            remote.check(start + size, 32, UNTOUCHED, "behind message of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sendFillsBufferOfExactlyItsLength(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 1);
            pair.postRemoteReceive(size, remote, 8, size);
            pair.post(WorkSpec.send(7, Opcode.SEND).sge(local.address(), size, local.lkey()));
            pair.await(WcStatus.SUCCESS);
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(8, size, size + 1, "message of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void immediateValueArrivesUnchanged(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            int imm = size * 0x9E37_79B9 ^ 0x8000_0001;
            local.fill(0, size, size + 2);
            pair.postRemoteReceive(size, remote, 0, size + 1);
            pair.post(WorkSpec.send(7, Opcode.SEND_WITH_IMM).sge(local.address(), size, local.lkey()).imm(imm));
            assertEquals(WcOpcode.SEND, pair.await(WcStatus.SUCCESS).opcode());
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(imm, received.imm());
            assertEquals(WcFlags.WITH_IMM, received.flags() & WcFlags.WITH_IMM);
            assertEquals(size, received.byteLen());
            assertEquals(WcOpcode.RECV, received.opcode());
            remote.check(0, size, size + 2, "message of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void sendsTravelBothWays(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            remote.fill(0, size, size + 3);
            pair.postReceive(WorkSpec.receive(4).sge(local.address(), size, local.lkey()));
            pair.postRemote(WorkSpec.send(5, Opcode.SEND_WITH_IMM).sge(remote.address(), size, remote.lkey()).imm(-1));
            Completion received = pair.awaitReceive();
            assertEquals(WcStatus.SUCCESS, received.status());
            assertEquals(size, received.byteLen());
            assertEquals(-1, received.imm());
            assertEquals(pair.qp().qpNum(), received.qpNum());
            assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
            local.check(0, size, size + 3, "message of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void queuePairConnectedToItselfReceivesItsOwnMessages(Shape shape) {
        PairSpec spec = shape.spec();
        pair = fixture.pair(spec);
        local = fixture.local(2 * Shape.largest(), shape.kind());
        spec.linkA().connect(pair.qp(),
                new QueuePairEndpoint(fixture.a().gid(), pair.qp().qpNum(), spec.linkA().psn()));
        for (int size : shape.sizes()) {
            local.fill(0, size, size);
            pair.postReceive(WorkSpec.receive(3).sge(local.address() + Shape.largest(), size, local.lkey()));
            pair.post(WorkSpec.send(7, Opcode.SEND).sge(local.address(), size, local.lkey()));
            pair.await(WcStatus.SUCCESS);
            assertEquals(size, pair.awaitReceive().byteLen());
            local.check(Shape.largest(), size, size, "message of " + size + " to itself");
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void messagesTakeReceivesInOrder(Shape shape) {
        prepare(shape);
        for (int i = 0; i < 40; i++) {
            pair.postRemoteReceive(i, remote, i * 1000L, 1000);
        }
        for (int i = 0; i < 40; i++) {
            local.fill(i * 1000L, i * 25, i);
            pair.post(WorkSpec.send(i, Opcode.SEND).sge(local.address() + i * 1000L, i * 25L, local.lkey()));
        }
        pair.await(40);
        int expected = 0;
        for (Completion received : pair.awaitRemoteReceives(40)) {
            assertEquals(expected, received.wrId());
            assertEquals(expected * 25L, received.byteLen());
            remote.check(expected * 1000L, expected * 25L, expected, "message " + expected);
            expected++;
        }
    }
}
