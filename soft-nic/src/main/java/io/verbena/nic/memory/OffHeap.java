package io.verbena.nic.memory;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Access to memory by absolute address. Callers own the address: it lies in a block or region whose life the NIC
 * controls and whose range was checked before.
 */
public final class OffHeap {
    /** Up to this many bytes a loop of 8-byte moves beats the JVM's bulk copy. */
    private static final long WORD_COPY_LIMIT = 128;
    private static final long LINE = 64;
    /** x86 makes stores visible in program order. */
    private static final boolean STORES_IN_ORDER = System.getProperty("os.arch", "").matches("amd64|x86_64");
    private static final long HALF_LINE = 32;

    private OffHeap() {}

    /**
     * Reports, in one sentence, a JVM started without the flag that raw access needs.
     *
     * @throws VerbsException EPERM naming the flag
     */
    public static void requireRawAccess() {
        try {
            UnsafeApi.fullFence();
        } catch (IllegalAccessError e) {
            Module agrona = DirectBuffer.class.getModule();
            throw new VerbsException(Errno.EPERM, "JVM flags",
                    "start the JVM with --add-exports java.base/jdk.internal.misc="
                            + (agrona.isNamed() ? agrona.getName() : "ALL-UNNAMED")
                            + ", which the off-heap rings (Agrona) need");
        }
    }

    /** Reads 8 bytes. */
    public static long getLong(long address) {
        return UnsafeApi.getLong(address);
    }

    /** Reads 8 bytes; later accesses stay behind it. */
    public static long getLongAcquire(long address) {
        return UnsafeApi.getLongAcquire(null, address);
    }

    /** Writes 8 bytes. */
    public static void putLong(long address, long value) {
        UnsafeApi.putLong(address, value);
    }

    /** Writes 8 bytes; earlier accesses stay before it. */
    public static void putLongRelease(long address, long value) {
        UnsafeApi.putLongRelease(null, address, value);
    }

    /** Reads 4 bytes. */
    public static int getInt(long address) {
        return UnsafeApi.getInt(address);
    }

    /** Writes 4 bytes. */
    public static void putInt(long address, int value) {
        UnsafeApi.putInt(address, value);
    }

    /** Replaces 8 bytes when they equal what is expected; a full barrier. */
    public static boolean compareAndSetLong(long address, long expected, long value) {
        return UnsafeApi.compareAndSetLong(null, address, expected, value);
    }

    /** Replaces 8 bytes when they equal what is expected, returns what they were; a full barrier. */
    public static long compareAndExchangeLong(long address, long expected, long value) {
        return UnsafeApi.compareAndExchangeLong(null, address, expected, value);
    }

    /** Adds to 8 bytes, returns what they were; a full barrier. */
    public static long getAndAddLong(long address, long delta) {
        return UnsafeApi.getAndAddLong(null, address, delta);
    }

    /** Sets bits in 8 bytes, returns what they were; a full barrier. */
    public static long getAndBitwiseOrLong(long address, long bits) {
        return UnsafeApi.getAndBitwiseOrLong(null, address, bits);
    }

    /** Replaces 8 bytes, returns what they were; a full barrier. */
    public static long getAndSetLong(long address, long value) {
        return UnsafeApi.getAndSetLong(null, address, value);
    }

    /**
     * Copies bytes.
     *
     * @param source first byte to read
     * @param destination first byte to write
     * @param length bytes, 0 or more
     */
    public static void copy(long source, long destination, long length) {
        if (length == LINE) {
            copyLine(source, destination);
        } else if (length <= WORD_COPY_LIMIT) {
            copyWords(source, destination, length);
        } else {
            UnsafeApi.copyMemory(source, destination, length);
        }
    }

    /**
     * Copies a few bytes in ascending order without a call into the JVM; a whole cache line without a loop.
     *
     * @param source first byte to read
     * @param destination first byte to write
     * @param length bytes, 0 to 128
     */
    public static void copyWords(long source, long destination, long length) {
        if (length == LINE) {
            copyLine(source, destination);
        } else {
            copyRest(source, destination, length);
        }
    }

    private static void copyLine(long source, long destination) {
        copyHalfLine(source, destination);
        copyHalfLine(source + HALF_LINE, destination + HALF_LINE);
    }

    private static void copyHalfLine(long source, long destination) {
        UnsafeApi.putLong(destination, UnsafeApi.getLong(source));
        UnsafeApi.putLong(destination + 8, UnsafeApi.getLong(source + 8));
        UnsafeApi.putLong(destination + 16, UnsafeApi.getLong(source + 16));
        UnsafeApi.putLong(destination + 24, UnsafeApi.getLong(source + 24));
    }

    private static void copyRest(long source, long destination, long length) {
        long offset = 0;
        for (; offset <= length - HALF_LINE; offset += HALF_LINE) {
            copyHalfLine(source + offset, destination + offset);
        }
        for (; offset <= length - Long.BYTES; offset += Long.BYTES) {
            UnsafeApi.putLong(destination + offset, UnsafeApi.getLong(source + offset));
        }
        if ((length & Integer.BYTES) != 0) {
            UnsafeApi.putInt(destination + offset, UnsafeApi.getInt(source + offset));
            offset += Integer.BYTES;
        }
        if ((length & Short.BYTES) != 0) {
            UnsafeApi.putShort(destination + offset, UnsafeApi.getShort(source + offset));
            offset += Short.BYTES;
        }
        if ((length & 1) != 0) {
            UnsafeApi.putByte(destination + offset, UnsafeApi.getByte(source + offset));
        }
    }

    /**
     * Copies bytes so that who sees the last byte, by an acquire load, sees all of them (IBA 9.5, programs rely on it).
     *
     * @param source first byte to read
     * @param destination first byte to write
     * @param length bytes, 1 or more
     */
    public static void copyLastByteLast(long source, long destination, long length) {
        if (STORES_IN_ORDER || length <= Long.BYTES) {
            copy(source, destination, length);
            return;
        }
        long last = length - Long.BYTES;
        long tail = UnsafeApi.getLongUnaligned(null, source + last);
        copy(source, destination, last);
        VarHandle.releaseFence();
        UnsafeApi.putLongUnaligned(null, destination + last, tail);
    }

    /** Fills bytes with zero. */
    public static void zero(long address, long length) {
        UnsafeApi.setMemory(address, length, (byte) 0);
    }
}
