package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.tck.peer.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be registered with which rights, and what a region tells. */
@DisplayName("C31 registration")
@Timeout(60)
class RegistrationC31Test extends FixtureTest {
    private VerbsException refused(MemorySegment segment, int access) {
        VerbsException refusal = assertThrows(VerbsException.class,
                () -> fixture.a().keep(fixture.a().domain().register(segment, access)));
        assertTrue(refusal.getMessage().length() > 10, refusal.getMessage());
        return refusal;
    }

    @ParameterizedTest
    @ValueSource(ints = {Access.REMOTE_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_WRITE | Access.REMOTE_READ,
        Access.REMOTE_ATOMIC | Access.REMOTE_READ, Access.REMOTE_WRITE | Access.REMOTE_ATOMIC})
    void rightsToChangeMemoryNeedLocalWrite(int access) {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.DEVICE).segment();
        assertEquals(Errno.EINVAL, refused(segment, access).errno());
    }

    @Test
    void allOtherCombinationsAreGranted() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.DEVICE).segment();
        for (int access = 0; access < 16; access++) {
            boolean legal = (access & Access.LOCAL_WRITE) != 0
                    || (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) == 0;
            if (legal) {
                try (MemoryRegion region = fixture.a().domain().register(segment, access)) {
                    assertEquals(access, region.access(), Access.toString(access));
                }
            }
        }
    }

    @Test
    void unknownRightsAreRefused() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.DEVICE).segment();
        for (int bit : new int[] {10, 15, 19, 30, 31}) {
            Errno errno = refused(segment, Access.LOCAL_WRITE | 1 << bit).errno();
            assertTrue(errno == Errno.EINVAL || errno == Errno.EOPNOTSUPP, errno.toString());
        }
    }

    @Test
    void optionalRightsAreIgnoredWhereUnknown() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.DEVICE).segment();
        for (int bit = 20; bit < 30; bit++) {
            fixture.a().domain().register(segment, Access.LOCAL_WRITE | 1 << bit).close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED", "AUTO", "GLOBAL"})
    void regionTellsWhatWasRegistered(MemoryKind kind) {
        MemorySegment segment = fixture.a().allocate(1000, kind).segment();
        MemoryRegion region = fixture.a().keep(fixture.a().domain().register(segment, Access.LOCAL_WRITE));
        assertEquals(segment.address(), region.address());
        assertEquals(1000, region.length());
        assertEquals(segment, region.segment());
        assertEquals(fixture.a().domain(), region.protectionDomain());
    }

    @Test
    void keysAreNeitherZeroNorEqualNorRepeated() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.DEVICE).segment();
        Set<Integer> keys = new HashSet<>();
        int adjacent = 0;
        int last = 0;
        for (int i = 0; i < 2000; i++) {
            try (MemoryRegion region = fixture.a().domain().register(segment, Fixture.ALL_ACCESS)) {
                assertNotEquals(0, region.lkey());
                assertNotEquals(0, region.rkey());
                assertNotEquals(region.lkey(), region.rkey());
                adjacent += Math.abs((long) region.rkey() - last) < 1 << 16 ? 1 : 0;
                last = region.rkey();
                keys.add(region.rkey());
                keys.add(region.lkey());
            }
        }
        assertTrue(keys.size() > 3980, "keys repeat: only " + keys.size() + " of 4000 differ");
        assertTrue(adjacent < 20, adjacent + " of 2000 keys lie close to the one before");
    }

    @Test
    void heapMemoryIsRefused() {
        assertTrue(Set.of(Errno.EINVAL, Errno.EOPNOTSUPP)
                .contains(refused(MemorySegment.ofArray(new byte[64]), Access.LOCAL_WRITE).errno()));
    }

    @Test
    void confinedMemoryIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            refused(arena.allocate(64), Access.LOCAL_WRITE);
        }
    }

    @Test
    void readOnlyMemoryIsNotGrantedForWriting() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.SHARED).segment().asReadOnly();
        assertTrue(Set.of(Errno.EACCES, Errno.EINVAL).contains(refused(segment, Access.LOCAL_WRITE).errno()));
        fixture.a().domain().register(segment, Access.REMOTE_READ).close();
    }

    @Test
    void memoryOfNoBytesAndNoMemoryAreRefused() {
        assertEquals(Errno.EINVAL, refused(Arena.global().allocate(8).asSlice(0, 0), 0).errno());
        assertEquals(Errno.EINVAL, refused(null, 0).errno());
    }

    @Test
    void memoryOfAClosedArenaIsRefused() {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(64);
        arena.close();
        refused(segment, 0);
    }

    @Test
    void regionsMayOverlap() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.SHARED).segment();
        MemoryRegion first = fixture.a().keep(fixture.a().domain().register(segment, Access.LOCAL_WRITE));
        MemoryRegion second = fixture.a().keep(fixture.a().domain().register(segment.asSlice(8, 9), 0));
        assertNotEquals(first.lkey(), second.lkey());
        assertEquals(first.address() + 8, second.address());
    }

    @Test
    void atomicRightNeedsAddressesThatAgreeModuloEight() {
        MemorySegment segment = fixture.a().allocate(64, MemoryKind.SHARED).segment();
        assertThrows(VerbsException.class, () -> fixture.a().domain().register(segment, 3, Fixture.ALL_ACCESS));
        fixture.a().domain().register(segment, 16, Fixture.ALL_ACCESS).close();
        fixture.a().domain().register(segment, 3, Access.LOCAL_WRITE | Access.REMOTE_WRITE).close();
    }
}
