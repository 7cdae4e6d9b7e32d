package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
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

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Tries again until the server is there. */
    private static <T> T eventually(Supplier<T> client) {
        for (;;) {
            try {
                return client.get();
            } catch (IllegalStateException e) {
                if (!e.getMessage().startsWith("start the server first")) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void sameTextRunsInOneProcess() throws IOException {
        int port = freePort();
        CompletableFuture<Integer> served = CompletableFuture.supplyAsync(() -> EchoExample.serve(DEVICE, port));
        assertEquals(List.of("you said \"hello\"", "you said \"bye\""),
                eventually(() -> EchoExample.ask(DEVICE, port, List.of("hello"))));
        assertEquals(2, served.join());
        CompletableFuture<String> lent = CompletableFuture.supplyAsync(() -> RemoteCounterExample.serve(DEVICE, port));
        assertEquals(50, eventually(() -> RemoteCounterExample.count(DEVICE, port, "Anna", 50)));
        assertEquals("Anna counted up to 50", lent.join());
    }

    private static Process start(Class<?> example, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), example.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    @ParameterizedTest
    @CsvSource({
        "2, client soft many, arguments: server|client",
        "2, client soft 65536, arguments: server|client",
        "2, both, arguments: server|client",
        "1, client soft 1, start the server first",
        "1, client soft?link=pigeon, EINVAL: link is pigeon"
    })
    void whatDoesNotWorkIsToldInOneLine(int status, String arguments, String told)
            throws IOException, InterruptedException {
        Process example = start(EchoExample.class, arguments.split(" "));
        try (BufferedReader output = example.inputReader()) {
            List<String> lines = output.lines().toList();
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(lines.getFirst().startsWith(told), lines.toString());
            assertTrue(example.waitFor(30, TimeUnit.SECONDS));
            assertEquals(status, example.exitValue());
        } finally {
            example.destroyForcibly();
        }
    }

    @EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
    @ParameterizedTest
    @ValueSource(classes = {EchoExample.class, RemoteCounterExample.class})
    void serverMayBeAnotherProcess(Class<?> example) throws IOException, InterruptedException {
        int port = freePort();
        Process server = start(example, "server", SHARED, Integer.toString(port));
        try (BufferedReader output = server.inputReader()) {
            if (example == EchoExample.class) {
                assertEquals(2, eventually(() -> EchoExample.ask(SHARED, port, List.of("hello"))).size());
                assertEquals("answered 2 messages", output.readLine());
            } else {
                assertEquals(500, eventually(() -> RemoteCounterExample.count(SHARED, port, "Bob", 500)));
                assertEquals("Bob counted up to 500", output.readLine());
            }
            assertTrue(server.waitFor(30, TimeUnit.SECONDS));
            assertEquals(0, server.exitValue());
        } finally {
            server.destroyForcibly();
        }
    }
}
