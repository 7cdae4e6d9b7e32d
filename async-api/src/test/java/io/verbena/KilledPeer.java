package io.verbena;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A process that talks with the test until it is killed: it sends, answers, and exposes memory. */
final class KilledPeer implements AutoCloseable {
    static final int SHARED_BYTES = 4_096;
    private static final int LONG = 20_000;
    private static final int LIMIT_SECONDS = 60;

    private final Process process;
    private final BufferedReader heard;

    KilledPeer(String device) throws IOException {
        process = ChildProcess.start(KilledPeer.class, List.of(device));
        heard = process.inputReader();
    }

    /** In the other process: accepts, exposes memory, and sends messages as fast as the other end takes them. */
    public static void main(String[] args) throws Exception {
        var config = ConnectionConfig.DEFAULT.withBackPressure(BackPressure.queue(64));
        try (var node = RdmaNode.open(args[0]);
                var server = node.listen(Met.anyPort(), config, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            System.out.println(server.address().getPort());
            var connection = Met.get(server.accept());
            var shared = node.memory().allocate(SHARED_BYTES);
            connection.onMessage(message -> { });
            connection.sendMemory(shared.expose(Ends.REMOTE)).join();
            var lent = connection.requestMemory(SHARED_BYTES, Ends.REMOTE, null).join();
            var small = node.memory().allocate(200);
            var big = node.memory().allocate(LONG);
            while (true) {
                var sent = connection.send(small);
                connection.send(big).join();
                connection.write(shared, lent).join();
                sent.join();
            }
        }
    }

    /** Where it listens. */
    InetSocketAddress address() throws Exception {
        var port = CompletableFuture.supplyAsync(() -> {
            try {
                return heard.readLine();
            } catch (IOException e) {
                return null;
            }
        }, task -> Thread.ofPlatform().daemon().start(task)).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        return new InetSocketAddress(Met.anyPort().getAddress(), Integer.parseInt(port));
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
