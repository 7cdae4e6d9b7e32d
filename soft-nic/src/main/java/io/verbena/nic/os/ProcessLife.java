package io.verbena.nic.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether a process still runs, and does not take another of the same number for it.
 *
 * @param pid its number; 0 when this system does not show it
 * @param startTicks when it was started, as the system counts; -1 when unknown
 */
public record ProcessLife(int pid, long startTicks) {
    private static final int STATE = 0;
    private static final int START = 19;

    /**
     * Takes note of a process.
     *
     * @param pid a process that runs now
     * @return what tells it from others
     */
    public static ProcessLife of(int pid) {
        String[] fields = fields(pid);
        return new ProcessLife(pid, fields == null ? -1 : Long.parseLong(fields[START]));
    }

    /**
     * Whether it may run: it does, or nothing is known of it.
     *
     * @return false once it has ended, waited for by its parent or not
     */
    public boolean mayRun() {
        if (startTicks < 0) {
            return true;
        }
        String[] fields = fields(pid);
        return fields != null && Long.parseLong(fields[START]) == startTicks
                && "ZX".indexOf(fields[STATE].charAt(0)) < 0;
    }

    /** What /proc/PID/stat says, from the state on; null when there is no such process. */
    private static String[] fields(int pid) {
        try {
            String line = Files.readString(Path.of("/proc", Integer.toString(pid), "stat"));
            // The name before it may hold anything, parentheses too.
            return line.substring(line.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            return null;
        }
    }
}
