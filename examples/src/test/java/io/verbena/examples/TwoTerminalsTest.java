package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people start in two terminals works, in one process and in two. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TwoTerminalsTest {
    private static final String DEVICE = "soft";
    private static final String SHARED = "soft?link=shm";

    @Test
    void sameTextRunsInOneProcess() throws IOException {
        InetSocketAddress address = Terminals.free();
        CompletableFuture<Integer> served = CompletableFuture.supplyAsync(() -> EchoExample.serve(DEVICE, address));
        assertEquals(List.of("you said \"hello\"", "you said \"bye\""),
                Terminals.eventually(() -> EchoExample.ask(DEVICE, address, List.of("hello"))));
        assertEquals(2, served.join());
        CompletableFuture<String> lent =
                CompletableFuture.supplyAsync(() -> RemoteCounterExample.serve(DEVICE, address));
        assertEquals(50, Terminals.eventually(() -> RemoteCounterExample.count(DEVICE, address, "Anna", 50)));
        assertEquals("Anna counted up to 50", lent.join());
    }

    @ParameterizedTest
    @CsvSource({
        "2, client soft many, arguments: server|client",
        "2, client soft 65536, arguments: server|client",
        "2, both, arguments: server|client",
        "2, client soft localhost:, arguments: server|client",
        "0, --help, arguments: server|client",
        "1, client soft 1, start the server first: nobody listens on port 1 of localhost",
        "1, client soft no.such.host.invalid:1, port 1 of no.such.host.invalid",
        "1, client soft?link=pigeon, EINVAL: link is pigeon"
    })
    void whatDoesNotWorkIsToldInOneLine(int status, String arguments, String told)
            throws IOException, InterruptedException {
        Terminals.assertTellsInOneLine(EchoExample.class, arguments, status, told);
    }

    @EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
    @ParameterizedTest
    @ValueSource(classes = {EchoExample.class, RemoteCounterExample.class})
    void serverMayBeAnotherProcess(Class<?> example) throws IOException, InterruptedException {
        InetSocketAddress address = Terminals.free();
        Process server = Terminals.start(example, "server", SHARED, Terminals.text(address));
        try (BufferedReader output = server.inputReader()) {
            if (example == EchoExample.class) {
                assertEquals(2, Terminals.eventually(() -> EchoExample.ask(SHARED, address, List.of("hello"))).size());
                assertEquals("answered 2 messages", output.readLine());
            } else {
                assertEquals(500, Terminals.eventually(() -> RemoteCounterExample.count(SHARED, address, "Bob", 500)));
                assertEquals("Bob counted up to 500", output.readLine());
            }
            assertTrue(server.waitFor(30, TimeUnit.SECONDS));
            assertEquals(0, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }
}
