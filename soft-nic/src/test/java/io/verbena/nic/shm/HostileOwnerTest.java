package io.verbena.nic.shm;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever the owner of memory answers, its user maps nothing that can hurt, and loses nothing. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "shared memory between processes needs Linux")
class HostileOwnerTest {
    private static final int LIMIT_MS = 10_000;
    private static final int BYTES = 8_192;

    private final Gid gid = FakeNic.anyGid();
    private final Queue<Answer> answers = new ArrayDeque<>();
    private UnixSocket listener;
    private MemoryFile memory;
    private MemoryFile bell;
    private Thread thread;
    private long descriptors;

    /** What the owner says next, with so many copies of its memory's descriptor. */
    private record Answer(byte[] bytes, int descriptors) {}

    @BeforeEach
    void listen() throws IOException {
        descriptors = HostileGuestTest.openDescriptors();
        listener = UnixSocket.listen(AttachmentService.address(FakeNic.uid(), gid));
        memory = MemoryFile.create("hostile", BYTES);
        bell = MemoryFile.create("hostile-bell", Bell.BYTES);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        listener.close();
        thread.join();
        memory.close();
        bell.close();
        HostileGuestTest.awaitDescriptors(descriptors);
    }

    private void answer(Message message, int count) {
        answers.add(new Answer(Codec.encode(message), count));
    }

    private void welcome() {
        answer(new Message.Welcome(Codec.VERSION, gid, BYTES), 2);
    }

    private void serve() {
        thread = new Thread(() -> {
            try (UnixSocket socket = listener.accept(LIMIT_MS)) {
                while (socket != null && socket.receive(LIMIT_MS).bytes().length > 0) {
                    Answer next = answers.poll();
                    if (next != null) {
                        int[] copies = new int[next.descriptors()];
                        Arrays.fill(copies, memory.descriptor());
                        if (copies.length > 1) {
                            copies[1] = bell.descriptor();
                        }
                        socket.send(next.bytes(), copies);
                    }
                }
            } catch (OsException e) {
                // The user has hung up.
            }
        });
        thread.start();
    }

    private void attachFails(String reason) throws IOException {
        serve();
        int uid = FakeNic.uid();
        IOException failure = assertThrows(IOException.class,
                () -> Attachment.open(gid, FakeNic.anyGid(), uid, () -> FakeNic.PATIENCE_MS, ended -> { }).close());
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
    }

    private Attachment attach() throws IOException {
        return Attachment.open(gid, FakeNic.anyGid(), FakeNic.uid(), () -> FakeNic.PATIENCE_MS, ended -> { });
    }

    private void openFails(String reason) throws IOException {
        serve();
        try (Attachment attachment = attach()) {
            IOException failure = assertThrows(IOException.class, () -> attachment.openQueuePair(1, 2).close());
            assertTrue(failure.getMessage().contains(reason), failure.getMessage());
        }
    }

    @Test
    void silenceEnds() throws IOException {
        attachFails("gave no answer in");
    }

    @Test
    void garbageIsRefused() throws IOException {
        answers.add(new Answer(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}, 3));
        attachFails("does not start with VRBN");
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        answer(new Message.Welcome(99, gid, BYTES), 2);
        attachFails("version 99");
    }

    @Test
    void anotherAddressIsRefused() throws IOException {
        answer(new Message.Welcome(Codec.VERSION, FakeNic.anyGid(), BYTES), 2);
        attachFails("was asked");
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "16"})
    void anotherNumberOfDescriptorsIsRefused(int count) throws IOException {
        answer(new Message.Welcome(Codec.VERSION, gid, BYTES), count);
        attachFails("and " + count + " descriptors instead of");
    }

    @ParameterizedTest
    @CsvSource({"8193", "0", "-1", "9223372036854775807"})
    void aWrongSizeIsRefused(long bytes) throws IOException {
        answer(new Message.Welcome(Codec.VERSION, gid, bytes), 2);
        attachFails("bytes");
    }

    @Test
    void anotherAnswerIsRefused() throws IOException {
        answer(new Message.Done(), 0);
        attachFails("answers with Done");
    }

    @ParameterizedTest
    @CsvSource({
        "0 2 0 256 7 4096 128, slots", "3 2 0 256 7 4096 128, slots",
        "131072 2 0 256 7 4096 128, slots", "-2147483648 2 0 256 7 4096 128, slots",
        "16 -1 0 256 7 4096 128, maxSge", "16 65 0 256 7 4096 128, maxSge",
        "16 2 8 256 7 4096 128, postedAt", "16 2 -64 128 7 4096 128, postedAt",
        "16 2 8192 128 7 4096 128, postedAt", "16 2 0 6208 7 4096 128, receivesAt",
        "16 2 0 -128 7 4096 128, receivesAt", "16 2 0 9223372036854775744 7 4096 128, receivesAt",
        "16 2 0 128 6 4096 128, receiveShift", "16 2 0 128 32 4096 128, receiveShift",
        "16 2 0 128 -1 4096 128, receiveShift", "16 2 0 128 7 0 128, inboxBytes",
        "16 2 0 128 7 -1 128, inboxBytes", "16 2 0 128 7 99999999999 128, inboxBytes",
        "16 2 0 256 7 4096 2112, completionsAt", "16 2 0 256 7 4096 100, completionsAt",
        "16 2 0 128 7 8256 128, 8192 bytes"})
    void wrongGeometryIsRefused(String fields, String reason) throws IOException {
        long[] field = Arrays.stream(fields.split(" ")).mapToLong(Long::parseLong).toArray();
        welcome();
        answer(new Message.QueuePairOpened(new QueuePairGeometry((int) field[0], (int) field[1], field[2], field[3],
                (int) field[4], field[5], field[6]), new Message.Service(0, false), 0, 0, 0, 0,
                new Attention(0, 0, 0, 0)), 1);
        openFails(reason);
    }

    @ParameterizedTest
    @CsvSource({"8192, -1, 10", "8192, 0, 8193", "8192, 8192, 1", "8192, 0, -1", "0, 0, 0", "8193, 0, 8193",
        "8192, 9223372036854775807, 9223372036854775807"})
    void wrongRegionsAreRefused(long allocation, long start, long bytes) throws IOException {
        welcome();
        answer(new Message.RegionOpened(allocation, start, bytes), 1);
        serve();
        try (Attachment attachment = attach()) {
            assertThrows(IOException.class, () -> attachment.openRegion(7).close());
        }
    }
}
