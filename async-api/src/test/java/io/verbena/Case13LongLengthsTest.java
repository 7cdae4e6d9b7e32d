package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.io.TempDir;

/** Case 13: lengths are longs. */
class Case13LongLengthsTest {
    private static final long LENGTH = 3L << 30;
    private static final long FAR = LENGTH - 4_096;

    @TempDir
    Path folder;

    @EveryLink
    void memoryOfThreeGigabytesIsReachedAtItsEnd(String link) throws IOException {
        // A file of zeroes that takes no room.
        try (FileChannel file = FileChannel.open(folder.resolve("sparse"), StandardOpenOption.CREATE,
                        StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofShared();
                MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.register(file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena));
            assertEquals(LENGTH, memory.length());
            RemoteMemory remote = memory.expose(Access.REMOTE_WRITE).remote();
            assertEquals(LENGTH, remote.length());
            assertEquals(WcStatus.SUCCESS, fixture.write(remote.slice(FAR, 64), 5));
            assertTrue(MemoryFixture.holds(memory.slice(FAR, 64).readable(), 5));
            assertTrue(MemoryFixture.holds(memory.slice(FAR & 0x7FFF_FFFF, 64).readable(), 0));
            long loan = memory.slice(FAR, 64).acquire(true, true, "READ");
            assertFalse(memory.slice(FAR, 64).isReadable());
            assertTrue(memory.slice(FAR & 0x7FFF_FFFF, 64).isWritable());
            memory.loans().release(loan);
        }
    }
}
