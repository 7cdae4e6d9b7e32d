package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

/**
 * Case 18: operations leave nothing, on the heap or beside it: those that wait, those that are refused or have ended at
 * once, and those that are cancelled.
 */
class Case18FlatMemoryTest {
    private static final int ROUNDS = 4_000;
    /** With losses, which each take a timer's time. */
    private static final int FEW_ROUNDS = 50;
    private static final int WARM_UP = 400;
    /** Rounds have 11 operations: less than what one future kept of each round would take. */
    private static final long SLACK_BYTES = 256 << 10;
    private static final ConnectionConfig CONFIG = ConnectionConfig.DEFAULT
            .withQueues(QueueConfig.DEFAULT.withSends(4).withReceives(4)).withBackPressure(BackPressure.queue(3));

    @EveryLink
    void neitherTheHeapNorTheMemoryBesideItGrows(String link) {
        try (Ends ends = Ends.open(link, CONFIG)) {
            LocalMemory mine = ends.leftMemory(64);
            LocalMemory other = ends.leftMemory(32);
            RemoteMemory remote = ends.rightMemory(64).expose(Ends.REMOTE).remote();
            int rounds = link.equals("lossy") ? FEW_ROUNDS : ROUNDS;
            run(ends, mine, other, remote, Math.min(rounds, WARM_UP));
            MemoryStatistics pool = ends.here.memory().statistics();
            Footing before = Footing.now();
            run(ends, mine, other, remote, rounds);
            Footing.await(before, SLACK_BYTES);
            assertEquals(pool.usedBlocks(), ends.here.memory().statistics().usedBlocks());
            assertEquals(pool.totalBytes(), ends.here.memory().statistics().totalBytes());
            assertEquals(0, mine.inUse() + other.inUse());
        }
    }

    private static void run(Ends ends, LocalMemory mine, LocalMemory other, RemoteMemory remote, int rounds) {
        for (int i = 0; i < rounds; i++) {
            ends.right.receive().cancel(false);
            RdmaFuture<ReceivedMessage> received = ends.right.receive();
            ends.left.write(other, remote);
            for (int placesAndLine = 0; placesAndLine < 7; placesAndLine++) {
                ends.left.write(mine, remote);
            }
            assertInstanceOf(BackPressureException.class, ends.left.write(mine, remote).exceptionNow());
            ends.until(() -> ends.left.core.isIdle());
            ends.left.read(mine, remote).cancel(false);
            ends.until(() -> ends.left.core.isIdle());
            RdmaFuture<Void> sent = ends.left.send(mine);
            ends.await(received).close();
            ends.await(sent);
        }
    }
}
