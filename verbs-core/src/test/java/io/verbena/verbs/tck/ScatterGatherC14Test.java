package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gathering and scattering over several entries, with zero-length entries of any key in between. */
@DisplayName("C14 multiple scatter/gather entries")
@Timeout(60)
class ScatterGatherC14Test extends FixtureTest {
    /** Distance of the pieces in memory, so that they are not adjacent. */
    private static final int GAP = 24;
    private static final int ENTRIES = 8;
    private static final int BAD_KEY = 0x0BAD_0BAD;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Shape shape) {
        pair = fixture.connected(shape.spec().maxSge(ENTRIES));
        local = fixture.local(Shape.largest() + 1024, shape.kind());
        remote = fixture.remote(Shape.largest() + 1024, shape.kind());
    }

    /** Cuts a message into three unequal pieces, with entries of no bytes before, between and behind. */
    private static void cut(WorkSpec spec, long address, int size, int lkey) {
        int first = size / 3;
        int second = (size - first) / 2;
        spec.sge(0, 0, BAD_KEY)
                .sge(address, first, lkey)
                .sge(-1, 0, BAD_KEY)
                .sge(address + first + GAP, second, lkey)
                .sge(1, 0, 0)
                .sge(address + first + second + 2 * GAP, size - first - second, lkey)
                .sge(address, 0, lkey);
    }

    private void fillPieces(int size, long seed) {
        int first = size / 3;
        int second = (size - first) / 2;
        local.fill(0, size, seed);
        byte[] whole = local.segment().asSlice(0, size).toArray(ValueLayout.JAVA_BYTE);
        MemorySegment source = MemorySegment.ofArray(whole);
        local.segment().asSlice(first + GAP, second).copyFrom(source.asSlice(first, second));
        local.segment().asSlice(first + second + 2 * GAP, size - first - second)
                .copyFrom(source.asSlice(first + second));
    }

    private void checkPieces(int size, long seed) {
        int first = size / 3;
        int second = (size - first) / 2;
        byte[] whole = new byte[size];
        MemorySegment joined = MemorySegment.ofArray(whole);
        joined.asSlice(0, first).copyFrom(local.segment().asSlice(0, first));
        joined.asSlice(first).copyFrom(local.segment().asSlice(first + GAP, second));
        joined.asSlice(first + second).copyFrom(
                local.segment().asSlice(first + second + 2 * GAP, size - first - second));
        assertEquals(-1, Pattern.mismatch(joined, seed), "scattered message of " + size);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void sendAndWriteGatherInOrder(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            fillPieces(size, size);
            WorkSpec write = WorkSpec.send(1, Opcode.RDMA_WRITE).remote(remote.address(), remote.rkey());
            cut(write, local.address(), size, local.lkey());
            pair.post(write);
            pair.await(WcStatus.SUCCESS);
            remote.check(0, size, size, "gathered write of " + size);
            remote.fill(0, size, -7);
            WorkSpec send = WorkSpec.send(2, Opcode.SEND);
            cut(send, local.address(), size, local.lkey());
            pair.postRemoteReceive(3, remote, 0, size);
            pair.post(send);
            pair.await(WcStatus.SUCCESS);
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            remote.check(0, size, size, "gathered send of " + size);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void readScattersInOrder(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            remote.fill(0, size, size + 1);
            WorkSpec read = WorkSpec.send(1, Opcode.RDMA_READ).remote(remote.address(), remote.rkey());
            cut(read, local.address(), size, local.lkey());
            pair.post(read);
            assertEquals(size, pair.await(WcStatus.SUCCESS).byteLen());
            checkPieces(size, size + 1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#all")
    void receiveScattersInOrder(Shape shape) {
        prepare(shape);
        for (int size : shape.sizes()) {
            remote.fill(0, size, size + 2);
            WorkSpec receive = WorkSpec.receive(9);
            cut(receive, local.address(), size, local.lkey());
            pair.postReceive(receive);
            pair.postRemote(WorkSpec.send(1, Opcode.SEND).sge(remote.address(), size, remote.lkey()));
            assertEquals(size, pair.awaitReceive().byteLen());
            checkPieces(size, size + 2);
            pair.awaitRemoteSends(1);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void receiveUsesOnlyAsManyEntriesAsTheMessageNeeds(Shape shape) {
        prepare(shape);
        RemoteBuffer tail = fixture.remote(100, shape.kind()).fill(4);
        local.fill(0, 150, 5);
        pair.postRemoteReceive(WorkSpec.receive(1).sge(remote.address(), 150, remote.lkey())
                .sge(tail.address(), 100, tail.lkey()));
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), 150, local.lkey()));
        pair.await(WcStatus.SUCCESS);
        assertEquals(150, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
        remote.check(0, 150, 5, "first entry");
        tail.check(0, 100, 4, "second entry");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void entriesOfDifferentRegionsAreGathered(Shape shape) {
        prepare(shape);
        WorkSpec write = WorkSpec.send(1, Opcode.RDMA_WRITE).remote(remote.address(), remote.rkey());
        for (int i = 0; i < ENTRIES; i++) {
            Buffer piece = fixture.local(333, Shape.KINDS.get(i % Shape.KINDS.size())).fill(i);
            write.sge(piece.address() + i, 300, piece.lkey());
        }
        Buffer first = fixture.local(333, shape.kind()).fill(0);
        pair.post(write);
        pair.await(WcStatus.SUCCESS);
        first.check(0, 333, 0, "pattern of the first piece");
        remote.check(0, 300, 0, "first piece");
        assertEquals(300 * ENTRIES, remote.bytes(0, 300 * ENTRIES).length);
    }
}
