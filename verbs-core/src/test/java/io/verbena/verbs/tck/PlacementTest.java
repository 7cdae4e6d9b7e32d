package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Access;
import io.verbena.verbs.Errno;
import io.verbena.verbs.FlushType;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ATOMIC_WRITE and FLUSH. Skipped where posting answers BAD_OPCODE. */
@DisplayName("ATOMIC_WRITE and FLUSH")
@Timeout(60)
class PlacementTest extends FixtureTest {
    private static final int FLUSHES = Access.FLUSH_GLOBAL | Access.FLUSH_PERSISTENT;
    private static final int BYTES = 4096;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(PairSpec spec, MemoryKind kind, int access) {
        spec.linkB().access(LinkSpec.ALL_REMOTE | FLUSHES);
        pair = fixture.connected(spec);
        local = fixture.local(BYTES, kind == MemoryKind.SPARSE_FILE ? MemoryKind.DEVICE : kind).fill(2);
        remote = fixture.remote(BYTES, kind, access).fill(1);
    }

    private WcStatus end(WorkSpec work) {
        int status = pair.tryPost(work);
        Assumptions.assumeTrue(status != PostStatus.BAD_OPCODE, "optional: the device does not have this opcode");
        assertEquals(PostStatus.OK, status);
        Completion completion = pair.await();
        assertEquals(work.wrId(), completion.wrId());
        return completion.status();
    }

    private WorkSpec atomicWrite(long localOffset, long remoteOffset) {
        return WorkSpec.send(1, Opcode.ATOMIC_WRITE).sge(local.address() + localOffset, 8, local.lkey())
                .remote(remote.address() + remoteOffset, remote.rkey());
    }

    private WorkSpec flush(long offset, long length, int placement, int selectivity) {
        return WorkSpec.send(1, Opcode.FLUSH).remote(remote.address() + offset, remote.rkey())
                .flush(length, placement, selectivity);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void atomicWriteWritesEightBytes(Shape shape) {
        prepare(shape.spec(), shape.kind(), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        for (int i = 0; i < 50; i++) {
            local.setLong(i, 0x0102_0304_0506_0708L * i);
            int inline = i % 2 == 0 ? SendFlags.INLINE : 0;
            assertEquals(WcStatus.SUCCESS, end(atomicWrite(i, 64).flags(SendFlags.SIGNALED | inline)));
            assertEquals(local.getLong(i), remote.getLong(64));
        }
        remote.check(0, 64, 1, "before");
        pair.post(atomicWrite(0, 0));
        assertEquals(WcOpcode.ATOMIC_WRITE, pair.await(WcStatus.SUCCESS).opcode());
    }

    @Test
    void atomicWriteIsRefusedAtOnceUnlessItIsEightAlignedBytes() {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS);
        assertEquals(WcStatus.SUCCESS, end(atomicWrite(0, 0)));
        for (int size : new int[] {0, 4, 7, 9, 16}) {
            assertEquals(PostStatus.ATOMIC_LENGTH, pair.tryPost(WorkSpec.send(1, Opcode.ATOMIC_WRITE)
                    .sge(local.address(), size, local.lkey()).remote(remote.address(), remote.rkey())));
        }
        assertEquals(PostStatus.ATOMIC_LENGTH, pair.tryPost(atomicWrite(0, 0).sge(local.address(), 0, 0)));
        assertEquals(PostStatus.ATOMIC_LENGTH, pair.tryPost(
                WorkSpec.send(1, Opcode.ATOMIC_WRITE).remote(remote.address(), remote.rkey())));
        for (int offset : new int[] {1, 4, 7}) {
            assertEquals(PostStatus.ATOMIC_MISALIGNED, pair.tryPost(atomicWrite(0, offset)));
        }
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"5, 0, REM_ACCESS_ERR", "3, 0, SUCCESS", "3, 4096, REM_ACCESS_ERR", "3, -8, REM_ACCESS_ERR"})
    void atomicWriteNeedsARightAndARange(int access, long offset, WcStatus expected) {
        prepare(new PairSpec(), MemoryKind.DEVICE, access);
        assertEquals(expected, end(atomicWrite(0, offset)));
        if (expected != WcStatus.SUCCESS) {
            pair.awaitRemoteEvent("QP_ACCESS_ERR");
            remote.check(0, BYTES, 1, "B's memory");
        }
    }

