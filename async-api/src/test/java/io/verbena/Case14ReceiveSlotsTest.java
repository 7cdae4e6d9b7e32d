package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Case 14: a receive is posted again by the library, when its message was closed: nobody reads what comes next. */
class Case14ReceiveSlotsTest {
    private static final int SLOTS = 6;
    private static final int MESSAGES = 300;

    @EveryLink
    void whatIsHeldStaysAsItIsWhileOthersComeAndGo(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(SLOTS))
                .withBackPressure(BackPressure.queue(MESSAGES));
        try (Ends ends = Ends.open(link, config)) {
            Random random = new Random(14);
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                sent.add(ends.left.send(Ends.text(ends.here, "message " + i)));
            }
            List<ReceivedMessage> held = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                held.add(ends.await(ends.right.receive()));
                texts.add("message " + i);
                check(held, texts);
                while (held.size() == SLOTS || random.nextInt(3) == 0 && !held.isEmpty()) {
                    int one = random.nextInt(held.size());
                    texts.remove(one);
                    held.remove(one).close();
                }
            }
            sent.forEach(ends::await);
            check(held, texts);
        }
    }

    private static void check(List<ReceivedMessage> held, List<String> texts) {
        assertEquals(texts, held.stream().map(Ends::text).toList());
    }

    /** As many under way as there are receives, both ways, and receives waiting all the time: nothing stands still. */
    @EveryLink
    void bothEndsUseAllReceivesAndNothingStandsStill(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(2).withSends(4))
                .withBackPressure(BackPressure.queue(MESSAGES));
        try (Ends ends = Ends.open(link, config)) {
            List<String> atLeft = new ArrayList<>();
            List<String> atRight = new ArrayList<>();
            ends.left.onMessage(message -> atLeft.add(Ends.text(message)));
            ends.right.onMessage(message -> atRight.add(Ends.text(message)));
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                expected.add("number " + i);
                sent.add(ends.left.send(Ends.text(ends.here, "number " + i)));
                sent.add(ends.right.send(Ends.text(ends.there, "number " + i)));
            }
            sent.forEach(ends::await);
            ends.until(() -> atLeft.size() + atRight.size() == 2 * MESSAGES);
            assertEquals(expected, atLeft);
            assertEquals(expected, atRight);
            assertTrue(sent.stream().noneMatch(RdmaFuture::isCompletedExceptionally));
        }
    }
}
