package io.verbena;

import org.junit.jupiter.api.Tag;

/** Case 24: nobody sleeps over a completion that came between polling and arming. */
class Case24PollArmTest {
    // With losses less: waiting for a timer is long, and proves nothing here.
    private static final int FEW = 500;
    private static final int MANY = 50_000;

    @EveryLink
    void noCompletionIsStrandedBetweenPollingAndArming(String link) throws Exception {
        pingPong(link, link.equals("lossy") ? FEW / 10 : FEW);
    }

    @EveryLink
    @Tag("ci")
    void noneOfManyCompletionsIsStranded(String link) throws Exception {
        pingPong(link, link.equals("lossy") ? MANY / 25 : MANY);
    }

    private static void pingPong(String link, int rounds) throws Exception {
        try (Ends ends = Ends.open(link, ConnectionConfig.DEFAULT, PollerMode.EVENT)) {
            LocalMemory ping = ends.leftMemory(8);
            LocalMemory pong = ends.rightMemory(8);
            Thread echo = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    ends.right.receive().join().close();
                    ends.right.send(pong).join();
                }
            });
            for (int i = 0; i < rounds; i++) {
                Ends.get(ends.left.send(ping));
                Ends.get(ends.left.receive()).close();
            }
            echo.join();
        }
    }
}
