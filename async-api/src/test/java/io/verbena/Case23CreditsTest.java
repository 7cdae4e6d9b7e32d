package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Case 23: places of the send queue and receives of the peer are counted apart, so neither is ever too few. */
class Case23CreditsTest {
    private static final int MESSAGES = 400;

    private static void overflowNothing(String link, int sends, int receives) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(sends).withReceives(receives))
                .withTransport(TransportConfig.DEFAULT.withRnrRetry(0))
                .withBackPressure(BackPressure.queue(MESSAGES));
        try (Ends ends = Ends.open(link, config)) {
            int[] arrived = new int[1];
            ends.right.onMessage(message -> arrived[0]++);
            LocalMemory one = ends.leftMemory(16);
            int[] ended = new int[1];
            for (int i = 0; i < MESSAGES; i++) {
                assertEquals(OperationStatus.SUCCESS, ends.left.send(one, (token, status, value) -> {
                    assertEquals(OperationStatus.SUCCESS, status);
                    ended[0]++;
                }, i));
            }
            ends.until(() -> arrived[0] == MESSAGES && ended[0] == MESSAGES);
        }
    }

    @EveryLink
    void manyMorePeerCreditsThanPlaces(String link) {
        overflowNothing(link, 2, 64);
    }

    @EveryLink
    void manyMorePlacesThanPeerCredits(String link) {
        overflowNothing(link, 64, 2);
    }
}
