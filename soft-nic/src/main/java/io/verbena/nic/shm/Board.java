package io.verbena.nic.shm;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.rc.memory.MemoryTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The memory of one NIC that other processes may read and never write: its memory table, and a block for each queue
 * pair. It is one sparse memory file; what was taken stays taken, and is used again by the pool that took it.
 *
 * <pre>
 *   0 magic
 *   8 version      {@link Codec#VERSION}
 *  16 tableAt      the memory table, bytes from the start
 *  24 tableKeys    keys it was made for
 * 128 generation   counts changes that users must look at again
 * 192 pulse        moves while the owner's process runs
 * 200 withdrawals  counts how often memory was taken from those who have mapped it
 * 256 tables and blocks
 * </pre>
 */
public final class Board {
    /** Where the generation is. */
    static final int GENERATION_AT = 128;

    private static final int PULSE_AT = 192;
    private static final int WITHDRAWALS_AT = 200;
    private static final VarHandle PULSE = ValueLayout.JAVA_LONG.varHandle();
    private static final long MAGIC = 0x4452_4F42_4E42_5256L; // "VRBNBORD"
    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 8;
    private static final int TABLE_AT = 16;
    private static final int TABLE_KEYS_AT = 24;
    private static final int HEADER_BYTES = 256;
    private static final long ALIGNMENT = 128;
    private static final int MAX_KEYS = 1 << 24;

    private final MemoryFile file;
    private final MemorySegment memory;
    private final MemorySegment generation;
    private long used = HEADER_BYTES;

    /**
     * Makes an empty board.
     *
     * @param name of the NIC, shown by the system
     * @throws OsException when the system has no memory or descriptor left
     */
    public Board(String name) throws OsException {
        file = MemoryFile.createSparse("verbena-board-" + name, Attachment.MAX_BOARD_BYTES);
        try {
            // Automatic: a block stays mapped while anything can still reach it.
            memory = file.map(true, Arena.ofAuto());
            file.sealAgainstNewWriters();
        } catch (OsException e) {
            file.close();
            throw e;
        }
        generation = memory.asSlice(GENERATION_AT, Long.BYTES);
        OffHeap.putLong(memory.address() + VERSION_AT, Codec.VERSION);
        OffHeap.putLongRelease(memory.address() + MAGIC_AT, MAGIC);
    }

    /**
     * Takes memory for good; the caller serialises these calls.
     *
     * @param bytes how much
     * @return zeroed memory
     * @throws OutOfMemoryError when the board is full
     */
    public MemorySegment take(long bytes) {
        long rounded = (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        if (bytes < 0 || rounded > memory.byteSize() - used) {
            throw new OutOfMemoryError("the memory that a NIC shows to other processes, "
                    + memory.byteSize() + " bytes, is used up");
        }
        MemorySegment part = memory.asSlice(used, bytes, ALIGNMENT);
        used += rounded;
        return part;
    }

    /**
     * Says where the memory table is; before anybody attaches.
     *
     * @param address what {@link #take} gave for it
     * @param keys what it was made for
     */
    public void table(long address, int keys) {
        OffHeap.putLong(memory.address() + TABLE_AT, offset(address));
        OffHeap.putLong(memory.address() + TABLE_KEYS_AT, keys);
    }

    /**
     * Where changes are counted.
     *
     * @return 8 bytes, always the same object; mapped while they can be reached
     */
    public MemorySegment generation() {
        return generation;
    }

    /** Shows that this process runs. */
    void beat() {
        OffHeap.getAndAddLong(memory.address() + PULSE_AT, 1);
    }

    /** Has everybody map memory anew before it is used again; the generation must be bumped after it. */
    void countWithdrawal() {
        OffHeap.getAndAddLong(memory.address() + WITHDRAWALS_AT, 1);
    }

    /**
     * What moves while the owner of a board runs.
     *
     * @throws IllegalStateException when the board is not mapped any more
     */
    static long pulse(MemorySegment board) {
        return board.byteSize() < HEADER_BYTES ? 0 : (long) PULSE.getAcquire(board, (long) PULSE_AT);
    }

    /** How often the owner of a board has taken memory away. */
    static long withdrawals(MemorySegment board) {
        return OffHeap.getLongAcquire(board.address() + WITHDRAWALS_AT);
    }

    /** Where something that was taken lies, from the start. */
    long offset(long address) {
        return address - memory.address();
    }

    MemoryFile file() {
        return file;
    }

    /** Lets nobody map it any more; who has mapped it keeps it. */
    public void close() {
        file.close();
    }

    /**
     * Looks at the table on the board of another process.
     *
     * @throws RefusedException when there can be none
     */
    static MemoryTable tableOf(MemorySegment board) throws RefusedException {
        if (board.byteSize() < HEADER_BYTES || OffHeap.getLongAcquire(board.address() + MAGIC_AT) != MAGIC
                || OffHeap.getLong(board.address() + VERSION_AT) != Codec.VERSION) {
            throw new RefusedException(Guest.EPROTO, "what the owner shows is not the board of a NIC of version "
                    + Codec.VERSION);
        }
        long at = OffHeap.getLong(board.address() + TABLE_AT);
        long keys = OffHeap.getLong(board.address() + TABLE_KEYS_AT);
        if (keys < 1 || keys > MAX_KEYS || at < HEADER_BYTES || at % ALIGNMENT != 0
                || at > board.byteSize() - MemoryTable.bytesFor((int) keys)) {
            throw new RefusedException(Guest.EPROTO, "the owner's memory table is said to lie at " + at + " for "
                    + keys + " keys, which is not on its board");
        }
        return MemoryTable.viewOf(board.address() + at, (int) keys);
    }
}
