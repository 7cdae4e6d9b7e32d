package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.RdmaConnectException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** What tests of programs that are started twice need: an address, the other program, and patience. */
final class Terminals {
    private static final long LOOK_NANOS = 20_000_000;

    private Terminals() {}

    /** An address of this host where nobody listens. */
    static InetSocketAddress free() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(TwoTerminals.local(0));
            return TwoTerminals.local(socket.getLocalPort());
        }
    }

    /** An address as an argument. */
    static String text(InetSocketAddress address) {
        return address.getHostString() + ':' + address.getPort();
    }

    /** Tries again until the server is there. */
    static <T> T eventually(Supplier<T> client) {
        for (;;) {
            try {
                return client.get();
            } catch (IllegalStateException e) {
                if (!e.getMessage().startsWith("start the server first")) {
                    throw e;
                }
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof RdmaConnectException why)
                        || why.kind() != RdmaConnectException.Kind.REFUSED) {
                    throw e;
                }
            }
            // Whoever starts needs the core more than who looks.
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Runs a half of an example on a thread of its own. */
    static <T> CompletableFuture<T> beside(Supplier<T> half) {
        return CompletableFuture.supplyAsync(half, task -> Thread.ofPlatform().daemon().start(task));
    }

    /** Runs an example in a process of its own, with the flags of this one. */
    static Process start(Class<?> example, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), example.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Runs an example that says one line and ends. */
    static void assertTellsInOneLine(Class<?> example, String arguments, int status, String told)
            throws IOException, InterruptedException {
        Process process = start(example, arguments.split(" "));
        try (BufferedReader output = process.inputReader()) {
            List<String> lines = output.lines().toList();
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(lines.getFirst().startsWith(told), lines.toString());
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            assertEquals(status, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }
}
