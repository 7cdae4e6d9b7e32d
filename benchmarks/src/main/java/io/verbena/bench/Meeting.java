package io.verbena.bench;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Two processes that want to run a test together: how they find each other, and that they want the same. As with
 * perftest, they meet at a TCP port; for {@link Link#SHM} at one of the loopback interface, for {@link Link#UDP} at one
 * of the address that packets go to.
 */
public final class Meeting implements AutoCloseable {
    /** The port of perftest. */
    public static final int PORT = 18_515;

    private static final String HELLO = "VERBENA";
    private static final String PROTOCOL = "1";
    private static final String OPTIONS = "OPTIONS";
    private static final String AGREED = "AGREED";
    private static final String BETWEEN = "\t";
    private static final int CONNECT_MS = 10_000;
    private static final long HELLO_MS = 5_000;

    private final ControlChannel channel;
    private final boolean server;
    private final String version;
    private final int cpu;

    private Meeting(Socket socket, boolean server, String version, int cpu) throws IOException {
        this.server = server;
        this.version = version;
        this.cpu = cpu;
        channel = new ControlChannel(socket, server ? "client" : "server");
    }

    /**
     * Waits for a client.
     *
     * @param at where to listen
     * @param version of this program
     * @param listening run as soon as clients can connect
     * @return a meeting whose other side speaks the same version
     * @throws PerfException when the port is taken, or a client of another version came
     */
    public static Meeting serve(InetSocketAddress at, String version, Runnable listening) {
        try (ServerSocket socket = new ServerSocket()) {
            try {
                socket.bind(at);
            } catch (IOException e) {
                throw new PerfException(port(at) + " is taken, by another server perhaps; give both sides"
                        + " another one with -p (" + e.getMessage() + ")");
            }
            listening.run();
            Meeting meeting = null;
            while (meeting == null) {
                meeting = greet(socket.accept(), version);
            }
            return meeting;
        } catch (IOException e) {
            throw new PerfException("can't wait for a client: " + e.getMessage());
        }
    }

    /** Greets who came; null when it is no program of ours. */
    private static Meeting greet(Socket came, String version) throws IOException {
        Meeting meeting = new Meeting(came, true, version, Cores.pair()[1]);
        try {
            meeting.hello();
            return meeting;
        } catch (StrangerException e) {
            meeting.close();
            return null;
        } catch (PerfException e) {
            meeting.close();
            throw e;
        }
    }

    /**
     * Connects to a server.
     *
     * @param at where it listens
     * @param version of this program
     * @param howToStart what to type to start a server, for the message when there is none
     * @return a meeting whose other side speaks the same version
     * @throws PerfException when nobody listens, or it is no server of the same version
     */
    public static Meeting join(InetSocketAddress at, String version, String howToStart) {
        try {
            return join(dial(at), false, version, Cores.pair()[0]);
        } catch (ConnectException e) {
            throw new PerfException(
                    "no server listens on " + port(at) + "; start one with: " + howToStart);
        } catch (UnknownHostException e) {
            throw new PerfException("the host " + at.getHostString() + " is unknown");
        } catch (IOException e) {
            throw new PerfException("can't reach " + port(at) + ": " + e.getMessage());
        }
    }

    private static String port(InetSocketAddress at) {
        InetAddress address = at.getAddress();
        return "port " + at.getPort() + " of "
                + (address != null && address.isLoopbackAddress() ? "this host" : at.getHostString());
    }

    /**
     * Connects to the client that started this process.
     *
     * @param port where it waits
     * @param version of this program, with a word that only the two of them know
     * @param cpu the processor to measure on, or {@link Cores#ANY}
     * @return a meeting in which this is the server
     * @throws PerfException when it is gone
     */
    public static Meeting answer(int port, String version, int cpu) {
        try {
            return join(dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)), true, version, cpu);
        } catch (IOException e) {
            throw new PerfException("the client that started this server is gone");
        }
    }

    /**
     * Greets the server that this process started.
     *
     * @param socket connected to it, or to somebody else
     * @param version of this program, with a word that only the two of them know
     * @param cpu the processor to measure on, or {@link Cores#ANY}
     * @return a meeting in which this is the client
     * @throws PerfException when it is somebody else; the socket is closed then
     */
    public static Meeting adopt(Socket socket, String version, int cpu) {
        try {
            return join(socket, false, version, cpu);
        } catch (IOException e) {
            throw new PerfException("the server process is gone");
        }
    }

    private static Socket dial(InetSocketAddress at) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(at, CONNECT_MS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Meeting join(Socket socket, boolean server, String version, int cpu) throws IOException {
        Meeting meeting = new Meeting(socket, server, version, cpu);
        try {
            meeting.hello();
            return meeting;
        } catch (StrangerException e) {
            meeting.close();
            throw new PerfException("what answers on port " + socket.getPort() + " is no verbena "
                    + meeting.channel.other());
        } catch (PerfException e) {
            meeting.close();
            throw e;
        }
    }

    /** Somebody who does not speak this protocol at all. */
    private static final class StrangerException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private void hello() throws StrangerException {
        String answer;
        try {
            channel.send(HELLO + ' ' + PROTOCOL + ' ' + version);
            answer = channel.next(HELLO_MS);
        } catch (PerfException e) {
            throw new StrangerException();
        }
        String[] words = answer.split(" ", 3);
        if (!words[0].equals(HELLO) || words.length < 3) {
            throw new StrangerException();
        }
        if (!words[1].equals(PROTOCOL) || !words[2].equals(version)) {
            throw new PerfException("the " + channel.other() + " is verbena " + words[2] + " (protocol " + words[1]
                    + "), this is verbena " + version + " (protocol " + PROTOCOL
                    + "); start the same version on both sides");
        }
    }

    /**
     * Makes sure that both sides want the same; tells both when they don't.
     *
     * @param options what was asked for here, by the names of the options; the same names on both sides
     * @throws PerfException when the other side was asked for something else
     */
    public void agree(Map<String, String> options) {
        if (!server) {
            StringBuilder line = new StringBuilder(OPTIONS);
            options.forEach((name, value) -> line.append(BETWEEN).append(name).append('=').append(value));
            channel.send(line.toString());
            channel.expect(AGREED, ControlChannel.ANSWER_MS);
            return;
        }
        Map<String, String> theirs = parse(channel.next(ControlChannel.ANSWER_MS));
        for (Map.Entry<String, String> option : options.entrySet()) {
            String other = theirs.getOrDefault(option.getKey(), "unknown");
            if (!option.getValue().equals(other)) {
                channel.fail(difference(option, "at the server", other, "at the client"));
                throw new PerfException(difference(option, "here", other, "at the client"));
            }
        }
        channel.send(AGREED);
    }

    private static String difference(Map.Entry<String, String> option, String here, String other, String there) {
        return option.getKey() + " is " + option.getValue() + ' ' + here + " and " + other + ' ' + there
                + "; give both sides the same";
    }

    private static Map<String, String> parse(String line) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String part : line.split(BETWEEN)) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                options.put(part.substring(0, equals), part.substring(equals + 1));
            }
        }
        return options;
    }

    /**
     * Whether this side serves: it is told what to do, and prints what the other one measured.
     *
     * @return false for the client
     */
    public boolean isServer() {
        return server;
    }

    /** The processor that the measuring thread of this process is to have; {@link Cores#ANY} for none in particular. */
    int cpu() {
        return cpu;
    }

    /** How the processes keep in step. */
    ControlChannel channel() {
        return channel;
    }

    /**
     * Tells the other side why this one gives up.
     *
     * @param why one line
     */
    public void fail(String why) {
        channel.fail(why);
    }

    @Override
    public void close() {
        channel.close();
    }
}
