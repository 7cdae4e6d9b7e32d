package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomics need a remote address that is a multiple of 8 and one local entry of 8 bytes. */
@DisplayName("C32 misaligned atomics are refused at the post")
@Timeout(60)
class AtomicAlignmentC32Test extends FixtureTest {
    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private WorkSpec atomic(Opcode opcode, long offset) {
        pair = pair == null ? fixture.connected() : pair;
        local = local == null ? fixture.local(64, MemoryKind.DEVICE) : local;
        remote = remote == null ? fixture.remote(64, MemoryKind.DEVICE).fill(1) : remote;
        return WorkSpec.send(1, opcode).remote(remote.address() + offset, remote.rkey()).operands(1, 1);
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void misalignedRemoteAddressIsRefused(Opcode opcode) {
        for (int offset = 1; offset < 8; offset++) {
            WorkSpec atomic = atomic(opcode, offset).sge(local.address(), 8, local.lkey());
            assertEquals(PostStatus.ATOMIC_MISALIGNED, pair.tryPost(atomic), "offset " + offset);
        }
        assertEquals(PostStatus.ATOMIC_MISALIGNED, pair.qp().postFetchAndAdd(1, local.address(), local.lkey(),
                remote.address() + 4, remote.rkey(), 1, SendFlags.SIGNALED));
        pair.expectNoCompletion();
        remote.check(0, 64, 1, "B's memory");
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void localBufferOfAnotherLengthIsRefused(Opcode opcode) {
        for (int length : new int[] {0, 1, 7, 9, 16}) {
            WorkSpec atomic = atomic(opcode, 0).sge(local.address(), length, local.lkey());
            assertEquals(PostStatus.ATOMIC_LENGTH, pair.tryPost(atomic), "length " + length);
        }
        assertEquals(PostStatus.ATOMIC_LENGTH, pair.tryPost(atomic(opcode, 0)), "no entry");
        int status = pair.tryPost(atomic(opcode, 0).sge(local.address(), 4, local.lkey())
                .sge(local.address() + 4, 4, local.lkey()));
        assertEquals(true, status == PostStatus.ATOMIC_LENGTH || status == PostStatus.TOO_MANY_SGES, "two entries");
        pair.expectNoCompletion();
    }
}
