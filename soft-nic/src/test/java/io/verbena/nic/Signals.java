package io.verbena.nic;

import io.verbena.verbs.tck.peer.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Stops processes that a test has started, and lets them go on. */
final class Signals {
    /** Runs each task on a thread of its own, since most of them wait for another process. */
    static final Executor NEW_THREAD = task -> Thread.ofPlatform().daemon().start(task);

    private Signals() {}

    /** Stops a process: every thread of it has stopped when this returns. */
    static void stop(Process process) {
        send("STOP", process);
        if (!Waiting.until(() -> isStopped(process), Waiting.LIMIT_NANOS)) {
            throw new AssertionError("process " + process.pid() + " does not stop");
        }
    }

    static void resume(Process process) {
        send("CONT", process);
    }

    private static void send(String signal, Process process) {
        try {
            new ProcessBuilder(List.of("kill", "-" + signal, Long.toString(process.pid()))).start().onExit().join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStopped(Process process) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.allMatch(Signals::isThreadStopped);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            return Files.readString(thread.resolve("status")).contains("State:\tT");
        } catch (IOException e) {
            return true; // it has ended
        }
    }
}
