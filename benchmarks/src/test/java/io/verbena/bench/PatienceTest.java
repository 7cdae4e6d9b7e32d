package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long waits last. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PatienceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static Patience with(String type, Link link, Retries retries) {
        return Patience.of(new PathConfig(Mtu.MTU_1024, retries, 1, 0, 0, Transport.of(type, false).over(link)));
    }

    @Test
    void aWaitThatLastsTooLongEndsWithTheState() {
        Patience short1 = new Patience(TimeUnit.MILLISECONDS.toNanos(20));
        PerfException end = assertThrows(PerfException.class, () -> {
            for (long since = 0;;) {
                since = short1.check(since, () -> ", after 3 messages");
            }
        });
        assertTrue(end.getMessage().startsWith("nothing has come from the other side for 0 s, after 3 messages;"),
                end.getMessage());
    }

    @Test
    void whoWaitsWithoutEndLooksAtNoClock() {
        assertEquals(0, Patience.ENDLESS.check(0, () -> ""));
        assertEquals(7, Patience.ENDLESS.check(7, () -> ""));
    }

    @Test
    void onlyPacketsGetLost() {
        assertEquals(Patience.ENDLESS, with("RC", Link.LOOPBACK, Retries.DEFAULT));
        assertEquals(Patience.ENDLESS, with("UC", Link.SHM, Retries.DEFAULT));
        assertEquals(10 * SECOND, with("UD", Link.UDP, Retries.DEFAULT).limitNs());
    }

    @Test
    void aConnectionMayTryForAsLongAsItWasToldTo() {
        long usual = with("RC", Link.UDP, Retries.DEFAULT).limitNs();
        assertTrue(usual > 12 * SECOND && usual < 13 * SECOND, () -> usual + " ns");
        long longest = with("RC", Link.UDP, new Retries(31, 7, 7, 1)).limitNs();
        assertTrue(longest > 200_000 * SECOND, () -> longest + " ns");
        assertEquals(10 * SECOND, with("RC", Link.UDP, new Retries(0, 7, 7, 1)).limitNs());
    }
}
