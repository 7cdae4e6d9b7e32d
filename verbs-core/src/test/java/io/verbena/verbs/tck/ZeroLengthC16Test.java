package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** RDMA of no bytes checks neither key nor address. */
@DisplayName("C16 zero-length RDMA")
@Timeout(60)
class ZeroLengthC16Test extends FixtureTest {
    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void readAndWriteOfNoBytesSucceedWithKeyAndAddressZero(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE), WorkSpec.send(2, Opcode.RDMA_READ));
        for (Completion completion : pair.await(2)) {
            assertEquals(WcStatus.SUCCESS, completion.status());
        }
        assertEquals(0, pair.qp().postWrite(3, 0, 0, 0, 0, 0, SendFlags.SIGNALED));
        assertEquals(0, pair.qp().postRead(4, 0, 0, 0, 0, 0, SendFlags.SIGNALED));
        assertEquals(WcOpcode.RDMA_WRITE, pair.await(WcStatus.SUCCESS).opcode());
        assertEquals(WcOpcode.RDMA_READ, pair.await(WcStatus.SUCCESS).opcode());
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void entriesOfNoBytesNeedNoKeyEither(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(5, 0, 77).sge(-1, 0, -1).remote(-1, -1),
                WorkSpec.send(2, Opcode.RDMA_READ).sge(5, 0, 77).remote(1, 1));
        for (Completion completion : pair.await(2)) {
            assertEquals(WcStatus.SUCCESS, completion.status());
            assertEquals(0, completion.byteLen());
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void writeWithImmediateOfNoBytesCompletesAReceive(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        RemoteBuffer buffer = fixture.remote(64, shape.kind()).fill(1);
        pair.postRemoteReceive(5, buffer, 0, 64);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE_WITH_IMM).imm(0xCAFE_BABE));
        pair.await(WcStatus.SUCCESS);
        Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
        assertEquals(5, received.wrId());
        assertEquals(0, received.byteLen());
        assertEquals(0xCAFE_BABE, received.imm());
        assertEquals(WcOpcode.RECV_RDMA_WITH_IMM, received.opcode());
        buffer.check(0, 64, 1, "buffer of the receive");
    }
}
