package io.verbena.nic;

import io.verbena.verbs.Threading;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that answers messages which it waits for by events, and how another one starts and steers it. */
final class EventEcho implements AutoCloseable {
    private final Process process;
    private final BufferedReader in;
    private final BufferedWriter out;

    /** Starts a process with so many queue pairs that are to be connected to those of a side. */
    EventEcho(EventSide side, String device, Threading threading, boolean solicited, List<String> prefix)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
                "-ea", "-cp", System.getProperty("java.class.path"), EventEcho.class.getName(), device,
                threading.name(), Integer.toString(side.qps.size()), Boolean.toString(solicited)));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        out = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
        List<String> others = new ArrayList<>();
        for (String own : side.endpoints()) {
            others.add(in.readLine());
            say(own);
        }
        expect("connected");
        side.connect(others);
    }

    Process process() {
        return process;
    }

    private void say(String line) throws IOException {
        out.write(line + "\n");
        out.flush();
    }

    /** Reads a line that must begin like this; returns the rest. */
    String expect(String start) throws IOException {
        String line = in.readLine();
        if (line == null || !line.startsWith(start)) {
            throw new AssertionError("the echo says " + line + " instead of " + start);
        }
        return line.substring(start.length()).strip();
    }

    /** Has it answer so many messages; {@link #expect} "done" afterwards, which tells how often it has waited. */
    void echo(long count) throws IOException {
        say("echo " + count);
        expect("ready");
    }

    /** Has it send so many messages on each queue pair, one after the answer of the other. */
    void ask(long count) throws IOException {
        say("ask " + count);
        expect("ready");
    }

    /** Has it hand numbers back, from 1 on. */
    void pong(int count, int descriptor) throws IOException {
        say("pong " + count + " /proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor);
        expect("ready");
    }

    @Override
    public void close() throws IOException {
        out.close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The process. */
    public static void main(String[] arguments) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (EventSide side = new EventSide(arguments[0], Threading.valueOf(arguments[1]),
                Integer.parseInt(arguments[2]), Boolean.parseBoolean(arguments[3]))) {
            List<String> others = new ArrayList<>();
            for (String own : side.endpoints()) {
                System.out.println(own);
                others.add(commands.readLine());
            }
            side.connect(others);
            System.out.println("connected");
            commands.lines().forEach(line -> run(side, line.split(" ")));
        }
    }

    private static void run(EventSide side, String[] command) {
        int count = Integer.parseInt(command[1]);
        long before = side.waits();
        System.out.println("ready");
        switch (command[0]) {
            case "echo" -> {
                for (int i = 0; i < count; i++) {
                    side.echo();
                }
            }
            case "ask" -> {
                for (int i = 0; i < count; i++) {
                    side.roundTrip(i % side.qps.size());
                }
            }
            case "pong" -> pong(count, command[2]);
            default -> throw new IllegalArgumentException(String.join(" ", command));
        }
        System.out.println("done " + (side.waits() - before));
    }

    private static void pong(int count, String path) {
        try (RandomAccessFile file = new RandomAccessFile(path, "rw"); Arena arena = Arena.ofConfined()) {
            BareFutex futex = new BareFutex(
                    file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, file.length(), arena));
            for (int i = 1; i <= count; i++) {
                futex.pong(i);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
