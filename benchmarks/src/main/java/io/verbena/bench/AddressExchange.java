package io.verbena.bench;

import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The text by which the ping-pong programs of libibverbs tell each other their queue pairs, so that they can be the
 * other end. Over TCP the client sends a message for each queue pair, the server as many; then the client sends
 * {@code done}. Each message is {@code LID:QPN:PSN:GID} in hexadecimal digits, and ends with a zero byte. The program
 * with many queue pairs always sends {@value #MANY} messages, of which those for none are zeros.
 *
 * <p>Those programs close the connection then. Two sides of this program keep it, so that each learns how the other
 * one fares: what reads the same to a program that scans hexadecimal numbers, but is not what one writes, shows who
 * is there ({@value #OURS} for the LID, which RoCE has no use for).
 */
public final class AddressExchange implements Introduction {
    /** Messages of ibv_srq_pingpong, however few queue pairs it has. */
    public static final int MANY = 256;

    /** A LID of 0 as only this program writes it. */
    static final String OURS = "0x00";

    private static final String LID = "0000";
    private static final String NONE = "0000:000000:000000:" + "0".repeat(32);
    private static final int MESSAGE_BYTES = NONE.length() + 1;
    private static final byte[] DONE = {'d', 'o', 'n', 'e', 0};
    private static final int CONNECT_MS = 10_000;
    private static final int PATIENCE_MS = 30_000;

    private final Socket socket;
    private final boolean server;
    private final int least;
    private boolean ours;
    private ControlChannel channel;

    private AddressExchange(Socket socket, boolean server, int least) throws IOException {
        this.socket = socket;
        this.server = server;
        this.least = least;
        socket.setSoTimeout(PATIENCE_MS);
    }

    /**
     * Waits for a client.
     *
     * @param at where to listen
     * @param least messages that go each way at least, 1 or {@link #MANY}
     * @param listening run as soon as clients can connect
     * @return an exchange with the first that says something
     * @throws PerfException when the port is taken
     */
    public static AddressExchange serve(InetSocketAddress at, int least, Runnable listening) {
        try (ServerSocket waiting = new ServerSocket()) {
            waiting.setReuseAddress(true);
            try {
                waiting.bind(at);
            } catch (IOException e) {
                throw new PerfException("can't listen on port " + at.getPort() + " of "
                        + Gid.of(at.getAddress()).toAddressText() + ": " + e.getMessage()
                        + "; another port is given by -p");
            }
            listening.run();
            return new AddressExchange(waiting.accept(), true, least);
        } catch (IOException e) {
            throw new PerfException("can't wait for a client: " + e.getMessage());
        }
    }

    /**
     * Connects to a server.
     *
     * @param at where it listens
     * @param least messages that go each way at least, 1 or {@link #MANY}
     * @return an exchange with it
     * @throws PerfException when nobody listens there
     */
    public static AddressExchange join(InetSocketAddress at, int least) {
        Socket socket = new Socket();
        try {
            socket.connect(at, CONNECT_MS);
            return new AddressExchange(socket, false, least);
        } catch (UnknownHostException e) {
            throw new PerfException("the host " + at.getHostString() + " is unknown");
        } catch (IOException e) {
            throw new PerfException("no server listens on port " + at.getPort() + " of " + at.getHostString() + " ("
                    + e.getMessage() + "); start the same command there first, without a host and with --bind "
                    + at.getHostString());
        }
    }

    @Override
    public boolean isServer() {
        return server;
    }

    @Override
    public void exchange(List<QueuePairEndpoint> own, Consumer<List<QueuePairEndpoint>> connect) {
        ours = true;
        try {
            if (server) {
                List<QueuePairEndpoint> theirs = hear(own);
                connect.accept(theirs);
                tell(own);
                read(DONE.length);
            } else {
                tell(own);
                List<QueuePairEndpoint> theirs = hear(own);
                socket.getOutputStream().write(DONE);
                connect.accept(theirs);
            }
            if (ours) {
                socket.setSoTimeout(0);
                channel = new ControlChannel(socket, other());
            }
        } catch (SocketTimeoutException e) {
            throw new PerfException("the " + other() + " said too little within " + PATIENCE_MS / 1_000
                    + " s; do both sides have the same service and the same number of queue pairs (-q)?");
        } catch (IOException e) {
            throw new PerfException("the " + other() + " ended before both sides were connected (" + e.getMessage()
                    + "); what it printed tells why");
        }
    }

    private String other() {
        return server ? "client" : "server";
    }

    private void tell(List<QueuePairEndpoint> own) throws IOException {
        StringBuilder messages = new StringBuilder();
        own.forEach(end -> messages.append(OURS).append(end.format(), LID.length(), NONE.length()).append('\0'));
        for (int i = own.size(); i < least; i++) {
            messages.append(NONE).append('\0');
        }
        socket.getOutputStream().write(messages.toString().getBytes(StandardCharsets.US_ASCII));
    }

    private List<QueuePairEndpoint> hear(List<QueuePairEndpoint> own) throws IOException {
        List<QueuePairEndpoint> theirs = new ArrayList<>();
        for (QueuePairEndpoint mine : own) {
            QueuePairEndpoint one = parse(read(MESSAGE_BYTES));
            check(one.gid(), mine.gid());
            theirs.add(one);
        }
        read(MESSAGE_BYTES * Math.max(0, least - own.size()));
        return theirs;
    }

    private byte[] read(int bytes) throws IOException {
        InputStream in = socket.getInputStream();
        byte[] message = in.readNBytes(bytes);
        if (message.length < bytes) {
            throw new IOException(message.length == 0 ? "it said nothing" : "it said only " + quoted(message));
        }
        return message;
    }

    private QueuePairEndpoint parse(byte[] message) {
        int end = MESSAGE_BYTES - 1;
        try {
            if (message[end] == 0) {
                String text = new String(Arrays.copyOf(message, end), StandardCharsets.US_ASCII);
                boolean marked = text.startsWith(OURS);
                ours &= marked;
                return QueuePairEndpoint.parse(marked ? LID + text.substring(OURS.length()) : text);
            }
        } catch (VerbsException e) {
            // Told below, with what came.
        }
        throw new PerfException("the " + other() + " says " + quoted(message) + " instead of LID:QPN:PSN:GID; is it a"
                + " ping-pong program of libibverbs, or verbena pingpong with --link udp?");
    }

    private static String quoted(byte[] message) {
        return '"' + new String(message, StandardCharsets.US_ASCII).replaceAll("[^ -~]", "?") + '"';
    }

    private void check(Gid theirs, Gid mine) {
        if (theirs.equals(Gid.ZERO)) {
            throw new PerfException("the " + other() + " has told no GID; RoCE needs one: give it -g INDEX (ibv_devinfo"
                    + " -v shows which index has its IP address)");
        }
        if (theirs.isIpv4() != mine.isIpv4()) {
            throw new PerfException("the " + other() + "'s GID is " + theirs + ", that of this side " + mine
                    + "; give the " + other() + " another address (verbena: --bind; ibv_*_pingpong: -g INDEX), so that"
                    + " both are IPv4 or both IPv6");
        }
    }

    @Override
    public void watch(StopFlag stop) {
        if (channel != null) {
            channel.watch(stop);
        }
    }

    @Override
    public void finish() {
        if (channel != null) {
            channel.finish();
        }
    }

    @Override
    public PerfException giveUp(PerfException why) {
        return channel == null ? why : channel.giveUp(why);
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close();
            return;
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Closed for us all the same.
        }
    }
}
