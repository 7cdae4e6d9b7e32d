package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.QueuePairEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exchange of ibv_rc_pingpong and ibv_srq_pingpong, against scripts of what those programs send, byte for byte. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class AddressExchangeTest {
    private static final String OWN_GID = "00000000000000000000ffff7f000001";
    private static final String PEER_GID = "00000000000000000000ffff0a4d0002";
    private static final QueuePairEndpoint OWN =
            QueuePairEndpoint.parse("0000:000011:a1b2c3:" + OWN_GID);
    /** A LID of 0 to those programs, and to this one the sign that it is not one of them. */
    private static final String OWN_TEXT = "0x00:000011:a1b2c3:" + OWN_GID + '\0';
    private static final String PEER_TEXT = "0000:000017:0000ff:" + PEER_GID + '\0';
    private static final QueuePairEndpoint PEER = QueuePairEndpoint.parse(PEER_TEXT.substring(0, 51));

    private final List<String> events = new ArrayList<>();

    private static CompletableFuture<AddressExchange> serve(InetSocketAddress at) {
        CompletableFuture<Void> listening = new CompletableFuture<>();
        CompletableFuture<AddressExchange> server = CompletableFuture.supplyAsync(
                () -> AddressExchange.serve(at, 1, () -> listening.complete(null)));
        listening.join();
        return server;
    }

    private static InetSocketAddress freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
        }
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hear(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.US_ASCII);
    }

    @Test
    void serverHearsThenConnectsThenAnswers() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        try (Socket client = new Socket(at.getAddress(), at.getPort()); AddressExchange server = accepted.join()) {
            assertTrue(server.isServer());
            CompletableFuture<Void> exchanged = CompletableFuture.runAsync(() ->
                    server.exchange(List.of(OWN), theirs -> {
                        events.add("connects to " + theirs);
                        assertThrows(IOException.class, () -> {
                            client.setSoTimeout(50);
                            client.getInputStream().read();
                        });
                    }));
            say(client, PEER_TEXT);
            client.setSoTimeout(0);
            String answer = hear(client, 52);
            say(client, "done\0");
            exchanged.join();
            assertEquals(OWN_TEXT, answer);
            assertEquals(List.of("connects to [" + PEER + "]"), events);
        }
    }

    @Test
    void clientSpeaksFirstAndSaysDone() throws IOException {
        try (ServerSocket waiting = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> heard = CompletableFuture.supplyAsync(() -> {
                try (Socket server = waiting.accept()) {
                    String first = hear(server, 52);
                    say(server, PEER_TEXT);
                    return first + hear(server, 6);
                } catch (IOException e) {
                    throw new CompletionException(e);
                }
            });
            try (AddressExchange client = AddressExchange.join(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), waiting.getLocalPort()), 1)) {
                client.exchange(List.of(OWN), theirs -> events.add(theirs.toString()));
            }
            assertEquals(OWN_TEXT + "done\0", heard.join());
            assertEquals(List.of(List.of(PEER).toString()), events);
        }
    }

    @Test
    void oneMessageForEachQueuePairGoesEachWay() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        List<QueuePairEndpoint> own = List.of(OWN, new QueuePairEndpoint(OWN.gid(), 18, 5), OWN);
        try (AddressExchange client = AddressExchange.join(at, 1); AddressExchange server = accepted.join()) {
            List<QueuePairEndpoint> theirs = List.of(PEER, OWN, new QueuePairEndpoint(PEER.gid(), 1, 0xFF_FFFF));
            CompletableFuture<List<QueuePairEndpoint>> served = CompletableFuture.supplyAsync(() -> {
                List<QueuePairEndpoint> heard = new ArrayList<>();
                server.exchange(theirs, heard::addAll);
                return heard;
            });
            List<QueuePairEndpoint> heard = new ArrayList<>();
            client.exchange(own, heard::addAll);
            assertEquals(theirs, heard);
            assertEquals(own, served.join());
        }
    }

    @Test
    void bothSidesOfThisProgramLearnOfTheOthersEnd() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        AddressExchange client = AddressExchange.join(at, 1);
        try (AddressExchange server = accepted.join()) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(
                    () -> server.exchange(List.of(PEER), theirs -> { }));
            client.exchange(List.of(OWN), theirs -> { });
            served.join();
            StopFlag stop = new StopFlag();
            server.watch(stop);
            client.close();
            awaitRaised(stop);
            assertTrue(stop.cause().getMessage().contains("the client process ended in the middle of the test"),
                    stop.cause().getMessage());
            assertEquals(stop.cause().getMessage(), server.giveUp(new PerfException("something")).getMessage());
        }
    }

    @Test
    void whyTheOtherSideOfThisProgramGivesUpIsTold() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        try (AddressExchange client = AddressExchange.join(at, 1); AddressExchange server = accepted.join()) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(
                    () -> server.exchange(List.of(PEER), theirs -> { }));
            client.exchange(List.of(OWN), theirs -> { });
            served.join();
            StopFlag stop = new StopFlag();
            client.watch(stop);
            server.giveUp(new PerfException("the roof leaks"));
            awaitRaised(stop);
            assertEquals("the server: the roof leaks", stop.cause().getMessage());
        }
    }

    @Test
    void aProgramOfLibibverbsMayCloseTheConnectionOnceItIsDone() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        try (Socket client = new Socket(at.getAddress(), at.getPort()); AddressExchange server = accepted.join()) {
            CompletableFuture<Void> exchanged = CompletableFuture.runAsync(
                    () -> server.exchange(List.of(OWN), theirs -> { }));
            say(client, PEER_TEXT);
            hear(client, 52);
            say(client, "done\0");
            client.shutdownOutput();
            exchanged.join();
            StopFlag stop = new StopFlag();
            server.watch(stop);
            server.finish();
            assertNull(stop.cause());
        }
    }

    private static void awaitRaised(StopFlag stop) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (stop.cause() == null) {
            assertTrue(System.nanoTime() - end < 0, "the end of the other side is not noticed");
            Thread.onSpinWait();
        }
    }

    @Test
    void manyMessagesGoEachWayHoweverFewQueuePairsThereAre() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<Void> listening = new CompletableFuture<>();
        CompletableFuture<AddressExchange> accepted = CompletableFuture.supplyAsync(
                () -> AddressExchange.serve(at, AddressExchange.MANY, () -> listening.complete(null)));
        listening.join();
        String none = "0000:000000:000000:" + "0".repeat(32) + '\0';
        try (Socket client = new Socket(at.getAddress(), at.getPort()); AddressExchange server = accepted.join()) {
            CompletableFuture<Void> exchanged = CompletableFuture.runAsync(() ->
                    server.exchange(List.of(OWN), theirs -> events.add(theirs.toString())));
            say(client, PEER_TEXT + none.repeat(255));
            String answer = hear(client, 256 * 52);
            say(client, "done\0");
            exchanged.join();
            assertEquals(OWN_TEXT + none.repeat(255), answer);
            assertEquals(List.of(List.of(PEER).toString()), events);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "GET / HTTP/1.1 and then some more until 52 bytes are full      | instead of LID:QPN:PSN:GID",
        "0000:000017:0000ff:0000000000000000000000000000000zZ           | instead of LID:QPN:PSN:GID",
        "0000:000017:0000ff:00000000000000000000000000000000            | has told no GID; RoCE needs one",
        "0000:000017:0000ff:fe800000000000000000000000000001            | another address (verbena: --bind;",
        "0000:000017                                                    | it said only \"0000:000017\"",
        "''                                                             | it said nothing",
    })
    void whatIsNoAddressIsTold(String said, String told) throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        try (Socket client = new Socket(at.getAddress(), at.getPort()); AddressExchange server = accepted.join()) {
            say(client, said.length() < 51 ? said : said.substring(0, 51) + '\0');
            client.shutdownOutput();
            String message = assertThrows(PerfException.class,
                    () -> server.exchange(List.of(OWN), theirs -> { })).getMessage();
            assertTrue(message.contains(told), message);
        }
    }

    @Test
    void clientThatEndsBeforeItIsDoneIsTold() throws IOException {
        InetSocketAddress at = freePort();
        CompletableFuture<AddressExchange> accepted = serve(at);
        try (Socket client = new Socket(at.getAddress(), at.getPort()); AddressExchange server = accepted.join()) {
            say(client, PEER_TEXT);
            client.shutdownOutput();
            String message = assertThrows(PerfException.class,
                    () -> server.exchange(List.of(OWN), theirs -> { })).getMessage();
            assertTrue(message.contains("the client ended before both sides were connected"), message);
        }
    }

    @Test
    void withoutServerTheClientSaysWhatToStart() throws IOException {
        InetSocketAddress at = freePort();
        String message = assertThrows(PerfException.class, () -> AddressExchange.join(at, 1)).getMessage();
        assertTrue(message.contains("no server listens on port " + at.getPort()), message);
    }

    @Test
    void takenPortIsTold() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());
            String message = assertThrows(
                    PerfException.class, () -> AddressExchange.serve(at, 1, () -> { })).getMessage();
            assertTrue(message.contains("another port is given by -p"), message);
        }
    }
}
