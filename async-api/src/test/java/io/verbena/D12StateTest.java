package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.verbena.verbs.WcStatus;

/** D12: the state is the real one, failures have types, and there is a close. */
class D12StateTest {
    @EveryLink
    void theStateIsTheRealOneAfterAFailure(String link) {
        try (Ends ends = Ends.open(link)) {
            assertNull(ends.left.failure());
            RemoteMemory wrong = RemoteMemory.of(4096, 8, 0x12345678, Ends.REMOTE);
            OperationFailedException failed = assertInstanceOf(OperationFailedException.class,
                    ends.failure(ends.left.write(ends.leftMemory(8), wrong)));
            assertEquals(WcStatus.REM_ACCESS_ERR, failed.status());
            assertEquals(ConnectionState.FAILED, ends.left.state());
            ends.until(() -> ends.right.state() == ConnectionState.FAILED);
            assertNotNull(ends.right.failure());
            ends.left.close();
            assertEquals(ConnectionState.CLOSED, ends.left.state());
        }
    }
}
