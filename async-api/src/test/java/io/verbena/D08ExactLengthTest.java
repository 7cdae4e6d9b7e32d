package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** D8: a receive tells how many bytes came, whatever there would have been room for. */
class D08ExactLengthTest {
    private static final int[] LENGTHS = {0, 1, 7, 8, 63, 64, 255, 256, 257, 1_000};

    @EveryLink
    void rawReceivesTellHowManyBytesCameAndTouchNoMore(String link) {
        ConnectionConfig raw = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (Ends ends = Ends.open(link, raw)) {
            LocalMemory into = ends.rightMemory(1_000);
            LocalMemory from = ends.leftMemory(1_000);
            from.writable().fill((byte) 1);
            for (int length : LENGTHS) {
                into.writable().fill((byte) 9);
                RdmaFuture<RawMessage> received = ends.right.receiveRaw(into);
                ends.await(ends.left.sendRaw(from.slice(0, length), null));
                assertEquals(length, ends.await(received).length());
                assertTrue(MemoryFixture.holds(into.slice(0, length).readable(), 1));
                assertTrue(MemoryFixture.holds(into.slice(length, 1_000 - length).readable(), 9));
            }
        }
    }

    @EveryLink
    void messagesAreAsLongAsTheyWereSent(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory from = ends.leftMemory(1_000);
            from.writable().fill((byte) 1);
            for (int length : LENGTHS) {
                ends.await(ends.left.send(from.slice(0, length)));
                try (ReceivedMessage message = ends.await(ends.right.receive())) {
                    assertEquals(length, message.length());
                    assertEquals(length, message.segment().byteSize());
                    assertTrue(MemoryFixture.holds(message.segment(), 1));
                }
            }
        }
    }
}
