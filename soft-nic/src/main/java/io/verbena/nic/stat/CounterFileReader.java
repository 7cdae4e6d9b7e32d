package io.verbena.nic.stat;

import static io.verbena.nic.stat.CounterFileLayout.RECORD_BYTES;

import io.verbena.nic.os.OwnFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads one counter file: copies what may be read, word by word, and looks at the copy only, so that nothing that
 * others do to the file matters afterwards.
 */
final class CounterFileReader {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    /** How often to look again while a queue pair is being closed. */
    private static final int TRIES = 100;

    private final Path file;
    private final CounterOwner owner;

    CounterFileReader(Path file) {
        this.file = file;
        owner = CounterOwner.of(file).orElse(null);
    }

    private CounterFileException problem(String text) {
        return new CounterFileException(file, text, false, null);
    }

    CounterSnapshot read() throws CounterFileException {
        if (owner == null) {
            throw problem("not named like a counter file, DEVICE-PID-START.counters");
        }
        MemorySegment own = OwnFiles.mapping(file);
        if (own != null) {
            return read(own, own::byteSize);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ); Arena arena = Arena.ofConfined()) {
            long size = channel.size();
            if (size < CounterFileLayout.RECORDS) {
                throw problem("not a counter file, or a truncated one: " + size + " bytes, at least "
                        + CounterFileLayout.RECORDS + " are needed");
            }
            long most = CounterFileLayout.RECORDS + (long) CounterFileLayout.RECORD_LIMIT * RECORD_BYTES;
            return read(map(channel, Math.min(size, most), arena), channel::size);
        } catch (NoSuchFileException e) {
            throw new CounterFileException(file, "no longer there", true, e);
        } catch (IOException | InternalError e) {
            // A mapped page that is no longer in the file is an InternalError.
            throw new CounterFileException(file, e instanceof InternalError
                    ? "truncated while it was read" : "can't be read: " + e, false, e);
        }
    }

    private MemorySegment map(FileChannel channel, long bytes, Arena arena) throws CounterFileException {
        try {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, arena);
        } catch (IOException e) {
            // What the JDK throws when the file has shrunk since its size was asked.
            throw new CounterFileException(file, "truncated while it was read, or can't be mapped: " + e, false, e);
        }
    }

    /** How long a file is now. */
    @FunctionalInterface
    private interface Size<X extends Exception> {
        /** In bytes. */
        long now() throws X;
    }

    private <X extends Exception> CounterSnapshot read(MemorySegment mapping, Size<X> size)
            throws CounterFileException, X {
        checkHeader(mapping);
        for (int tries = 1; ; tries++) {
            long before = (long) LONG.getAcquire(mapping, (long) CounterFileLayout.STRUCTURE);
            long[] words = copy(mapping);
            VarHandle.acquireFence();
            long after = (long) LONG.getAcquire(mapping, (long) CounterFileLayout.STRUCTURE);
            // A system call: the error of a truncated mapping is thrown on the way back from it at the latest.
            if (size.now() < words.length * (long) Long.BYTES) {
                throw problem("truncated while it was read");
            }
            boolean consistent = before == after && (before & 1) == 0;
            if (consistent || tries == TRIES) {
                return parse(words, consistent);
            }
            Thread.onSpinWait();
        }
    }

    private void checkHeader(MemorySegment mapping) throws CounterFileException {
        if (word(mapping, CounterFileLayout.MAGIC_AT) != CounterFileLayout.MAGIC) {
            throw problem("not a counter file, or one that is just being made: it does not start with the magic word");
        }
        long version = word(mapping, CounterFileLayout.VERSION_AT);
        if (version != CounterFileLayout.VERSION) {
            throw problem("counter layout version " + version + "; this program reads version "
                    + CounterFileLayout.VERSION);
        }
        if (word(mapping, CounterFileLayout.CLOSED) != 0) {
            throw new CounterFileException(file, "the process has closed the NIC", true, null);
        }
        long pid = word(mapping, CounterFileLayout.PID);
        if (pid != owner.pid()) {
            throw problem("damaged: it names process " + pid + " inside");
        }
    }

    private static long word(MemorySegment mapping, long offset) {
        return (long) LONG.getAcquire(mapping, offset);
    }

    private long[] copy(MemorySegment mapping) throws CounterFileException {
        long used = word(mapping, CounterFileLayout.RECORDS_USED);
        long room = (mapping.byteSize() - CounterFileLayout.RECORDS) / RECORD_BYTES;
        if (used < 0 || used > room) {
            throw problem("damaged: " + used + " queue pair records, the file has room for " + room);
        }
        long[] words = new long[(int) (CounterFileLayout.RECORDS + used * RECORD_BYTES) / Long.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = (long) LONG.getOpaque(mapping, (long) i * Long.BYTES);
        }
        return words;
    }

    // The copy

    private CounterSnapshot parse(long[] words, boolean consistent) throws CounterFileException {
        List<QueuePairSample> queuePairs = new ArrayList<>();
        long[] open = new long[CounterFileLayout.WORDS];
        for (int at = CounterFileLayout.RECORDS / Long.BYTES; at < words.length; at += CounterFileLayout.WORDS) {
            if (words[at + CounterFileLayout.IDENTITY] != 0) {
                long[] record = new long[CounterFileLayout.WORDS];
                System.arraycopy(words, at, record, 0, record.length);
                queuePairs.add(new QueuePairSample(record));
                for (int i = 1; i < open.length; i++) {
                    open[i] += record[i];
                }
            }
        }
        return new CounterSnapshot(owner, words[CounterFileLayout.OPENED / Long.BYTES],
                totals(agronaCounters(words), open), queuePairs, words[CounterFileLayout.HIDDEN / Long.BYTES],
                consistent);
    }

    private static Map<String, Long> totals(Map<String, Long> counters, long[] open) {
        Map<String, Long> totals = new LinkedHashMap<>();
        for (DeviceCounter counter : DeviceCounter.values()) {
            int word = counter.word();
            String label = counter.label() + (word == 0 ? "" : CounterFileLayout.CLOSED_PART);
            Long value = counters.get(label);
            if (value != null) {
                totals.put(counter.label(), value + (word == 0 ? 0 : open[word]));
            }
        }
        return totals;
    }

    private Map<String, Long> agronaCounters(long[] words) throws CounterFileException {
        UnsafeBuffer metadata = bytes(words, CounterFileLayout.METADATA, CounterFileLayout.METADATA_BYTES);
        UnsafeBuffer values = bytes(words, CounterFileLayout.VALUES, CounterFileLayout.VALUES_BYTES);
        for (int id = 0; id < CounterFileLayout.COUNTERS; id++) {
            int length = metadata.getInt(CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET);
            if (length < 0 || length > CountersReader.MAX_LABEL_LENGTH) {
                throw problem("damaged: a counter name of " + length + " bytes");
            }
        }
        Map<String, Long> counters = new HashMap<>();
        CountersReader reader = new CountersReader(metadata, values, StandardCharsets.US_ASCII);
        reader.forEach((id, type, key, label) -> counters.put(label, reader.getCounterValue(id)));
        return counters;
    }

    private static UnsafeBuffer bytes(long[] words, int offset, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(MemorySegment.ofArray(words), ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return new UnsafeBuffer(bytes);
    }
}
