package io.verbena.cli;

import io.verbena.bench.Cores;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** UCX's own measurement, of Debian's package ucx-utils, between two processes that share memory. */
final class UcxPerftest {
    private static final String PROGRAM = "ucx_perftest";
    private static final String SHARED_MEMORY = "posix,sysv,cma,self";
    private static final int PATIENCE_SECONDS = 60;
    private static final Path SOCKETS = Path.of("/proc/net/tcp");
    private static final long LOOK_MS = 20;

    private UcxPerftest() {}

    /** Whether it is installed. */
    static boolean isHere() {
        return isHere(PROGRAM);
    }

    private static boolean isHere(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The median round trip of 64 byte active messages, in nanoseconds; NaN when it does not run.
     */
    static double activeMessageP50(long iterations) {
        int[] cpus = Cores.pair();
        Process server = null;
        try {
            int port;
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = socket.getLocalPort();
            }
            server = start(cpus[1], List.of("-p", Integer.toString(port)));
            awaitListener(port, server);
            Process client = start(cpus[0], List.of("localhost", "-p", Integer.toString(port), "-t", "ucp_am_lat",
                    "-s", "64", "-n", Long.toString(iterations), "-w", Long.toString(iterations / 10), "-f", "-v"));
            if (!client.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || client.exitValue() != 0) {
                client.destroyForcibly();
                return Double.NaN;
            }
            return roundTrip(client.inputReader(StandardCharsets.UTF_8).readAllLines());
        } catch (IOException e) {
            return Double.NaN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Double.NaN;
        } finally {
            if (server != null) {
                server.destroyForcibly();
            }
        }
    }

    /** Waits until somebody listens on a port; the server says so too late, as its output is buffered. */
    private static void awaitListener(int port, Process server) throws IOException, InterruptedException {
        String listening = String.format(":%04X 00000000:0000 0A", port);
        while (Files.readAllLines(SOCKETS).stream().noneMatch(line -> line.contains(listening))) {
            if (server.waitFor(LOOK_MS, TimeUnit.MILLISECONDS)) {
                throw new IOException("the server ended");
            }
        }
    }

    /** It prints iterations, then the median of one direction in microseconds. */
    private static double roundTrip(List<String> lines) {
        String[] values = lines.isEmpty() ? new String[0] : lines.getLast().split(",");
        try {
            return values.length < 2 ? Double.NaN : 2_000 * Double.parseDouble(values[1]);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static Process start(int cpu, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (cpu != Cores.ANY && isHere("taskset")) {
            command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
        }
        command.add(PROGRAM);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("UCX_TLS", SHARED_MEMORY);
        return builder.start();
    }
}
