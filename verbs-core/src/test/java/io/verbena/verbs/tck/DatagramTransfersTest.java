package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Datagrams of every size up to the port's MTU, threading mode and kind of memory. */
@DisplayName("C09 SEND, C10 SEND_WITH_IMM, C14 several entries, C15 INLINE: UD")
@Timeout(60)
class DatagramTransfersTest extends FixtureTest {
    private static final int HEADER = RouteHeader.BYTES;
    private static final int MARGIN = 32;
    private static final long UNTOUCHED = 99;
    private static final int BAD_KEY = 0x0BAD_0BAD;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;
    private int mtu;

    private void prepare(Shape shape) {
        PairSpec spec = shape.spec().type(QueuePairType.UD).maxSge(8);
        spec.a().maxInline(200);
        pair = fixture.connected(spec);
        mtu = fixture.a().context().queryPort(1).activeMtu().bytes();
        local = fixture.local(mtu + 256L, shape.kind());
        remote = fixture.remote(mtu + 256L, shape.kind());
    }

    private int[] sizes() {
        IntStream around = IntStream.of(0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 63, 64, 65, 199);
        IntStream cuts = IntStream.of(Mtu.MTU_256.bytes(), Mtu.MTU_1024.bytes(), mtu)
                .flatMap(m -> IntStream.of(m - 1, m, Math.min(m + 1, mtu)));
        return IntStream.concat(around, cuts).toArray();
    }

    private Completion exchange(WorkSpec work) {
        pair.post(work);
        assertEquals(WcOpcode.SEND, pair.await(WcStatus.SUCCESS).opcode());
        return pair.awaitRemoteReceive(WcStatus.SUCCESS);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void datagramsArriveWithContentLengthAndImmediate(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            for (Opcode opcode : new Opcode[] {Opcode.SEND, Opcode.SEND_WITH_IMM}) {
                boolean imm = opcode == Opcode.SEND_WITH_IMM;
                int start = size % 7;
                local.fill(3, size, size);
                remote.fill(start, mtu + 100L, UNTOUCHED);
                // Once with room behind it, once exactly as long as header and message.
                pair.postRemoteReceive(size, remote, start, HEADER + (imm ? size : size + MARGIN));
                Completion received = exchange(
                        WorkSpec.send(7, opcode).sge(local.address() + 3, size, local.lkey()).imm(~size));
                assertEquals(size, received.wrId());
                assertEquals(HEADER + size, received.byteLen());
                assertEquals(WcOpcode.RECV, received.opcode());
                assertEquals(WcFlags.GRH | (imm ? WcFlags.WITH_IMM : 0), received.flags());
                assertEquals(imm ? ~size : received.imm(), received.imm());
                assertEquals(pair.qp().qpNum(), received.srcQp());
                remote.check(start + HEADER, size, size, "datagram of " + size);
                checkBehind(start, size);
            }
        }
    }

