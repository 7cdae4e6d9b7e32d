package io.verbena.nic.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A msghdr (sendmsg(2)) with one buffer and, when descriptors travel along, one cmsghdr of SCM_RIGHTS. */
final class MessageHeader {
    private static final int BYTES = 56;
    private static final int VECTOR_AT = 16;
    private static final int VECTOR_COUNT_AT = 24;
    private static final int CONTROL_AT = 32;
    private static final int CONTROL_LENGTH_AT = 40;
    private static final int FLAGS_AT = 48;
    private static final int VECTOR_BYTES = 16;
    private static final int CONTROL_HEADER_BYTES = 16;
    private static final int LEVEL_AT = 8;
    private static final int TYPE_AT = 12;
    private static final int SOCKET_LEVEL = 1;
    private static final int RIGHTS = 1;

    private final MemorySegment header;
    private final MemorySegment control;
    private final MemorySegment data;

    /**
     * Makes one.
     *
     * @param arena where its memory lives
     * @param bytes room for bytes
     * @param descriptors room for descriptors
     */
    MessageHeader(Arena arena, int bytes, int descriptors) {
        header = arena.allocate(BYTES, Long.BYTES);
        data = arena.allocate(bytes, Long.BYTES);
        MemorySegment vector = arena.allocate(VECTOR_BYTES, Long.BYTES);
        vector.set(ValueLayout.JAVA_LONG, 0, data.address());
        vector.set(ValueLayout.JAVA_LONG, Long.BYTES, bytes);
        header.set(ValueLayout.JAVA_LONG, VECTOR_AT, vector.address());
        header.set(ValueLayout.JAVA_LONG, VECTOR_COUNT_AT, 1);
        long payload = CONTROL_HEADER_BYTES + (long) descriptors * Integer.BYTES;
        control = arena.allocate(descriptors == 0 ? 0 : payload + Long.BYTES - 1 & -Long.BYTES, Long.BYTES);
        if (descriptors > 0) {
            header.set(ValueLayout.JAVA_LONG, CONTROL_AT, control.address());
            header.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH_AT, control.byteSize());
            control.set(ValueLayout.JAVA_LONG, 0, payload);
            control.set(ValueLayout.JAVA_INT, LEVEL_AT, SOCKET_LEVEL);
            control.set(ValueLayout.JAVA_INT, TYPE_AT, RIGHTS);
        }
    }

    /** The structure itself. */
    MemorySegment segment() {
        return header;
    }

    /** Fills in what to send; as much as there is room for. */
    void put(byte[] bytes, int[] descriptors) {
        MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, bytes.length);
        if (descriptors.length > 0) {
            MemorySegment.copy(descriptors, 0, control, ValueLayout.JAVA_INT, CONTROL_HEADER_BYTES, descriptors.length);
        }
    }

    /** The first bytes received. */
    byte[] bytes(int length) {
        return data.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The descriptors received; each of them must be closed in the end. */
    int[] descriptors() {
        long length = header.get(ValueLayout.JAVA_LONG, CONTROL_LENGTH_AT);
        if (length < CONTROL_HEADER_BYTES || control.get(ValueLayout.JAVA_INT, LEVEL_AT) != SOCKET_LEVEL
                || control.get(ValueLayout.JAVA_INT, TYPE_AT) != RIGHTS) {
            return new int[0];
        }
        long count = (control.get(ValueLayout.JAVA_LONG, 0) - CONTROL_HEADER_BYTES) / Integer.BYTES;
        return control.asSlice(CONTROL_HEADER_BYTES, count * Integer.BYTES).toArray(ValueLayout.JAVA_INT);
    }

    /** What recvmsg says about the message: MSG_TRUNC, MSG_CTRUNC. */
    int flags() {
        return header.get(ValueLayout.JAVA_INT, FLAGS_AT);
    }
}
