package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** UDP sockets made by the system's own calls. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the calls are Linux's")
class UdpSocketTest {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int NO_CHECKSUM6_SENT = 101;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IPV6_LEVEL = 41;
    private static final int IPV6_MTU_DISCOVER = 23;
    private static final int DISCOVERY_DO = 2;
    private static final long LONG_NANOS = 10_000_000_000L;
    private static final long LOCAL = 0xFFFF_7F00_0001L;

    private static UdpSocket bind(boolean ipv4, int port) throws OsException {
        return UdpSocket.bind(new SocketAddresses.Name(0, ipv4 ? LOCAL : 1, port, 0), BUFFER_BYTES);
    }

    /** A port that is free, as far as one can know. */
    private static int port(String address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getByName(address))) {
            return socket.getLocalPort();
        }
    }

    private static void send(UdpSocket from, int port, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            OutgoingMessages messages = new OutgoingMessages(arena, 1);
            SocketAddresses.Name to = new SocketAddresses.Name(0, 1, port, 0);
            MemorySegment data = arena.allocate(bytes);
            messages.to(0, SocketAddresses.allocate(arena, to).address(), to.bytes());
            messages.buffer(0, data.address(), bytes);
            messages.holds(0, 0, 1, bytes);
            assertEquals(1, from.send(messages, 0, 1));
        }
    }

    @Test
    void packetsWithoutChecksumArriveOverIpv6() throws IOException {
        assumeTrue(hasIpv6(), "no IPv6 here");
        int port = port("::1");
        try (UdpSocket from = bind(false, 0);
                UdpSocket to = bind(false, port);
                DatagramSocket other = new DatagramSocket(0, InetAddress.getByName("::1"));
                Arena arena = Arena.ofConfined()) {
            from.set(Messages.UDP_LEVEL, NO_CHECKSUM6_SENT, 1);
            IncomingMessages messages = new IncomingMessages(arena, 4, 2048);
            send(from, other.getLocalPort(), 100);
            send(from, port, 200);
            to.await(LONG_NANOS, false);
            assertEquals(1, to.receive(messages, 4));
            assertEquals(200, messages.length(0));
            assertEquals(1, messages.sourceLow(0));
            other.setSoTimeout(1);
            assertThrows(SocketTimeoutException.class, () -> other.receive(new DatagramPacket(new byte[200], 200)),
                    "an ordinary socket took it, so it had a checksum");
        }
    }

    private static boolean hasIpv6() {
        try {
            port("::1");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** What makes the IPv4 identification 0, which no test can see without a privilege. */
    @Test
    void nothingIsFragmented() throws IOException {
        try (UdpSocket socket = bind(true, 0)) {
            assertEquals(DISCOVERY_DO, socket.get(0, IP_MTU_DISCOVER));
        }
        assumeTrue(hasIpv6(), "no IPv6 here");
        try (UdpSocket socket = bind(false, 0)) {
            assertEquals(DISCOVERY_DO, socket.get(IPV6_LEVEL, IPV6_MTU_DISCOVER));
        }
    }

    @Test
    void aWakeUpBeforeTheWaitEndsIt() throws OsException {
        try (UdpSocket socket = bind(true, 0)) {
            for (int i = 0; i < 100; i++) {
                socket.wake();
                socket.wake();
                long start = System.nanoTime();
                socket.await(LONG_NANOS, false);
                assertTrue(System.nanoTime() - start < LONG_NANOS, "the wake-up was lost");
            }
        }
    }

    @Test
    void buffersAreAsLargeAsTheSystemAllows() throws OsException {
        try (UdpSocket socket = bind(true, 0)) {
            assertTrue(socket.receiveBufferBytes() > 0 && socket.sendBufferBytes() > 0);
            assertTrue(socket.receiveBufferBytes() <= 2 * BUFFER_BYTES, socket.receiveBufferBytes() + " bytes");
        }
    }

    @Test
    void closedSocketsLeaveNoDescriptors() throws IOException {
        bind(true, 0).close();
        long before = MemoryFileTest.openDescriptors();
        for (int i = 0; i < 20; i++) {
            UdpSocket socket = bind(true, 0);
            List<CompletableFuture<Void>> others = new ArrayList<>();
            others.add(CompletableFuture.runAsync(() -> socket.await(LONG_NANOS, false)));
            others.add(CompletableFuture.runAsync(socket::wake));
            socket.close();
            socket.close();
            others.forEach(CompletableFuture::join);
            socket.wake();
            socket.await(LONG_NANOS, false);
        }
        assertEquals(before, MemoryFileTest.openDescriptors());
    }

    @Test
    void anAddressThatCantBeHadLeavesNoDescriptor() throws IOException {
        long before = MemoryFileTest.openDescriptors();
        OsException failure = assertThrows(OsException.class,
                () -> UdpSocket.bind(new SocketAddresses.Name(0, 0xFFFF_C000_0201L, 0, 0), BUFFER_BYTES));
        assertEquals(OsException.EADDRNOTAVAIL, failure.errno());
        assertEquals(before, MemoryFileTest.openDescriptors());
    }

    @Test
    void whoHasAPortIsSeen() throws IOException {
        try (DatagramSocket wide = new DatagramSocket(0)) {
            UdpHolder holder = UdpHolder.of(new SocketAddresses.Name(0, LOCAL, wide.getLocalPort(), 0));
            assertTrue(holder.everywhere());
            assertEquals(ProcessHandle.current().pid(), holder.pid());
        }
        try (DatagramSocket one = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
            UdpHolder holder = UdpHolder.of(new SocketAddresses.Name(0, LOCAL, one.getLocalPort(), 0));
            assertTrue(!holder.everywhere());
            assertEquals(ProcessHandle.current().pid(), holder.pid());
        }
    }
}
