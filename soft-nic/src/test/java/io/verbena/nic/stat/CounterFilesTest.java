package io.verbena.nic.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.counters.NicCounters;
import io.verbena.verbs.QueuePairType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are damaged, foreign, or change while they are read: a clear message, never anything else. */
class CounterFilesTest {
    @TempDir
    private Path directory;

    private NicCounters counters;
    /** A copy of a good file that may be written to. */
    private Path copy;

    @BeforeEach
    void makeOneGoodFile() throws Exception {
        counters = NicCounters.open("soft0", directory);
        for (int i = 0; i < 5; i++) {
            counters.take(16 + i, QueuePairType.RC);
        }
        counters.add(DeviceCounter.QPS, 5);
        copy = directory.resolve(CounterOwner.current("soft1").fileName());
        byte[] good = new byte[CounterFileLayout.RECORDS + 5 * CounterFileLayout.RECORD_BYTES];
        try (FileChannel channel = FileChannel.open(counters.file(), StandardOpenOption.READ)) {
            assertEquals(good.length, channel.read(ByteBuffer.wrap(good)));
        }
        Files.write(copy, good);
    }

    @AfterEach
    void close() {
        counters.close();
    }

    private void patch(long offset, long value) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, value);
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            channel.write(word, offset);
        }
    }

    private CounterFileException refused(String hint) {
        CounterFileException e = assertThrows(CounterFileException.class, () -> CounterFiles.read(copy));
        assertTrue(e.getMessage().contains(hint), e.getMessage());
        assertTrue(e.getMessage().startsWith(copy.toString()), e.getMessage());
        return e;
    }

    @Test
    void goodFileAndItsCopySayTheSame() throws Exception {
        assertEquals(List.of(counters.file(), copy), CounterFiles.list(directory));
        CounterSnapshot original = CounterFiles.read(counters.file());
        CounterSnapshot again = CounterFiles.read(copy);
        assertEquals(original.totals(), again.totals());
        assertEquals(5, again.queuePairs().size());
        assertEquals(5, again.total(DeviceCounter.QPS));
        assertEquals(DeviceCounter.values().length, again.totals().size(), "every counter has its place");
    }

    @Test
    void missingFolderHasNoFilesAndMissingFileIsGone() throws Exception {
        assertEquals(List.of(), CounterFiles.list(directory.resolve("none")));
        Files.delete(copy);
        assertTrue(refused("no longer there").isGone());
    }

    @Test
    void foreignFilesAreNotListedNorRead() throws Exception {
        copy = Files.createFile(directory.resolve("notes.txt"));
        assertEquals(List.of(counters.file()), CounterFiles.list(directory).stream()
                .filter(file -> file.equals(copy) || file.equals(counters.file())).toList());
        refused("not named like a counter file");
    }

    @Test
    void emptyShortAndForeignContents() throws Exception {
        Files.write(copy, new byte[0]);
        refused("truncated");
        Files.write(copy, new byte[CounterFileLayout.RECORDS - 1]);
        refused("truncated");
        Files.write(copy, new byte[CounterFileLayout.RECORDS]);
        refused("magic");
        byte[] garbage = new byte[CounterFileLayout.RECORDS * 2];
        new Random(1).nextBytes(garbage);
        Files.write(copy, garbage);
        refused("magic");
    }

    @Test
    void otherVersionIsNamed() throws Exception {
        patch(CounterFileLayout.VERSION_AT, 2);
        refused("version 2; this program reads version 1");
    }

    @Test
    void closedNicIsGone() throws Exception {
        patch(CounterFileLayout.CLOSED, 1);
        assertTrue(refused("closed the NIC").isGone());
    }

    @Test
    void contradictionsAreRefused() throws Exception {
        patch(CounterFileLayout.PID, 1);
        assertFalse(refused("names process 1").isGone());
        makeOneGoodFileAgain();
        for (long used : new long[] {-1, 6, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 57}) {
            patch(CounterFileLayout.RECORDS_USED, used);
            refused(used + " queue pair records");
        }
        makeOneGoodFileAgain();
        patch(CounterFileLayout.METADATA + CountersReader.metaDataOffset(3) + CountersReader.LABEL_OFFSET - 4, -1);
        refused("a counter name of -1 bytes");
    }

    private void makeOneGoodFileAgain() throws Exception {
        counters.close();
        makeOneGoodFile();
    }

    @Test
    void ownerThatDiedWhileClosingAQueuePairIsReadWithAWarning() throws Exception {
        patch(CounterFileLayout.STRUCTURE, 7);
        assertFalse(CounterFiles.read(copy).consistent());
        patch(CounterFileLayout.STRUCTURE, 8);
        assertTrue(CounterFiles.read(copy).consistent());
    }

    @Test
    void recordsOfNoTypeAndStateAreShownAsSuch() throws Exception {
        patch(CounterFileLayout.RECORDS, -1);
        QueuePairSample sample = CounterFiles.read(copy).queuePairs().getFirst();
        assertEquals("? ?", sample.type() + " " + sample.state());
        patch(CounterFileLayout.RECORDS, 1);
        assertEquals("?", CounterFiles.read(copy).queuePairs().getFirst().type());
    }

    @Test
    void randomDamageIsReadOrRefusedButNothingElse() throws Exception {
        Random random = new Random(4711);
        byte[] good = Files.readAllBytes(copy);
        int refused = 0;
        for (int round = 0; round < 1_000; round++) {
            byte[] bad = good.clone();
            for (int i = 0; i < 1 + random.nextInt(200); i++) {
                boolean header = random.nextBoolean();
                bad[header ? 8 + random.nextInt(80) : random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            Files.write(copy, bad);
            try {
                CounterFiles.read(copy).queuePairs().forEach(Object::toString);
            } catch (CounterFileException e) {
                refused++;
            }
        }
        assertTrue(refused > 0 && refused < 1_000, "refused " + refused);
    }

    @Test
    void fileThatShrinksWhileItIsReadIsRefused() throws Exception {
        int records = 50_000;
        long full = CounterFileLayout.RECORDS + (long) records * CounterFileLayout.RECORD_BYTES;
        AtomicBoolean done = new AtomicBoolean();
        int refused = 0;
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            patch(CounterFileLayout.RECORDS_USED, records);
            channel.write(ByteBuffer.allocate(1), full - 1);
            Thread shrinker = new Thread(() -> {
                try {
                    while (!done.get()) {
                        channel.truncate(CounterFileLayout.RECORDS);
                        channel.write(ByteBuffer.allocate(1), full - 1);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            shrinker.start();
            try {
                for (int i = 0; i < 1_000 || refused == 0 && i < 100_000; i++) {
                    refused += isRefusedAsTruncated() ? 1 : 0;
                }
            } finally {
                done.set(true);
                shrinker.join();
            }
        }
        assertTrue(refused > 0, "never caught it while it shrank");
    }

    private boolean isRefusedAsTruncated() {
        try {
            CounterFiles.read(copy);
            return false;
        } catch (CounterFileException e) {
            String text = e.getMessage();
            assertTrue(text.contains("truncated") || text.contains("room for"), text);
            return text.contains("truncated while");
        }
    }

    @Test
    void namesOfFilesAreReadStrictly() {
        assertEquals(new CounterOwner("soft12", 34, 0x56),
                CounterOwner.of(Path.of("/x/soft12-34-56.counters")).orElseThrow());
        assertEquals("soft12-34-56.counters", new CounterOwner("soft12", 34, 0x56).fileName());
        for (String name : new String[] {"soft0-1.counters", "soft0-1-x.counters", "soft0--1-1.counters",
            "-1-1.counters", "soft0-1-1.counters.tmp", "soft0-99999999999999999999-1.counters",
            "soft0-1-ffffffffffffffffff.counters"}) {
            assertTrue(CounterOwner.of(Path.of(name)).isEmpty(), name);
        }
    }

    @Test
    void countersExplainThemselvesHereAndInTheDocumentation() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "counters.md"));
        for (DeviceCounter counter : DeviceCounter.values()) {
            assertTrue(counter.label().matches("[a-z][a-z_]{1,27}"), counter.label());
            assertTrue(counter.meaning().length() > 10 && counter.meaning().length() < 110, counter.meaning());
            String row = "| `" + counter.label() + "` | " + counter.unit() + " | " + counter.meaning() + " |";
            assertTrue(page.contains(row), () -> "docs/counters.md should say\n" + row);
        }
    }
}
