package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How two processes find each other; both are in this one here. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MeetingTest {
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static CompletableFuture<Meeting> serve(int port, String version) {
        CompletableFuture<Void> listening = new CompletableFuture<>();
        CompletableFuture<Meeting> meeting = CompletableFuture.supplyAsync(
                () -> Meeting.serve(at(port), version, () -> listening.complete(null)));
        listening.join();
        return meeting;
    }

    @Test
    void sidesThatWantTheSameAgree() throws IOException {
        int port = freePort();
        CompletableFuture<Meeting> served = serve(port, "1");
        try (Meeting client = Meeting.join(at(port), "1", "-"); Meeting server = served.join()) {
            assertTrue(server.isServer());
            assertFalse(client.isServer());
            CompletableFuture<Void> agreed = CompletableFuture.runAsync(() -> server.agree(Map.of("-s", "64")));
            client.agree(Map.of("-s", "64"));
            agreed.join();
        }
    }

    @Test
    void versionsMustBeTheSame() throws IOException {
        int port = freePort();
        CompletableFuture<Meeting> served = serve(port, "1");
        String told = assertThrows(PerfException.class, () -> Meeting.join(at(port), "2", "-")).getMessage();
        assertTrue(told.startsWith("the server is verbena 1 (protocol 1), this is verbena 2"), told);
        assertTrue(served.handle((meeting, failure) -> failure.toString()).join().contains("the client is verbena 2"));
    }

    @Test
    void failureOfOneSideEndsTheWaitOfTheOther() throws IOException {
        int port = freePort();
        CompletableFuture<Meeting> served = serve(port, "1");
        try (Meeting client = Meeting.join(at(port), "1", "-"); Meeting server = served.join()) {
            StopFlag stop = new StopFlag();
            client.channel().watch(stop);
            server.fail("broken on purpose\nand more");
            PerfException told = assertThrows(PerfException.class, () -> client.channel().next(0));
            assertEquals("the server: broken on purpose", told.getMessage());
            assertEquals("the server: broken on purpose", stop.cause().getMessage());
        }
    }

    @Test
    void whatIsNoAnswerIsTold() throws IOException {
        int port = freePort();
        CompletableFuture<Meeting> served = serve(port, "1");
        try (Meeting client = Meeting.join(at(port), "1", "-"); Meeting server = served.join()) {
            server.channel().send("PEEK 1");
            assertThrows(PerfException.class, () -> client.channel().expect("PEE", 1_000));
        }
    }

    @Test
    void resultsSurviveTheWayToTheServer() {
        PerfConfig config = PerfConfig.defaults(PerfTest.SEND_LAT, "soft").withSize(128);
        PerfResult result = new PerfResult(config, 10, 0.5, new Percentiles(1, 2, 3, 4, 5), 6, 7);
        assertEquals(result, PerfResult.ofWords(config.withSize(64), result.toWords()));
        assertThrows(PerfException.class, () -> PerfResult.ofWords(config, "1 2 3"));
    }
}
