package io.verbena.cli;

import io.verbena.bench.Cores;
import io.verbena.bench.Meeting;
import io.verbena.bench.PerfException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The server process that {@code --self} starts: this same command, told by its environment where the client waits for
 * it. The two measuring threads get a processor each. Closing ends the process.
 */
final class SelfServer implements AutoCloseable {
    private static final String ENVIRONMENT = "VERBENA_CLIENT";
    private static final int START_MS = 60_000;
    private static final int END_SECONDS = 5;

    private final ServerSocket socket;
    private final String secret;
    private final int[] cpus = Cores.pair();
    private final Process process;
    private final Thread ending;

    /** Starts the command in another process. */
    SelfServer(List<String> words) {
        secret = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        ServerSocket opened = null;
        try {
            opened = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            opened.setSoTimeout(START_MS);
            ProcessBuilder builder = new ProcessBuilder(FreshJvm.command(words));
            builder.environment().put(ENVIRONMENT, opened.getLocalPort() + " " + secret + ' ' + cpus[1]);
            process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        } catch (IOException e) {
            close(opened);
            throw new PerfException("can't start the server process: " + e.getMessage());
        }
        socket = opened;
        ending = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(ending);
        Thread.ofPlatform().daemon().name("perf-server").start(this::closeWhenItEnds);
    }

    /** Nobody comes to the socket any more once the process has ended. */
    private void closeWhenItEnds() {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close(socket);
    }

    private static void close(ServerSocket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // Closed for us all the same.
        }
    }

    /** Waits for the process to come; this is the client. */
    Meeting meet() {
        for (;;) {
            try {
                return Meeting.adopt(socket.accept(), version(secret), cpus[0]);
            } catch (IOException e) {
                throw new PerfException("the server process did not start: " + lastError());
            } catch (PerfException e) {
                // Somebody else came by.
            }
        }
    }

    private String lastError() {
        try {
            process.destroyForcibly();
            String text = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? "it said nothing" : text.substring(text.lastIndexOf('\n') + 1);
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** The client that started this process; null when nobody did. */
    static Meeting client() {
        String text = System.getenv(ENVIRONMENT);
        if (text == null) {
            return null;
        }
        String[] words = text.split(" ");
        return Meeting.answer(Integer.parseInt(words[0]), version(words[1]), Integer.parseInt(words[2]));
    }

    /** Whether this process was started by a client. */
    static boolean isThis() {
        return System.getenv(ENVIRONMENT) != null;
    }

    private static String version(String secret) {
        return Version.text() + ' ' + secret;
    }

    @Override
    public void close() {
        close(socket);
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Runtime.getRuntime().removeShutdownHook(ending);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            process.destroyForcibly(); // shutting down already
        }
    }
}
