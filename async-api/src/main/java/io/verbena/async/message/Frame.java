package io.verbena.async.message;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The layout of a frame: 16 bytes in network order before every message. Credits are cumulative, so that one that rides
 * on a later frame says all that an earlier one said.
 */
public final class Frame {
    /** Bytes before the payload. */
    public static final int HEADER_BYTES = 16;
    /** Bytes of an offer's payload: number, address, length, key. */
    public static final int OFFER_BYTES = 28;
    /** Bytes of an answer to an offer: number and status. */
    public static final int DONE_BYTES = 12;

    /** A message, whole. */
    public static final int DATA = 1;
    /** A message that the receiver fetches by READ. */
    public static final int OFFER = 2;
    /** The receiver has fetched a message, or refuses to. */
    public static final int DONE = 3;
    /** Credits and nothing else. */
    public static final int CREDIT = 4;
    /** The sender closes the connection. */
    public static final int DISCONNECT = 5;
    /** A request about memory. */
    public static final int REQUEST = 6;
    /** The answer to such a request. */
    public static final int RESPONSE = 7;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int CREDITS_AT = 4;
    private static final int ID_AT = 8;
    private static final int LENGTH_AT = 12;

    private Frame() {}

    /**
     * Writes a header.
     *
     * @param memory where
     * @param at offset of its first byte
     * @param type one of the constants
     * @param credits receives granted since the beginning, modulo 2^32
     * @param id tells requests apart; 0 for others
     * @param length bytes of the payload behind it
     */
    public static void write(MemorySegment memory, long at, int type, int credits, int id, int length) {
        memory.set(INT, at, type << 24);
        memory.set(INT, at + CREDITS_AT, credits);
        memory.set(INT, at + ID_AT, id);
        memory.set(INT, at + LENGTH_AT, length);
    }

    /**
     * The type of a frame.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return 0 to 255; what is no constant here comes from a newer or a broken peer
     */
    public static int type(MemorySegment memory, long at) {
        return memory.get(INT, at) >>> 24;
    }

    /**
     * The credits of a frame.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return as written
     */
    public static int credits(MemorySegment memory, long at) {
        return memory.get(INT, at + CREDITS_AT);
    }

    /**
     * The number of a request.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return as written
     */
    public static int id(MemorySegment memory, long at) {
        return memory.get(INT, at + ID_AT);
    }

    /**
     * The length that a header claims; not to be trusted.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return as written
     */
    public static int length(MemorySegment memory, long at) {
        return memory.get(INT, at + LENGTH_AT);
    }

    /**
     * Writes a number of the payload.
     *
     * @param memory where
     * @param at offset of its first byte
     * @param value the number
     */
    public static void putLong(MemorySegment memory, long at, long value) {
        memory.set(LONG, at, value);
    }

    /**
     * Writes a number of the payload.
     *
     * @param memory where
     * @param at offset of its first byte
     * @param value the number
     */
    public static void putInt(MemorySegment memory, long at, int value) {
        memory.set(INT, at, value);
    }

    /**
     * Reads a number of the payload.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return the number
     */
    public static long getLong(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }

    /**
     * Reads a number of the payload.
     *
     * @param memory where it is
     * @param at offset of its first byte
     * @return the number
     */
    public static int getInt(MemorySegment memory, long at) {
        return memory.get(INT, at);
    }
}
