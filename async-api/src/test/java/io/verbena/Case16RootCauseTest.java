package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;

/** Case 16: whatever is swept away by a failure carries that failure, whose status is the real one. */
class Case16RootCauseTest {
    @EveryLink
    void everyFlushCarriesTheRootCause(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(64);
            RemoteMemory wrong = RemoteMemory.of(4096, 64, 0x12345678, Ends.REMOTE);
            List<RdmaFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(ends.left.read(ends.leftMemory(64), wrong));
            }
            RdmaFuture<ReceivedMessage> receive = ends.left.receive();
            Throwable root = ends.failure(all.getFirst());
            assertEquals(WcStatus.REM_ACCESS_ERR, assertInstanceOf(OperationFailedException.class, root).status());
            for (RdmaFuture<?> each : all.subList(1, 10)) {
                assertSame(root, ends.failure(each).getCause());
            }
            assertSame(root, ends.failure(receive).getCause());
            assertSame(root, ends.failure(ends.left.read(mine, wrong)).getCause());
            assertSame(root, ends.left.failure());
        }
    }
}
