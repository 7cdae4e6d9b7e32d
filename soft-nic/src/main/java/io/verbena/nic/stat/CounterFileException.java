package io.verbena.nic.stat;

import java.nio.file.Path;

/** A counter file can't be read. The message is one line: which file, what is wrong with it. */
public final class CounterFileException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The process has closed its NIC, or the file was removed. */
    private final boolean gone;

    CounterFileException(Path file, String problem, boolean gone, Throwable cause) {
        super(file + ": " + problem, cause);
        this.gone = gone;
    }

    /**
     * Tells a file that is no longer there from one that is damaged.
     *
     * @return true when the process has closed its NIC or the file was removed
     */
    public boolean isGone() {
        return gone;
    }
}