    @Test
    void atomicWriteNeedsTheRightOfTheQueuePair() {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS);
        assertEquals(WcStatus.SUCCESS, end(atomicWrite(0, 0)));
        pair.remoteAccess(Access.REMOTE_READ | Access.REMOTE_ATOMIC);
        assertEquals(WcStatus.REM_INV_REQ_ERR, end(atomicWrite(0, 0)));
        pair.awaitRemoteState(QueuePairState.ERR);
    }

    @ParameterizedTest
    @CsvSource({"0, 16, LOC_QP_OP_ERR", "16, 0, REM_INV_REQ_ERR", "1, 1, SUCCESS"})
    void atomicWriteTakesAPlaceAmongReadsAndAtomics(int own, int remoteDepth, WcStatus expected) {
        PairSpec spec = new PairSpec();
        spec.linkA().rdAtomic(own, 16);
        spec.linkB().rdAtomic(16, remoteDepth);
        prepare(spec, MemoryKind.DEVICE, Fixture.ALL_ACCESS);
        assertEquals(expected, end(atomicWrite(0, 0)));
    }

    @Test
    void atomicWriteOfABadLocalBufferSendsNothing() {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS);
        assertEquals(WcStatus.LOC_PROT_ERR, end(WorkSpec.send(1, Opcode.ATOMIC_WRITE)
                .sge(local.address(), 8, local.lkey() ^ 1).remote(remote.address(), remote.rkey())));
        remote.check(0, BYTES, 1, "B's memory");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void globalFlushOfARangeAndOfTheRegion(Shape shape) {
        prepare(shape.spec(), shape.kind(), Fixture.ALL_ACCESS | Access.FLUSH_GLOBAL);
        assertEquals(WcStatus.SUCCESS, end(flush(0, BYTES, FlushType.GLOBAL, FlushType.RANGE)));
        assertEquals(WcStatus.SUCCESS, end(flush(BYTES, 0, FlushType.GLOBAL, FlushType.RANGE)));
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 100, local.lkey())
                .remote(remote.address(), remote.rkey()).flags(0));
        pair.post(flush(1L << 50, -1, FlushType.GLOBAL, FlushType.REGION));
        assertEquals(WcOpcode.FLUSH, pair.await(WcStatus.SUCCESS).opcode());
        remote.check(0, 100, 2, "what was flushed");
    }

    @ParameterizedTest
    @ValueSource(ints = {FlushType.PERSISTENT, FlushType.PERSISTENT | FlushType.GLOBAL})
    void persistentFlushOfAMappedFile(int placement) {
        int access = Fixture.ALL_ACCESS | FLUSHES;
        try {
            prepare(new PairSpec(), MemoryKind.SPARSE_FILE, access);
        } catch (VerbsException e) {
            Assumptions.assumeFalse(e.errno() == Errno.EOPNOTSUPP, "optional: " + e.getMessage());
            throw e;
        }
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE).sge(local.address(), 100, local.lkey())
                .remote(remote.address() + 33, remote.rkey()).flags(0));
        assertEquals(WcStatus.SUCCESS, end(flush(33, 100, placement, FlushType.RANGE)));
        assertEquals(WcStatus.SUCCESS, end(flush(33, 0, placement, FlushType.RANGE)));
        assertEquals(WcStatus.SUCCESS, end(flush(0, 0, placement, FlushType.REGION)));
        remote.check(33, 100, 2, "what was flushed");
    }

    @Test
    void memoryThatCannotPersistIsNotRegisteredForIt() {
        VerbsException refusal = assertThrows(VerbsException.class,
                () -> fixture.remote(64, MemoryKind.DEVICE, Access.LOCAL_WRITE | Access.FLUSH_PERSISTENT));
        assertEquals(Errno.EOPNOTSUPP, refusal.errno(), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1, 0, REM_ACCESS_ERR", "1, 1, REM_ACCESS_ERR", "2, 0, REM_ACCESS_ERR", "3, 1, REM_ACCESS_ERR"})
    void placementThatTheRegionDoesNotGrant(int placement, int selectivity, WcStatus expected) {
        prepare(new PairSpec(), MemoryKind.DEVICE,
                Fixture.ALL_ACCESS | (placement == 1 ? 0 : Access.FLUSH_GLOBAL));
        assertEquals(expected, end(flush(0, 8, placement, selectivity)));
        pair.awaitRemoteEvent("QP_ACCESS_ERR");
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "2, 0", "3, 1"})
    void placementThatTheQueuePairDoesNotGrant(int placement, int selectivity) {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.FLUSH_GLOBAL);
        pair.remoteAccess(LinkSpec.ALL_REMOTE | (placement == 1 ? Access.FLUSH_PERSISTENT : Access.FLUSH_GLOBAL));
        assertEquals(WcStatus.REM_INV_REQ_ERR, end(flush(0, 8, placement, selectivity)));
        pair.awaitRemoteEvent("QP_REQ_ERR");
    }

    @ParameterizedTest
    @CsvSource({"-1, 2", "4095, 2", "0, 4097", "4097, 0"})
    void rangesOutsideTheRegion(long offset, long length) {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.FLUSH_GLOBAL);
        assertEquals(WcStatus.REM_ACCESS_ERR, end(flush(offset, length, FlushType.GLOBAL, FlushType.RANGE)));
    }

    @ParameterizedTest
    @ValueSource(ints = {FlushType.RANGE, FlushType.REGION})
    void badKeysAreRefusedWithAnySelectivity(int selectivity) {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.FLUSH_GLOBAL);
        for (int key : new int[] {0, remote.rkey() ^ 1, remote.lkey()}) {
            assertEquals(WcStatus.REM_ACCESS_ERR, end(WorkSpec.send(1, Opcode.FLUSH).remote(remote.address(), key)
                    .flush(8, FlushType.GLOBAL, selectivity)));
            pair.reconnect();
        }
    }

    @Test
    void badFlushesAreRefusedAtOnce() {
        prepare(new PairSpec(), MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.FLUSH_GLOBAL);
        assertEquals(WcStatus.SUCCESS, end(flush(0, 8, FlushType.GLOBAL, FlushType.RANGE)));
        assertEquals(PostStatus.BAD_FLUSH, pair.tryPost(flush(0, 8, 0, 0)));
        assertEquals(PostStatus.BAD_FLUSH, pair.tryPost(flush(0, 8, 4, 0)));
        assertEquals(PostStatus.BAD_FLUSH, pair.tryPost(flush(0, 8, 1, 2)));
        assertEquals(PostStatus.BAD_FLUSH, pair.tryPost(flush(0, 8, 1, -1)));
        assertEquals(PostStatus.BAD_LENGTH, pair.tryPost(flush(0, -1, 1, 0)));
        assertEquals(PostStatus.BAD_LENGTH, pair.tryPost(flush(0, (1L << 31) + 1, 1, 0)));
        assertEquals(PostStatus.TOO_MANY_SGES, pair.tryPost(flush(0, 8, 1, 0).sge(local.address(), 8, local.lkey())));
        assertEquals(PostStatus.BAD_FLAGS, pair.tryPost(flush(0, 8, 1, 0).flags(SendFlags.INLINE)));
        pair.expectNoCompletion();
    }
}
