package io.verbena;

import io.verbena.verbs.QueuePairEndpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A process with one end of a connection, which waits for ever, and is stopped and killed. */
final class WaitingPeer implements AutoCloseable {
    private static final String OUT_OF_BAND = "out-of-band";

    private final Process process;
    private final BufferedReader heard;
    private final PrintWriter told;
    private final String first;

    private WaitingPeer(Process process) throws IOException {
        this.process = process;
        heard = process.inputReader();
        told = new PrintWriter(process.outputWriter(), true);
        first = heard.readLine();
    }

    /** In the other process: says where it is, is connected, says so, and waits for the end of its input. */
    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        try (var node = RdmaNode.open(args[0])) {
            RdmaConnection connection;
            if (args.length > 1) {
                var prepared = node.prepare(ConnectionConfig.DEFAULT);
                System.out.println(prepared.endpoint().format());
                connection = prepared.connect(QueuePairEndpoint.parse(in.readLine()));
            } else {
                var server = node.listen(Met.anyPort());
                System.out.println(server.address().getPort());
                connection = Met.get(server.accept());
            }
            System.out.println(connection.state());
            if ("close".equals(in.readLine())) {
                connection.close();
            }
        }
    }

    /** Starts one that listens. */
    static WaitingPeer start(String device) throws IOException {
        return start(List.of(device));
    }

    /** Starts one that is told of its peer by {@link #tellEndpoint}. */
    static WaitingPeer startOutOfBand(String device) throws IOException {
        return start(List.of(device, OUT_OF_BAND));
    }

    private static WaitingPeer start(List<String> arguments) throws IOException {
        return new WaitingPeer(ChildProcess.start(WaitingPeer.class, arguments));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(Met.anyPort().getAddress(), Integer.parseInt(first));
    }

    QueuePairEndpoint endpoint() {
        return QueuePairEndpoint.parse(first);
    }

    void tellEndpoint(QueuePairEndpoint ours) {
        told.println(ours.format());
    }

    void awaitAccepted() throws IOException {
        heard.readLine();
    }

    void askToClose() {
        told.println("close");
    }

    /** Stops it: every thread of it has stopped when this returns. */
    void stop() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor();
        Waiting.until("it stops", this::isStopped);
    }

    private boolean isStopped() {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.allMatch(WaitingPeer::isThreadStopped);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isThreadStopped(Path thread) {
        try {
            return Files.readString(thread.resolve("status")).contains("State:\tT");
        } catch (IOException e) {
            // It has ended.
            return true;
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }
}
