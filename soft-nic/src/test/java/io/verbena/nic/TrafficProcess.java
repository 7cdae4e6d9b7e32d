package io.verbena.nic;

import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Waiting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One end of {@link MixedTraffic} in a process of its own, which talks to the test in lines. */
final class TrafficProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader in;
    private final PrintWriter out;

    /** What it had to say at the end. */
    record Report(long rounds, long received, List<WcStatus> failures) {}

    /** Starts a process. */
    TrafficProcess(String device, long seed) throws IOException {
        process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
                "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED", "-ea",
                "-cp", System.getProperty("java.class.path"), TrafficProcess.class.getName(), device,
                Long.toString(seed)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        in = process.inputReader(StandardCharsets.UTF_8);
        out = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    Process process() {
        return process;
    }

    /** The next line that it says. */
    String hear() {
        try {
            return CompletableFuture.supplyAsync(() -> {
                try {
                    return in.readLine();
                } catch (IOException e) {
                    return null;
                }
            }, Signals.NEW_THREAD).get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS);
        } catch (Exception e) {
            throw new AssertionError("the other process says nothing", e);
        }
    }

    /** Exchanges addresses with it; it is connected when this returns. */
    MixedTraffic connect(End own, long seed) {
        MixedTraffic.Address other = MixedTraffic.Address.parse(hear());
        out.println(MixedTraffic.Address.of(own).format());
        MixedTraffic traffic = new MixedTraffic(own, other, seed);
        if (!"connected".equals(hear())) {
            throw new AssertionError("the other process does not connect");
        }
        return traffic;
    }

    /** Has its traffic end. */
    void end() {
        out.println("end");
    }

    /** What it reports. */
    Report report() {
        String line = hear();
        if (line == null || !line.startsWith("ended ")) {
            throw new AssertionError("the other process says: " + line);
        }
        String[] words = line.split(" ");
        return new Report(Long.parseLong(words[1]), Long.parseLong(words[2]),
                List.of(words).subList(3, words.length).stream().map(WcStatus::valueOf).toList());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    // The process

    /** Runs one end; device and seed are the arguments. */
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        End end = new End(arguments[0], Setup.of(Threading.SINGLE, 64));
        System.out.println(MixedTraffic.Address.of(end).format());
        MixedTraffic traffic = new MixedTraffic(
                end, MixedTraffic.Address.parse(in.readLine()), Long.parseLong(arguments[1]));
        System.out.println("connected");
        CompletableFuture<Void> told = CompletableFuture.runAsync(() -> {
            try {
                in.readLine();
                traffic.end();
                in.readLine();
            } catch (IOException e) {
                Runtime.getRuntime().halt(1);
            }
        }, Signals.NEW_THREAD);
        try {
            List<WcStatus> failures = traffic.run();
            StringBuilder line = new StringBuilder("ended " + traffic.rounds() + " " + traffic.received());
            failures.forEach(status -> line.append(' ').append(status));
            System.out.println(line);
            // The other end may be in the middle of something.
            while (failures.isEmpty() && !told.isDone()) {
                traffic.takeReceives();
            }
            told.join();
            end.close();
        } catch (AssertionError e) {
            System.out.println("failed " + e.getMessage());
        }
    }
}
