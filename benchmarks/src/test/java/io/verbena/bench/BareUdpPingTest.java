package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Two bare sockets that answer each other, or do not. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
@EnabledOnOs(value = OS.LINUX, disabledReason = "bare sockets are Linux's")
class BareUdpPingTest {
    private static final int BYTES = 80;

    private final Histogram times = new Histogram(Rig.LONGEST_NS, 3);

    private static BareSocket open() {
        return new BareSocket(InetAddress.getLoopbackAddress());
    }

    private static void join(BareSocket one, BareSocket other) {
        one.sendTo(new InetSocketAddress(other.address(), other.port()));
    }

    @Test
    void everyDatagramIsAnswered() {
        try (BareSocket one = open(); BareSocket other = open()) {
            join(one, other);
            join(other, one);
            StopFlag stop = new StopFlag();
            Patience patience = new Patience(TimeUnit.SECONDS.toNanos(20));
            CompletableFuture<Void> answering = CompletableFuture.runAsync(
                    () -> new BareUdpPing(stop, other, BYTES, null, patience).run(300));
            new BareUdpPing(stop, one, BYTES, times, patience).run(300);
            answering.join();
            assertEquals(300, times.getTotalCount());
        }
    }

    @Test
    void aLostDatagramEndsTheTest() {
        try (BareSocket one = open(); BareSocket other = open()) {
            join(one, other);
            BareUdpPing ping = new BareUdpPing(
                    new StopFlag(), one, BYTES, times, new Patience(TimeUnit.MILLISECONDS.toNanos(50)));
            PerfException end = assertThrows(PerfException.class, () -> ping.run(1));
            assertTrue(end.getMessage().startsWith("nothing has come from the other side"), end.getMessage());
        }
    }

    @Test
    void anAddressThatCannotBeHadSaysWhy() throws IOException {
        InetAddress strange = InetAddress.getByName("192.0.2.1");
        PerfException e = assertThrows(PerfException.class, () -> new BareSocket(strange).close());
        assertTrue(e.getMessage().contains("192.0.2.1: Cannot assign requested address (errno 99)"), e.getMessage());
    }
}
