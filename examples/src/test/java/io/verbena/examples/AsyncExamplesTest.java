package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The examples of the asynchronous API work over every link, in one process and in two. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AsyncExamplesTest {
    private static final AtomicInteger NEXT_HOST = new AtomicInteger();
    private static final String LONG = "long".repeat(5_000);

    /** A device of this process; with udp, at an address that nobody else has. */
    private static String device(int number, String link) {
        long pid = ProcessHandle.current().pid();
        return "soft" + number + switch (link) {
            case "soft" -> "";
            case "shm" -> "?link=shm";
            default -> "?link=udp&bind=127." + (1 + pid / 250 % 250) + '.' + (1 + pid % 250) + '.'
                    + (1 + NEXT_HOST.getAndIncrement() % 250);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void writeArrives(String link) {
        assertEquals("Hello, RDMA", AsyncWriteExample.run(device(0, link)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void clientWorksOnTheMemoryOfTheServer(String link) throws IOException {
        InetSocketAddress address = Terminals.free();
        String lending = device(0, link);
        CompletableFuture<String> lent = Terminals.beside(() -> AsyncOneSidedExample.serve(lending, address));
        String working = device(1, link);
        assertEquals("help yourself",
                Terminals.eventually(() -> AsyncOneSidedExample.work(working, address, "Anna", 100)));
        assertEquals("Anna counted up to 100", lent.join());
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void answersFindTheirQuestions(String link) throws IOException {
        InetSocketAddress address = Terminals.free();
        String answering = device(0, link);
        CompletableFuture<Integer> served = Terminals.beside(() -> AsyncRequestExample.serve(answering, address));
        String asking = device(1, link);
        assertEquals(List.of("you said \"one\"", "you said \"" + LONG + "\"", "you said \"three\""),
                Terminals.eventually(() -> AsyncRequestExample.ask(asking, address, List.of("one", LONG, "three"))));
        assertEquals(3, served.join());
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void memoryChangesHandsAndComesBack(String link) throws IOException {
        InetSocketAddress address = Terminals.free();
        String working = device(0, link);
        CompletableFuture<String> served = Terminals.beside(() -> AsyncMemoryExample.serve(working, address));
        String ordering = device(1, link);
        assertEquals("TEA", Terminals.eventually(() -> AsyncMemoryExample.order(ordering, address, "tea")));
        assertEquals("tea", served.join());
    }

    /** Starts a server in another process, runs the client here, and reads the server's only line. */
    private static void withServer(Class<?> example, String link, BiConsumer<String, InetSocketAddress> client,
            String told) throws IOException, InterruptedException {
        InetSocketAddress address = Terminals.free();
        Process server = Terminals.start(example, "server", device(0, link), Terminals.text(address));
        try (BufferedReader output = server.inputReader()) {
            String own = device(1, link);
            Terminals.eventually(() -> {
                client.accept(own, address);
                return null;
            });
            assertEquals(List.of(told), output.lines().toList());
            assertTrue(server.waitFor(30, TimeUnit.SECONDS));
            assertEquals(0, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void requestsAreAnsweredByAnotherProcess() throws IOException, InterruptedException {
        withServer(AsyncRequestExample.class, "udp", (device, address) ->
                assertEquals(List.of("you said \"hi\""), AsyncRequestExample.ask(device, address, List.of("hi"))),
                "answered 1 requests");
    }

    @Tag("ci")
    @EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
    @ParameterizedTest
    @ValueSource(strings = {"shm", "udp"})
    void everyServerMayBeAnotherProcess(String link) throws IOException, InterruptedException {
        withServer(AsyncOneSidedExample.class, link, (device, address) ->
                assertEquals("help yourself", AsyncOneSidedExample.work(device, address, "Bob", 500)),
                "Bob counted up to 500");
        withServer(AsyncRequestExample.class, link, (device, address) ->
                assertEquals(List.of("you said \"hello\""), AsyncRequestExample.ask(device, address, List.of("hello"))),
                "answered 1 requests");
        withServer(AsyncMemoryExample.class, link, (device, address) ->
                assertEquals("COFFEE", AsyncMemoryExample.order(device, address, "coffee")), "worked on: coffee");
    }

    @ParameterizedTest
    @CsvSource({
        "1, client soft 1, nobody listens on port 1 of",
        "1, client soft no.such.host.invalid:1, the host name no.such.host.invalid is unknown",
        "1, server soft no.such.host.invalid:1, can't listen at no.such.host.invalid",
        "1, server soft 192.0.2.1:18516, can't listen on port 18516 of 192.0.2.1",
        "1, client soft?link=pigeon, EINVAL: link is pigeon"
    })
    void whatDoesNotWorkIsToldInOneLine(int status, String arguments, String told)
            throws IOException, InterruptedException {
        Terminals.assertTellsInOneLine(AsyncRequestExample.class, arguments, status, told);
    }
}
