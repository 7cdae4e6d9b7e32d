package io.verbena.nic.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Whatever comes through a NIC's socket, it serves others and loses nothing. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "shared memory between processes needs Linux")
class HostileGuestTest {
    private static final int LIMIT_MS = 10_000;
    private static final int BAD_ATTACHES = 1_000;

    private FakeNic owner;
    private long descriptors;

    static long openDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    static void awaitDescriptors(long expected) throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
        while (openDescriptors() > expected && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertTrue(openDescriptors() <= expected, openDescriptors() + " descriptors are open, before " + expected);
    }

    @BeforeEach
    void start() throws IOException {
        owner = FakeNic.any();
        descriptors = openDescriptors();
    }

    @AfterEach
    void stillServes() throws IOException {
        awaitDescriptors(descriptors);
        try (FakeNic user = FakeNic.any(); Attachment attachment = user.service.attach(owner.gid, ended -> { })) {
            attachment.openQueuePair(FakeNic.QP_NUM, 9).close();
        }
        assertEquals(List.of("open 9"), owner.calls.stream().filter(call -> call.endsWith(" 9")).limit(1).toList());
        owner.close();
    }

    private UnixSocket connect() throws IOException {
        return UnixSocket.connect(AttachmentService.address(FakeNic.uid(), owner.gid));
    }

    private static Message hello() {
        return new Message.Hello(Codec.VERSION, FakeNic.anyGid(), 1);
    }

    /** Sends messages; returns the last answer, or null when the owner hung up. */
    private Message talk(byte[]... messages) throws IOException {
        try (UnixSocket socket = connect()) {
            Message answer = null;
            for (byte[] message : messages) {
                socket.send(message);
                UnixSocket.Message received = socket.receive(LIMIT_MS);
                received.discard();
                answer = received.bytes().length == 0 ? null : Codec.decode(received.bytes());
            }
            return answer;
        }
    }

    private void refused(String reason, byte[]... messages) throws IOException {
        Message.Refused refusal = assertInstanceOf(Message.Refused.class, talk(messages));
        assertTrue(refusal.reason().contains(reason), refusal.reason());
    }

    @Test
    void whatDoesNotBeginWithHelloIsRefused() throws IOException {
        refused("does not start with VRBN", new byte[] {1, 2, 3, 4, 5});
        refused("cut short", new byte[] {1});
        refused("say hello first", Codec.encode(new Message.OpenRegion(FakeNic.RKEY)));
        refused("say hello first", Codec.encode(new Message.Done()));
        refused("version " + Codec.VERSION + " and not 99", Codec.encode(new Message.Hello(99, FakeNic.anyGid(), 1)));
        refused("hello was said before", Codec.encode(hello()), Codec.encode(hello()));
        refused("nobody asked", Codec.encode(hello()), Codec.encode(new Message.Done()));
    }

    @Test
    void messagesOfEveryLengthAreRefused() throws IOException {
        byte[] hello = Codec.encode(hello());
        for (int length = 1; length < hello.length; length++) {
            refused("cut short", Arrays.copyOf(hello, length));
        }
        refused("bytes too many", Arrays.copyOf(hello, hello.length + 1));
        refused("bytes too many", Arrays.copyOf(hello, UnixSocket.MAX_MESSAGE_BYTES));
    }

    @Test
    void descriptorsThatNobodyAskedForAreClosed() throws IOException {
        try (MemoryFile file = MemoryFile.create("gift", 4096); UnixSocket socket = connect()) {
            int[] many = new int[UnixSocket.MAX_DESCRIPTORS];
            Arrays.fill(many, file.descriptor());
            socket.send(Codec.encode(hello()), many);
            socket.receive(LIMIT_MS).discard();
        }
    }

    @Test
    void whoSaysNothingIsCutOff() throws IOException {
        try (UnixSocket silent = connect()) {
            long start = System.nanoTime();
            assertEquals(0, silent.receive(LIMIT_MS).bytes().length);
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(took >= AttachmentService.HELLO_LIMIT_MS - 100, took + " ms");
        }
    }

    @Test
    void whoAsksWithoutListeningIsCutOff() throws IOException {
        try (UnixSocket deaf = connect()) {
            deaf.send(Codec.encode(hello()));
            assertThrows(OsException.class, () -> {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
                while (System.nanoTime() < end) {
                    try {
                        deaf.send(Codec.encode(new Message.OpenRegion(FakeNic.RKEY)));
                    } catch (OsException e) {
                        if (e.errno() != OsException.EAGAIN) {
                            throw e;
                        }
                    }
                }
            });
        }
    }

    @Test
    void tooManyUsersAreRefused() throws IOException {
        List<UnixSocket> crowd = new ArrayList<>();
        try {
            Message last = null;
            for (int i = 0; i <= AttachmentService.MAX_GUESTS; i++) {
                UnixSocket socket = connect();
                crowd.add(socket);
                socket.send(Codec.encode(hello()));
                UnixSocket.Message received = socket.receive(LIMIT_MS);
                received.discard();
                last = Codec.decode(received.bytes());
            }
            assertTrue(((Message.Refused) last).reason().contains("users already"));
        } finally {
            crowd.forEach(UnixSocket::close);
        }
    }

    @Test
    void aThousandBadAttachesChangeNothing() throws IOException {
        Random random = new Random(4);
        List<byte[]> good = List.of(Codec.encode(hello()), Codec.encode(new Message.OpenQueuePair(FakeNic.QP_NUM, 1)),
                Codec.encode(new Message.OpenRegion(FakeNic.RKEY)),
                Codec.encode(new Message.Notice(FakeNic.QP_NUM, 1, 0)),
                Codec.encode(new Message.CloseQueuePair(FakeNic.QP_NUM, 1)));
        for (int i = 0; i < BAD_ATTACHES; i++) {
            try (UnixSocket socket = connect()) {
                for (int turn = 0; turn < 4; turn++) {
                    socket.send(mutate(good.get(turn == 0 ? 0 : random.nextInt(good.size())), random));
                }
                socket.receive(LIMIT_MS).discard();
            } catch (OsException e) {
                // Cut off in the middle: that is what is expected of most.
            }
        }
    }

    private static byte[] mutate(byte[] message, Random random) {
        byte[] mutant = Arrays.copyOf(
                message, random.nextInt(4) == 0 ? 1 + random.nextInt(message.length + 8) : message.length);
        for (int flips = random.nextInt(3); flips > 0; flips--) {
            mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
        return mutant;
    }

    @Test
    void anotherUserIsRefused() throws IOException {
        try (FakeNic foreign = new FakeNic(FakeNic.anyGid(), FakeNic.uid() + 1);
                UnixSocket socket = UnixSocket.connect(AttachmentService.address(FakeNic.uid() + 1, foreign.gid))) {
            socket.send(Codec.encode(hello()));
            UnixSocket.Message received = socket.receive(LIMIT_MS);
            Message.Refused refusal = assertInstanceOf(Message.Refused.class, Codec.decode(received.bytes()));
            assertTrue(refusal.reason().contains("only processes of the same user"), refusal.reason());
        }
    }
}
