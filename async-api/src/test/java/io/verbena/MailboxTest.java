package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who gets what has arrived, and in which order. */
class MailboxTest {
    private final RdmaNode node = RdmaNode.open("soft");
    private final Mailbox<Integer> mailbox = new Mailbox<>();
    private final RuntimeException end = new IllegalStateException("over");

    @AfterEach
    void close() {
        node.close();
    }

    private RdmaFuture<Integer> take() {
        RdmaFuture<Integer> future = new RdmaFuture<>(node.home(), null);
        mailbox.take(future);
        return future;
    }

    @Test
    void whatHasArrivedIsTakenInOrderAlsoAfterTheEnd() {
        mailbox.put(1);
        mailbox.put(2);
        mailbox.end(() -> end);
        assertEquals(1, take().join());
        assertEquals(2, take().join());
        assertSame(end, assertThrows(CompletionException.class, take()::join).getCause());
    }

    @Test
    void nobodyGetsAnythingAfterSomethingWasThrownAway() {
        List<Integer> thrownAway = new ArrayList<>();
        List<RdmaFuture<Integer>> late = new ArrayList<>();
        mailbox.put(1);
        mailbox.put(2);
        mailbox.end(() -> end);
        mailbox.close(each -> {
            thrownAway.add(each);
            late.add(take());
        });
        mailbox.put(3);
        late.add(take());
        assertEquals(List.of(1, 2, 3), thrownAway);
        assertEquals(4, late.size());
        for (RdmaFuture<Integer> each : late) {
            assertTrue(each.isCompletedExceptionally());
        }
    }
}
