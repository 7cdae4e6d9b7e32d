package io.verbena;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A process that accepts one connection, waits for ever, and is killed. */
final class WaitingPeer implements AutoCloseable {
    private final Process process;
    private final InetSocketAddress address;

    private WaitingPeer(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    /** In the other process: says the port, accepts, says so, and waits for the end of its input. */
    public static void main(String[] args) throws Exception {
        try (var node = RdmaNode.open(args[0]); var server = node.listen(Met.anyPort())) {
            System.out.println(server.address().getPort());
            var connection = Met.get(server.accept());
            System.out.println(connection.state());
            if (System.in.read() == 'c') {
                connection.close();
            }
        }
    }

    static WaitingPeer start(String device) throws IOException {
        var process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED",
                        "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-cp",
                        System.getProperty("java.class.path"), WaitingPeer.class.getName(), device)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var port = Integer.parseInt(process.inputReader().readLine());
        return new WaitingPeer(process, new InetSocketAddress(Met.anyPort().getAddress(), port));
    }

    InetSocketAddress address() {
        return address;
    }

    void awaitAccepted() throws IOException {
        process.inputReader().readLine();
    }

    void askToClose() throws IOException {
        process.outputWriter().write('c');
        process.outputWriter().flush();
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }
}
