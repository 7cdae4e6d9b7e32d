package io.verbena.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * How two programs tell each other what they must know before they can use RDMA: a line each, over a TCP connection.
 * Any other way does as well.
 */
final class Introduction implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    private Introduction(Socket socket) throws IOException {
        this.socket = socket;
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Waits for the client. */
    static Introduction await(InetSocketAddress address) {
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(address, 1);
            return new Introduction(listener.accept());
        } catch (IOException e) {
            throw new UncheckedIOException(text(address) + ": " + e.getMessage(), e);
        }
    }

    /** Goes to the server, which must be there. */
    static Introduction to(InetSocketAddress address) {
        try {
            return new Introduction(new Socket(address.getHostString(), address.getPort()));
        } catch (ConnectException e) {
            throw new IllegalStateException("start the server first: nobody listens on " + text(address));
        } catch (IOException e) {
            throw new UncheckedIOException(text(address) + ": " + e.getMessage(), e);
        }
    }

    private static String text(InetSocketAddress address) {
        return "port " + address.getPort() + " of " + address.getHostString();
    }

    /** Gives a line and gets one; who has both knows that the other side has come as far. */
    String swap(String line) {
        try {
            socket.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
            String other = in.readLine();
            if (other == null) {
                throw new IllegalStateException("the other program has ended");
            }
            return other;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
