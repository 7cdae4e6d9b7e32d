package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.Access;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What one side knows of the other's memory. */
class RemoteMemoryTest {
    private static final RemoteMemory MEMORY = RemoteMemory.of(0x1000, 4_096, 77, Access.REMOTE_READ);

    @Test
    void tokensSayAllOfIt() {
        RemoteMemory read = RemoteMemory.of(MEMORY.toBytes());
        assertEquals(MEMORY.address(), read.address());
        assertEquals(MEMORY.length(), read.length());
        assertEquals(MEMORY.rkey(), read.rkey());
        assertEquals(MEMORY.rights(), read.rights());
        assertFalse(read.isExpired());
        assertEquals(Duration.ofNanos(Long.MAX_VALUE), read.remaining());
        assertEquals(9, RemoteMemory.of(new RemoteMemory(0, 1, 2, 1 << 2, 3, 9).toBytes()).leaseId());
    }

    @Test
    void hostileTokensAreRefused() {
        byte[] good = MEMORY.toBytes();
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(Arrays.copyOf(good, good.length + 1)));
        for (int at : new int[] {0, 4, 16, 36}) {
            byte[] bad = good.clone();
            bad[at] = (byte) 0x80;
            assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(bad), "byte " + at);
        }
    }

    @Test
    void rangesThatWrapAroundAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(-8, 9, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(8, -1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> RemoteMemory.of(8, 1, 1, Access.LOCAL_WRITE));
        assertEquals(8, RemoteMemory.of(-8, 8, 1, 0).length());
    }

    @Test
    void slicesStayWithin() {
        assertEquals(0x1000 + 4_000, MEMORY.slice(1_000, 3_096).slice(3_000, 96).address());
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(1, 4_096));
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(-1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(4_000, Long.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> MEMORY.slice(1_000, 100).slice(50, 51));
    }

    @Test
    void leasesAreRelative() {
        long now = MonotonicClock.nanos();
        RemoteMemory minute = new RemoteMemory(0, 8, 1, 0, now + Duration.ofMinutes(1).toNanos(), 5);
        assertFalse(minute.isExpired());
        assertTrue(minute.slice(0, 4).remaining().compareTo(Duration.ofMinutes(1)) <= 0);
        assertTrue(minute.remaining().compareTo(Duration.ofSeconds(30)) > 0);
        RemoteMemory over = minute.withDeadline(now - 1);
        assertTrue(over.isExpired());
        assertEquals(Duration.ZERO, over.remaining());
        assertTrue(RemoteMemory.of(over.toBytes()).isExpired());
    }
}
