package io.verbena.nic.memory;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Access to memory that its owner could take away: by closing its arena, or by truncating the file behind a mapping.
 * Answers which side was gone instead of throwing.
 */
public final class CheckedAccess {
    /** The access was done. */
    public static final int DONE = 0;
    /** The source could not be read. */
    public static final int SOURCE_GONE = 1;
    /** The target could not be written. */
    public static final int TARGET_GONE = 2;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private CheckedAccess() {}

    /**
     * Copies bytes.
     *
     * @return {@link #DONE}, {@link #SOURCE_GONE} or {@link #TARGET_GONE}
     */
    public static int copy(MemorySegment source, long from, MemorySegment target, long to, long length) {
        try {
            MemorySegment.copy(source, from, target, to, length);
            settle(source);
            settle(target);
            return DONE;
        } catch (IllegalStateException closed) {
            return source.scope().isAlive() ? TARGET_GONE : SOURCE_GONE;
        } catch (InternalError truncated) {
            return isThere(source, from + length - 1) ? TARGET_GONE : SOURCE_GONE;
        }
    }

    /**
     * Replaces or adds to 8 bytes atomically.
     *
     * @param swap whether to replace
     * @param operands raw address of the value compared with or added, behind it that to replace by; the value before
     *     is left in the first one's place
     * @return whether it was done
     */
    public static boolean atomic(MemorySegment target, long at, boolean swap, long operands) {
        try {
            long first = OffHeap.getLong(operands);
            long prior = swap
                    ? (long) LONG.compareAndExchange(target, at, first, OffHeap.getLong(operands + Long.BYTES))
                    : (long) LONG.getAndAdd(target, at, first);
            settle(target);
            OffHeap.putLong(operands, prior);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Writes 8 bytes.
     *
     * @return whether it was done
     */
    public static boolean putLong(MemorySegment target, long at, long value) {
        try {
            target.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
            settle(target);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Reads 8 bytes.
     *
     * @param value where they are left, at index 0
     * @return whether it was done
     */
    public static boolean getLong(MemorySegment source, long at, long[] value) {
        try {
            value[0] = source.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            settle(source);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Writes 8 bytes at once, after everything written before.
     *
     * @return whether it was done
     */
    public static boolean putLongRelease(MemorySegment target, long at, long value) {
        try {
            LONG.setRelease(target, at, value);
            settle(target);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Writes a part of a mapped file back to its storage. Allocates a view of the part, and takes as long as the
     * storage.
     *
     * @return whether it was done
     */
    public static boolean force(MemorySegment mapped, long at, long length) {
        try {
            if (length > 0) {
                mapped.asSlice(at, length).force();
            }
            return true;
        } catch (IllegalStateException | UncheckedIOException | InternalError failed) {
            return false;
        }
    }

    private static boolean isThere(MemorySegment segment, long offset) {
        try {
            segment.get(ValueLayout.JAVA_BYTE, offset);
            settle(segment);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Makes the JVM deliver the error of a truncated mapping here rather than at some later point of compiled code: it
     * is thrown on the way back from a native method at the latest.
     */
    private static void settle(MemorySegment segment) {
        if (segment.isMapped() && Thread.holdsLock(LONG)) {
            throw new AssertionError("nobody locks this");
        }
    }
}
