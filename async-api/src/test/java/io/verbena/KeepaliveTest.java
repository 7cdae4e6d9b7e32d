package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.MonotonicClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** After an interval without traffic the peer is asked whether it lives; times are given, so that none passes. */
class KeepaliveTest {
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final ConnectionConfig CONFIG =
            ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT.withKeepalive(INTERVAL));

    private long now;

    private void passInterval(Ends ends) {
        now = Math.max(now, MonotonicClock.nanos()) + INTERVAL.toNanos();
        ends.left.core.life.onDue(now);
    }

    /** An interval passes; whether the peer is asked. */
    private boolean asks(Ends ends) {
        passInterval(ends);
        boolean asked = ends.left.core.control.inUse() > 0;
        ends.until(() -> ends.left.core.control.inUse() == 0);
        return asked;
    }

    @Test
    void anIdlePeerIsAskedInEveryInterval() {
        try (Ends ends = Ends.open("soft", CONFIG)) {
            for (int i = 0; i < 5; i++) {
                assertTrue(asks(ends), "interval " + i + ": the question before was no traffic");
            }
        }
    }

    @Test
    void trafficMakesAnIntervalPassWithoutAQuestion() {
        try (Ends ends = Ends.open("soft", CONFIG)) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            assertTrue(asks(ends));
            ends.await(ends.left.write(mine, remote));
            assertFalse(asks(ends));
            assertTrue(asks(ends));
        }
    }

    @Test
    void aPeerThatHasYetToFetchALongMessageIsAskedToo() {
        try (Ends ends = Ends.open("shm", CONFIG)) {
            ends.left.send(ends.leftMemory(100_000));
            ends.here.poll();
            assertEquals(1, ends.left.core.user.inUse());
            passInterval(ends);
            ends.here.poll();
            passInterval(ends);
            assertTrue(ends.left.core.control.inUse() > 0, "nothing is on the way, but something has not ended");
        }
    }
}
