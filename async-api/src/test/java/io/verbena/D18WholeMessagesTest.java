package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** D18: a message of any length is one message, and one of no bytes is one too. */
class D18WholeMessagesTest {
    @EveryLink
    void longMessagesAreNotSplitAndEmptyOnesArrive(String link) {
        try (Ends ends = Ends.open(link)) {
            int[] lengths = {0, 4_079, 4_080, 4_081, 0, 8_192, 3 << 20, 0, 1};
            LocalMemory from = ends.leftMemory(3 << 20);
            for (int i = 0; i < lengths.length; i++) {
                from.writable().fill((byte) (i + 1));
                RdmaFuture<Void> sent = ends.left.send(from.slice(0, lengths[i]));
                try (ReceivedMessage message = ends.await(ends.right.receive())) {
                    assertEquals(lengths[i], message.length());
                    assertEquals(-1, message.segment().mismatch(from.slice(0, lengths[i]).readable()));
                }
                ends.await(sent);
            }
            ends.await(ends.left.flush());
            assertFalse(ends.right.receive().isDone(), "there is no rest of anything");
        }
    }
}
