package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An end of a TCP connection whose other end is late. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TcpHalfTest {
    private static final int PATIENCE_MILLIS = 200;
    private static final PathConfig PATH = new PathConfig(Mtu.MTU_1024, Retries.DEFAULT, 1, 0, 0,
            Transport.RC.over(Link.UDP));
    private static final PerfConfig CONFIG = new PerfConfig(PerfTest.TCP_LAT, "soft", 64,
            RunLength.ofIterations(1), QueueShape.defaults(PerfTest.TCP_LAT), PATH, PerfConfig.Style.DEFAULT);

    @Test
    void aServerThatNobodyConnectsToSaysSo() {
        try (TcpHalf server = new TcpHalf(CONFIG, false, PATIENCE_MILLIS)) {
            PerfException e = assertThrows(PerfException.class, () -> server.settle(null));
            assertTrue(e.getMessage().startsWith("the client does not connect to 127.0.0.1 "), e.getMessage());
            assertTrue(e.getMessage().contains(" within 200 ms; is TCP filtered"), e.getMessage());
        }
    }

    @Test
    void aClientWhoseServerDoesNotAnswerSaysSo() throws IOException {
        List<Socket> queued = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpHalf client = new TcpHalf(CONFIG, true, PATIENCE_MILLIS)) {
            // Whose queue is full answers nobody.
            InetSocketAddress address = (InetSocketAddress) full.getLocalSocketAddress();
            boolean taken = true;
            while (taken) {
                Socket socket = new Socket();
                queued.add(socket);
                try {
                    socket.connect(address, PATIENCE_MILLIS);
                } catch (IOException e) {
                    taken = false;
                }
            }
            String there = HostAndPort.describe(address.getAddress(), address.getPort());
            PerfException e = assertThrows(PerfException.class, () -> client.join(there));
            assertTrue(e.getMessage().startsWith("the server does not answer at " + there), e.getMessage());
        } finally {
            for (Socket socket : queued) {
                socket.close();
            }
        }
    }
}
