package io.verbena.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A command that runs on a thread of its own, as in another terminal. */
final class RunningCommand {
    private static final long PATIENCE_SECONDS = 60;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> status;

    private RunningCommand(String line) {
        Terminal terminal = new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        status = CompletableFuture.supplyAsync(() -> Main.run(terminal, line.strip().split("\\s+")),
                task -> Thread.ofPlatform().daemon().start(task));
    }

    /** Starts a command. */
    static RunningCommand of(String line) {
        return new RunningCommand(line);
    }

    /** Starts a server and waits until clients can connect. */
    static RunningCommand server(String line) {
        RunningCommand command = new RunningCommand(line);
        command.await("aiting for ");
        return command;
    }

    /** Waits until it has printed a text. */
    void await(String text) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!(out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8)).contains(text)) {
            if (status.isDone() || System.nanoTime() - end > 0) {
                throw new AssertionError("does not print \"" + text + "\": " + outcome());
            }
            Thread.onSpinWait();
        }
    }

    /** A port that nobody listens on. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Whether it has ended. */
    boolean isDone() {
        return status.isDone();
    }

    /** Waits for its end. */
    Outcome outcome() {
        try {
            int value = status.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return new Outcome(value, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e + "\nout: " + out + "\nerr: " + err, e);
        }
    }
}
