package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the application that other processes may map, until it has to be withdrawn from one of them: then it gets
 * pages of its own at the same addresses, and nobody maps it any more. Under the control lock, but for
 * {@link #separate}.
 */
public final class SharedPages {
    private final MemoryFile file;
    private final MemorySegment memory;
    private boolean withdrawn;
    private boolean separating;

    /**
     * Makes zeroed memory.
     *
     * @param bytes how much
     * @param arena when closed, the memory is unmapped
     * @throws OsException when there is not enough
     */
    public SharedPages(long bytes, Arena arena) throws OsException {
        file = MemoryFile.create("verbena-memory", bytes);
        try {
            memory = file.map(true, arena);
        } catch (OsException e) {
            file.close();
            throw e;
        }
    }

    /** All of it. */
    public MemorySegment memory() {
        return memory;
    }

    /** What others map; while {@link #isShared}. */
    MemoryFile file() {
        return file;
    }

    /** Whether others may map it. */
    public boolean isShared() {
        return !withdrawn;
    }

    /** Whether it is about to get other pages, so that it must stay mapped. */
    public boolean isSeparating() {
        return separating;
    }

    /** Shares it with nobody from now on; false when that was done before. */
    boolean beginWithdrawal() {
        if (withdrawn) {
            return false;
        }
        withdrawn = true;
        separating = true;
        return true;
    }

    /** Gives it pages of its own; between the begin and the end of a withdrawal, without the control lock. */
    void separate() throws OsException {
        file.separate(memory, false);
    }

    /** It may be unmapped again. */
    void endWithdrawal() {
        separating = false;
        file.close();
    }

    /** Lets nobody map it any more; who has mapped it keeps it. */
    public void close() {
        withdrawn = true;
        file.close();
    }
}
