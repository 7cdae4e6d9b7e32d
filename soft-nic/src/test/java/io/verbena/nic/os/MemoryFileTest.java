package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Memory that can be handed over. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "memfd_create is a call of Linux")
class MemoryFileTest {
    private static final String NAME = "verbena-test";
    private static final int BYTES = 10_000;

    static long openDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    private static boolean isMapped(long address) throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(Long.toHexString(address) + "-");
    }

    @Test
    void allMappingsShowTheSameZeroedMemory() throws IOException {
        try (MemoryFile file = MemoryFile.create(NAME, BYTES); Arena arena = Arena.ofConfined()) {
            MemorySegment first = file.map(true, arena);
            MemorySegment second = file.map(false, arena);
            assertEquals(BYTES, first.byteSize());
            assertTrue(first.elements(ValueLayout.JAVA_BYTE).allMatch(each -> each.get(ValueLayout.JAVA_BYTE, 0) == 0));
            first.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
            assertEquals(7, second.get(ValueLayout.JAVA_BYTE, BYTES - 1));
            assertThrows(IllegalArgumentException.class, () -> second.set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
        }
    }

    @Test
    void mappingsOutliveTheDescriptorAndEndWithTheirArena() throws IOException {
        MemoryFile file = MemoryFile.create(NAME, BYTES);
        Arena arena = Arena.ofShared();
        MemorySegment mapped = file.map(true, arena);
        file.close();
        mapped.fill((byte) 3);
        assertTrue(isMapped(mapped.address()));
        arena.close();
        assertFalse(isMapped(mapped.address()));
    }

    @Test
    void aSeparatedMappingKeepsItsContentsAndSeesNothingMore() throws IOException {
        try (MemoryFile file = MemoryFile.create(NAME, BYTES); Arena arena = Arena.ofConfined()) {
            MemorySegment own = file.map(true, arena);
            MemorySegment others = file.map(true, arena);
            own.fill((byte) 1);
            others.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 2);
            file.separate(own, true);
            assertEquals(2, others.get(ValueLayout.JAVA_BYTE, BYTES - 1));
            others.fill((byte) 3);
            assertEquals(1, own.get(ValueLayout.JAVA_BYTE, 0));
            assertEquals(2, own.get(ValueLayout.JAVA_BYTE, BYTES - 1));
            own.set(ValueLayout.JAVA_BYTE, 0, (byte) 4);
            assertEquals(3, others.get(ValueLayout.JAVA_BYTE, 0));
            file.separate(own, false);
            assertEquals(0, others.get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void nobodyCanChangeTheSize() throws IOException {
        try (MemoryFile file = MemoryFile.create(NAME, BYTES);
                RandomAccessFile other = new RandomAccessFile("/proc/self/fd/" + file.descriptor(), "rw")) {
            assertThrows(IOException.class, () -> other.setLength(1));
            assertThrows(IOException.class, () -> other.setLength(2 * BYTES));
            assertEquals(BYTES, other.length());
        }
    }

    @Test
    void sealAgainstNewWritersLeavesTheOwnMappingWritable() throws IOException {
        try (MemoryFile file = MemoryFile.create(NAME, BYTES); Arena arena = Arena.ofConfined()) {
            MemorySegment own = file.map(true, arena);
            file.sealAgainstNewWriters();
            MemorySegment others = file.map(false, arena);
            own.set(ValueLayout.JAVA_LONG, 8, 42);
            assertEquals(42, others.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(1, assertThrows(OsException.class, () -> file.map(true, arena)).errno());
        }
    }

    @Test
    void receivedMemoryIsTakenOnlySealedAndLargeEnough() throws IOException {
        long before = openDescriptors();
        try (MemoryFile file = MemoryFile.create(NAME, BYTES)) {
            assertThrows(IOException.class, () -> MemoryFile.received(copy(file), BYTES + 1));
            assertThrows(IOException.class, () -> MemoryFile.received(copy(file), 0));
            assertThrows(IOException.class, () -> MemoryFile.received(copy(file), -1));
            MemoryFile.received(copy(file), BYTES).close();
        }
        assertThrows(IOException.class, () -> MemoryFile.received(unsealed(), 1));
        assertThrows(IOException.class, () -> MemoryFile.received(123_456, 1));
        assertEquals(before, openDescriptors());
    }

    private static int copy(MemoryFile file) throws OsException {
        int duplicate = 1030; // F_DUPFD_CLOEXEC
        return (int) Libc.FCNTL.call(file.descriptor(), duplicate, 0);
    }

    private static int unsealed() throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            return (int) Libc.MEMFD_CREATE.call(arena.allocateFrom(NAME), 0);
        }
    }

    @Test
    void whatCanNotBeHadLeavesNothingBehind() throws IOException {
        long before = openDescriptors();
        assertThrows(OsException.class, () -> MemoryFile.create(NAME, Long.MAX_VALUE & -4096));
        assertThrows(OsException.class, () -> MemoryFile.create(NAME, 1L << 50));
        assertEquals(before, openDescriptors());
    }

    @Test
    void manyInTurnLeaveNothingBehind() throws IOException {
        long before = openDescriptors();
        for (int i = 0; i < 1_000; i++) {
            try (MemoryFile file = MemoryFile.create(NAME, BYTES); Arena arena = Arena.ofConfined()) {
                file.map(true, arena).fill((byte) 1);
            }
        }
        assertEquals(before, openDescriptors());
    }

    @Test
    void hugePagesAreUsedOrDoneWithout() throws IOException {
        long bytes = 2L << 20;
        try (MemoryFile file = MemoryFile.create(NAME, bytes); Arena arena = Arena.ofConfined()) {
            file.map(true, arena).fill((byte) 1);
            assertEquals(bytes, file.bytes());
        }
    }

    @Test
    @Tag("ci")
    void memoryOverTwoGibibytesIsOneSegment() throws IOException {
        long bytes = (2L << 30) + 4096;
        try (MemoryFile file = MemoryFile.create(NAME, bytes); Arena arena = Arena.ofShared()) {
            MemorySegment mapped = file.map(true, arena);
            mapped.set(ValueLayout.JAVA_LONG, bytes - Long.BYTES, 5);
            assertEquals(5, file.map(false, arena).get(ValueLayout.JAVA_LONG, bytes - Long.BYTES));
        }
    }
}