    private void checkBehind(int start, int size) {
        int from = (HEADER + size + 7) / 8 * 8;
        byte[] behind = remote.bytes(start + from, MARGIN);
        byte[] expected = new byte[from + MARGIN];
        Pattern.fill(MemorySegment.ofArray(expected), UNTOUCHED);
        assertEquals(HexFormat.of().formatHex(expected, from, from + MARGIN),
                HexFormat.of().formatHex(behind), "behind a datagram of " + size);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void simpleCallsDoTheSameAsLists(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            local.fill(0, size, size + 4);
            pair.postRemoteReceive(1, remote, 0, HEADER + size);
            assertEquals(PostStatus.OK, pair.qp().postSend(1, local.address(), size, local.lkey(), pair.destination(),
                    SendFlags.SIGNALED));
            pair.await(WcStatus.SUCCESS);
            assertEquals(HEADER + size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(HEADER, size, size + 4, "postSend of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void piecesAreGatheredAndScatteredInOrder(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            local.fill(0, size, size);
            int first = size / 3;
            RemoteBuffer rest = fixture.remote(mtu + 256L, shape.kind());
            pair.postRemoteReceive(WorkSpec.receive(1).sge(1, 0, BAD_KEY)
                    .sge(remote.address(), HEADER + first, remote.lkey()).sge(0, 0, 0)
                    .sge(rest.address(), size - first + 5, rest.lkey()));
            int half = size / 2;
            assertEquals(HEADER + size, exchange(WorkSpec.send(7, Opcode.SEND).sge(-1, 0, BAD_KEY)
                    .sge(local.address(), half, local.lkey()).sge(3, 0, 0)
                    .sge(local.address() + half, size - half, local.lkey())).byteLen());
            remote.check(HEADER, first, size, "first piece of " + size);
            assertEquals(size - first, rest.bytes(0, size - first).length);
            checkJoined(rest, first, size);
            fixture.b().execute(new PeerCommand.Destroy(rest.region().handle()));
        }
    }

    private void checkJoined(RemoteBuffer rest, int first, int size) {
        byte[] expected = local.segment().asSlice(first, size - first).toArray(ValueLayout.JAVA_BYTE);
        assertEquals(HexFormat.of().formatHex(expected),
                HexFormat.of().formatHex(rest.bytes(0, size - first)), "second piece of " + size);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void inlineDataIsTakenDuringThePostWhateverItsKey(Shape shape) {
        prepare(shape);
        int max = pair.qp().capabilities().maxInlineData();
        int flags = SendFlags.SIGNALED | SendFlags.INLINE;
        for (int size : new int[] {0, 1, 5, 31, 32, 33, 64, 65, 199, max}) {
            local.fill(0, size, size);
            pair.postRemoteReceive(2, remote, 0, HEADER + size);
            pair.modify(QueuePairState.SQD);
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), size, ~local.lkey()).flags(flags));
            local.fill(0, size, UNTOUCHED);
            pair.modify(QueuePairState.RTS);
            pair.await(WcStatus.SUCCESS);
            assertEquals(HEADER + size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(HEADER, size, size, "inline datagram of " + size);
        }
        assertEquals(PostStatus.INLINE_TOO_LONG, pair.qp().postSend(
                1, local.address(), max + 1L, local.lkey(), pair.destination(), flags));
        assertEquals(PostStatus.INLINE_NOT_REGISTERED,
                pair.qp().postSend(1, 8, 16, local.lkey(), pair.destination(), flags));
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void datagramsTravelBothWays(Shape shape) {
        prepare(shape);
        for (int size : sizes()) {
            remote.fill(0, size, size + 3);
            pair.postReceive(WorkSpec.receive(4).sge(local.address(), HEADER + size, local.lkey()));
            pair.postRemote(WorkSpec.send(5, Opcode.SEND_WITH_IMM).sge(remote.address(), size, remote.lkey()).imm(-1));
            Completion received = pair.awaitReceive();
            assertEquals(WcStatus.SUCCESS, received.status());
            assertEquals(HEADER + size, received.byteLen());
            assertEquals(-1, received.imm());
            assertEquals(pair.remoteQpNum(), received.srcQp());
            assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
            local.check(HEADER, size, size + 3, "datagram of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void datagramsTakeReceivesInOrder(Shape shape) {
        prepare(shape);
        for (int i = 0; i < 40; i++) {
            pair.postRemoteReceive(i, remote, i * 100L, HEADER + 50);
            local.fill(i * 50L, i, i);
        }
        for (int i = 0; i < 40; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).sge(local.address() + i * 50L, i, local.lkey()));
        }
        pair.await(40);
        int expected = 0;
        for (Completion received : pair.awaitRemoteReceives(40)) {
            assertEquals(expected, received.wrId());
            assertEquals(HEADER + expected, received.byteLen());
            remote.check(expected * 100L + HEADER, expected, expected, "datagram " + expected);
            expected++;
        }
    }
}
