package io.verbena.cli;

import io.verbena.bench.PerfException;
import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.CounterSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the counter files that are asked for, again and again. Says once about each that can't be read why. */
final class StatSource {
    private static final double NANOS = 1e9;

    private final Terminal terminal;
    private final Path directory;
    private final long pid;
    private final String device;
    private final Map<Path, Seen> seen = new HashMap<>();
    private final Set<Path> reported = new HashSet<>();
    private boolean damaged;

    /** A snapshot and when it was taken. */
    private record Seen(CounterSnapshot snapshot, long nanos) {}

    /** Reads of a process (0 for all) and a device (null for all). */
    StatSource(Terminal terminal, Path directory, long pid, String device) {
        this.terminal = terminal;
        this.directory = directory;
        this.pid = pid;
        this.device = DeviceOptions.DEFAULT.equals(device) ? device + '0' : device;
    }

    /** What can be read now. */
    List<StatSample> sample() {
        List<StatSample> samples = new ArrayList<>();
        for (Path file : files()) {
            CounterOwner owner = CounterOwner.of(file).orElseThrow();
            if (pid != 0 && owner.pid() != pid || device != null && !owner.device().equals(device)) {
                continue;
            }
            if (owner.isDead(file)) {
                report(file, "process " + owner.pid() + " is dead; the next software NIC that opens removes " + file);
                continue;
            }
            try {
                samples.add(add(file, CounterFiles.read(file)));
            } catch (CounterFileException e) {
                if (!e.isGone()) {
                    damaged = true;
                    report(file, e.getMessage());
                }
            }
        }
        return samples;
    }

    private List<Path> files() {
        try {
            return CounterFiles.list(directory);
        } catch (IOException e) {
            throw new PerfException("can't read folder " + directory + ": " + e);
        }
    }

    private StatSample add(Path file, CounterSnapshot snapshot) {
        long now = System.nanoTime();
        Seen before = seen.put(file, new Seen(snapshot, now));
        // A process may close its NIC and open another one under the same name: that one starts anew.
        return before == null || before.snapshot().openedMillis() != snapshot.openedMillis()
                ? new StatSample(snapshot, null, 0)
                : new StatSample(snapshot, before.snapshot(), (now - before.nanos()) / NANOS);
    }

    private void report(Path file, String text) {
        if (reported.add(file)) {
            terminal.err().println("verbena stat: " + text);
        }
    }

    /** Whether a file of a live process could not be read. */
    boolean isDamaged() {
        return damaged;
    }

    /** Whether only one device is wanted, and no live process, of whatever number, has it open. */
    boolean isDeviceUnknown() {
        return device != null && files().stream().noneMatch(file -> {
            CounterOwner owner = CounterOwner.of(file).orElseThrow();
            return owner.device().equals(device) && !owner.isDead(file);
        });
    }

    /** Why there is no sample. */
    String nothing() {
        return (pid == 0 ? "none of your processes has" : "process " + pid + " has no") + (pid == 0 ? " an" : "")
                + " open software NIC" + (device == null ? "" : " named " + device) + " with counters in " + directory;
    }
}
