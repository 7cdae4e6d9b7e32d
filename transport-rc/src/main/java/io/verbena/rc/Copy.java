package io.verbena.rc;

import java.lang.invoke.VarHandle;
import org.agrona.UnsafeApi;

/** Moves bytes between raw addresses whose ranges were checked. */
final class Copy {
    /** Up to this many bytes a loop beats the JVM's bulk copy. */
    private static final int WORD_COPY_LIMIT = 128;

    private Copy() {}

    /** Copies bytes, short ones in ascending order. */
    static void bytes(long source, long target, long length) {
        if (length > WORD_COPY_LIMIT) {
            UnsafeApi.copyMemory(source, target, length);
            return;
        }
        long done = 0;
        for (; done <= length - Long.BYTES; done += Long.BYTES) {
            UnsafeApi.putLongUnaligned(null, target + done, UnsafeApi.getLongUnaligned(null, source + done));
        }
        for (; done < length; done++) {
            UnsafeApi.putByte(target + done, UnsafeApi.getByte(source + done));
        }
    }

    /** Copies bytes so that who sees the last one, by an acquire load, sees all of them (programs rely on it). */
    static void lastByteLast(long source, long target, long length) {
        if (length > 0) {
            bytes(source, target, length - 1);
            VarHandle.releaseFence();
            UnsafeApi.putByte(target + length - 1, UnsafeApi.getByte(source + length - 1));
        }
    }
}
