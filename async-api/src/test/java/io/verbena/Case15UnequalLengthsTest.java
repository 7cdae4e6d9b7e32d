package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WcStatus;

/** Case 15, and D2: lengths that differ are refused before anything is posted, and no failure is silent. */
class Case15UnequalLengthsTest {
    private static final CompletionCallback NOBODY = (token, status, value) -> {
        throw new AssertionError("it was not started, and ends in " + OperationStatus.describe(status));
    };

    @EveryLink
    void lengthsThatDifferAreRefusedBeforePosting(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(128);
            RemoteMemory remote = theirs.slice(0, 64).expose(Ends.REMOTE).remote();
            for (long length : new long[] {1, 63, 65, 128}) {
                LocalMemory other = ends.leftMemory(length);
                other.writable().fill((byte) 1);
                assertEquals(OperationStatus.LENGTHS, ends.left.write(other, remote, NOBODY, 0));
                assertEquals(OperationStatus.LENGTHS, ends.left.read(other, remote, NOBODY, 0));
                assertEquals(OperationStatus.LENGTHS, ends.left.writeWithImm(other, remote, 1, NOBODY, 0));
                assertInstanceOf(IllegalArgumentException.class, ends.left.read(other, remote).exceptionNow());
                assertEquals(0, other.inUse());
            }
            assertEquals(OperationStatus.LENGTHS, ends.left.fetchAndAdd(remote, 1, NOBODY, 0));
            assertEquals(ConnectionState.OPEN, ends.left.state());
            ends.await(ends.left.flush());
            assertTrue(MemoryFixture.holds(theirs.readable(), 0));
        }
    }

    @EveryLink
    void aCallbackIsToldOfAFailure(String link) {
        try (Ends ends = Ends.open(link)) {
            int[] told = {0};
            RemoteMemory wrong = RemoteMemory.of(4_096, 8, 0x12345678, Ends.REMOTE);
            assertEquals(OperationStatus.SUCCESS,
                    ends.left.read(ends.leftMemory(8), wrong, (token, status, value) -> told[0] = status, 0));
            ends.until(() -> told[0] != 0);
            assertEquals(WcStatus.REM_ACCESS_ERR.code(), told[0]);
            assertNotEquals(ConnectionState.OPEN, ends.left.state());
        }
    }
}
