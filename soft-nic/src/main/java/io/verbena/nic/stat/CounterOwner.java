package io.verbena.nic.stat;

import io.verbena.nic.os.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whose a counter file is, as its name says: {@code DEVICE-PID-START.counters}, START in hexadecimal.
 *
 * @param device the NIC
 * @param pid the process
 * @param startMillis when the process started, in milliseconds since 1970, so that another process with the same number
 *     is told apart; 0 if unknown
 */
public record CounterOwner(String device, long pid, long startMillis) {
    private static final Pattern NAME = Pattern.compile("([a-z]+[0-9]+)-([0-9]{1,18})-([0-9a-f]{1,15})\\.counters");
    /** The system tells start times by a clock that may be set meanwhile. */
    private static final long START_TOLERANCE_MILLIS = 2_000;

    /**
     * This process.
     *
     * @param device the NIC
     * @return the owner of its file
     */
    public static CounterOwner current(String device) {
        ProcessHandle process = ProcessHandle.current();
        return new CounterOwner(device, process.pid(), start(process));
    }

    private static long start(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /**
     * Reads a file name.
     *
     * @param file a path
     * @return its owner, or nothing when it is not named like a counter file
     */
    public static Optional<CounterOwner> of(Path file) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        return matcher.matches()
                ? Optional.of(new CounterOwner(matcher.group(1), Long.parseLong(matcher.group(2)),
                        Long.parseLong(matcher.group(3), 16)))
                : Optional.empty();
    }

    /**
     * The name of the owner's file.
     *
     * @return a file name without folder
     */
    public String fileName() {
        return device + '-' + pid + '-' + Long.toHexString(startMillis) + ".counters";
    }

    /**
     * Whether this very process still lives, as far as this one can see.
     *
     * @return false when there is no such process, or one that started at another time
     */
    public boolean isAlive() {
        ProcessHandle process = ProcessHandle.of(pid).orElse(null);
        if (process == null || !process.isAlive()) {
            return false;
        }
        long now = start(process);
        return now == 0 || startMillis == 0 || Math.abs(now - startMillis) <= START_TOLERANCE_MILLIS;
    }

    /**
     * Whether a file's owner is dead. A process that this one can't see, in another container, say, or that seems to
     * have started at another time, since the clock was set, keeps the file locked while it lives.
     *
     * @param file the owner's file
     * @return true when the owner is dead; false when it lives, or nobody can tell
     */
    public boolean isDead(Path file) {
        if (isAlive() || OwnFiles.mapping(file) != null) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                FileLock lock = channel.tryLock(0, 1, true)) {
            return lock != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }
}
