package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Messages and descriptors between two ends. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "abstract socket addresses are Linux's")
class UnixSocketTest {
    private static final int LIMIT_MS = 10_000;

    private final String name = "verbena-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    private UnixSocket listener;
    private UnixSocket client;
    private UnixSocket server;
    private long descriptorsBefore;

    @BeforeEach
    void connect() throws IOException {
        descriptorsBefore = MemoryFileTest.openDescriptors();
        listener = UnixSocket.listen(name);
        client = UnixSocket.connect(name);
        server = listener.accept(LIMIT_MS);
        assertNotNull(server);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        client.close();
        server.close();
        listener.close();
        assertEquals(descriptorsBefore, MemoryFileTest.openDescriptors());
    }

    @Test
    void messagesStayApartAndInOrder() throws IOException {
        client.send(new byte[] {1});
        client.send(new byte[UnixSocket.MAX_MESSAGE_BYTES]);
        client.send(new byte[] {2, 3});
        assertArrayEquals(new byte[] {1}, server.receive(LIMIT_MS).bytes());
        assertEquals(UnixSocket.MAX_MESSAGE_BYTES, server.receive(LIMIT_MS).bytes().length);
        assertArrayEquals(new byte[] {2, 3}, server.receive(LIMIT_MS).bytes());
        assertNull(server.receive(0));
    }

    @Test
    void descriptorsTravelAlong() throws IOException {
        try (MemoryFile first = MemoryFile.create(name, 100);
                MemoryFile second = MemoryFile.create(name, 200);
                Arena arena = Arena.ofConfined()) {
            first.map(true, arena).set(ValueLayout.JAVA_INT, 96, 11);
            server.send(new byte[] {9}, second.descriptor(), first.descriptor(), first.descriptor());
            UnixSocket.Message message = client.receive(LIMIT_MS);
            assertEquals(3, message.descriptors().length);
            try (MemoryFile taken = MemoryFile.received(message.descriptors()[1], 100)) {
                MemorySegment mapped = taken.map(false, arena);
                assertEquals(11, mapped.get(ValueLayout.JAVA_INT, 96));
            }
            MemoryFile.received(message.descriptors()[0], 200).close();
            MemoryFile.closeQuietly(message.descriptors()[2]);
        }
    }

    @Test
    void descriptorsThatNobodyTakesAreClosed() throws IOException {
        try (MemoryFile file = MemoryFile.create(name, 100)) {
            int[] most = new int[UnixSocket.MAX_DESCRIPTORS];
            Arrays.fill(most, file.descriptor());
            client.send(new byte[] {9}, most);
            UnixSocket.Message message = server.receive(LIMIT_MS);
            assertEquals(most.length, message.descriptors().length);
            message.discard();
            // Sent and never received: the system closes them with the socket.
            client.send(new byte[] {9}, most);
        }
    }

    @Test
    void theSystemSaysWhoIsThere() throws IOException {
        int uid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        for (UnixSocket end : new UnixSocket[] {client, server}) {
            assertEquals(ProcessHandle.current().pid(), end.peer().pid());
            assertEquals(uid, end.peer().uid());
        }
    }

    @Test
    void whatIsTooMuchIsRefused() throws IOException {
        int[] tooMany = new int[UnixSocket.MAX_DESCRIPTORS + 1];
        assertThrows(IllegalArgumentException.class, () -> client.send(new byte[1], tooMany));
        assertThrows(IllegalArgumentException.class, () -> client.send(new byte[UnixSocket.MAX_MESSAGE_BYTES + 1]));
        assertThrows(IllegalArgumentException.class, () -> client.send(new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> UnixSocket.listen("x".repeat(108)));
        UnixSocket.listen("x".repeat(107 - name.length()) + name).close();
    }

    @Test
    void anAddressHasOneListenerAndIsFreeAfterIt() throws IOException {
        assertEquals(OsException.EADDRINUSE,
                assertThrows(OsException.class, () -> UnixSocket.listen(name)).errno());
        listener.close();
        assertEquals(OsException.ECONNREFUSED,
                assertThrows(OsException.class, () -> UnixSocket.connect(name)).errno());
        listener = UnixSocket.listen(name);
    }

    @Test
    void theEndOfTheOtherIsSeen() throws IOException {
        client.send(new byte[] {1});
        client.close();
        assertEquals(1, server.receive(LIMIT_MS).bytes().length);
        assertEquals(0, server.receive(LIMIT_MS).bytes().length);
        assertThrows(OsException.class, () -> server.send(new byte[1]));
    }

    @Test
    void closeEndsWaitingCalls() throws Exception {
        CompletableFuture<UnixSocket> accepting = CompletableFuture.supplyAsync(() -> {
            try {
                return listener.accept(-1);
            } catch (OsException e) {
                throw new IllegalStateException(e);
            }
        });
        CompletableFuture<Integer> receiving = CompletableFuture.supplyAsync(() -> {
            try {
                return server.receive(-1).bytes().length;
            } catch (OsException e) {
                throw new IllegalStateException(e);
            }
        });
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        listener.close();
        server.close();
        assertNull(accepting.get(LIMIT_MS, TimeUnit.MILLISECONDS));
        assertEquals(0, receiving.get(LIMIT_MS, TimeUnit.MILLISECONDS));
        assertNull(listener.accept(-1));
        assertEquals(0, server.receive(-1).bytes().length);
        assertThrows(OsException.class, () -> server.send(new byte[1]));
    }

    @Test
    void waitingEndsInTime() throws IOException {
        long start = System.nanoTime();
        assertNull(listener.accept(20));
        assertNull(server.receive(20));
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertTrue(took >= 40 && took < LIMIT_MS, "took " + took + " ms");
    }
}
