package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A SEND longer than the posted receive. */
@DisplayName("C18 SEND longer than the receive buffer")
@Timeout(60)
class SendTooLongC18Test extends FixtureTest {
    private void sendTooLong(Shape shape, int buffer, int message) {
        Pair pair = fixture.connected(shape.spec());
        Buffer local = fixture.local(message, shape.kind()).fill(1);
        RemoteBuffer remote = fixture.remote(buffer + 64L, shape.kind()).fill(2);
        pair.postRemoteReceive(11, remote, 0, buffer);
        pair.postRemoteReceive(12, remote, 0, buffer);
        pair.post(WorkSpec.send(21, Opcode.SEND).sge(local.address(), message, local.lkey()),
                WorkSpec.send(22, Opcode.SEND));
        assertEquals(21, pair.await(WcStatus.REM_INV_REQ_ERR).wrId());
        assertEquals(22, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        assertEquals(11, pair.awaitRemoteReceive(WcStatus.LOC_LEN_ERR).wrId());
        assertEquals(12, pair.awaitRemoteReceive(WcStatus.WR_FLUSH_ERR).wrId());
        pair.awaitState(QueuePairState.ERR);
        pair.awaitRemoteState(QueuePairState.ERR);
        byte[] behind = remote.bytes(buffer, 64);
        remote.fill(2);
        assertEquals(Arrays.toString(remote.bytes(buffer, 64)), Arrays.toString(behind),
                "bytes behind the receive");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void oneByteTooLongEndsInErrorAtBothSides(Shape shape) {
        sendTooLong(shape, 10, 11);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void severalPacketsTooLongEndInErrorAtBothSides(Shape shape) {
        sendTooLong(shape, 100_000, 200_001);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void receiveOfNoBytesTakesNoByte(Shape shape) {
        sendTooLong(shape, 0, 1);
    }
}
