package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;

/** Case 20: a WRITE with immediate data tells of bytes that are in place. */
class Case20WriteWithImmTest {
    @EveryLink
    void theImmediateDataComeAfterTheBytes(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(8_192);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            LocalMemory mine = ends.leftMemory(8_192);
            for (int i = 1; i <= 50; i++) {
                mine.writable().fill((byte) i);
                RdmaFuture<Integer> told = ends.right.receiveWriteImm();
                RdmaFuture<Void> written = ends.left.writeWithImm(mine, remote, i);
                assertEquals(i, ends.await(told));
                assertEquals((byte) i, theirs.unchecked().get(ValueLayout.JAVA_BYTE, 8_191));
                assertEquals((byte) i, theirs.unchecked().get(ValueLayout.JAVA_BYTE, 0));
                ends.await(written);
            }
        }
    }
}
