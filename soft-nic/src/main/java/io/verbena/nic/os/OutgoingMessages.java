package io.verbena.nic.os;

import static io.verbena.nic.os.Messages.CONTROL_AT;
import static io.verbena.nic.os.Messages.CONTROL_DATA_AT;
import static io.verbena.nic.os.Messages.CONTROL_LENGTH_AT;
import static io.verbena.nic.os.Messages.CONTROL_LEVEL_AT;
import static io.verbena.nic.os.Messages.CONTROL_TYPE_AT;
import static io.verbena.nic.os.Messages.HEADER_BYTES;
import static io.verbena.nic.os.Messages.NAME_AT;
import static io.verbena.nic.os.Messages.NAME_LENGTH_AT;
import static io.verbena.nic.os.Messages.VECTOR_AT;
import static io.verbena.nic.os.Messages.VECTOR_BYTES;
import static io.verbena.nic.os.Messages.VECTOR_COUNT_AT;
import static io.verbena.nic.os.Messages.VECTOR_LENGTH_AT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Messages for {@link UdpSocket#send}, made once and filled in again and again. Buffer i is one packet; a message
 * holds one buffer, or several that the system cuts apart again (UDP_SEGMENT). One thread at a time.
 */
public final class OutgoingMessages {
    private static final long SEGMENT_LENGTH = CONTROL_DATA_AT + Short.BYTES;
    private static final int CONTROL_BYTES = 24;

    private final MemorySegment headers;
    private final MemorySegment vectors;
    private final MemorySegment controls;

    /**
     * Makes room.
     *
     * @param arena where it lives
     * @param count the most messages, and the most buffers
     */
    public OutgoingMessages(Arena arena, int count) {
        headers = arena.allocate((long) count * HEADER_BYTES, Long.BYTES);
        vectors = arena.allocate((long) count * VECTOR_BYTES, Long.BYTES);
        controls = arena.allocate((long) count * CONTROL_BYTES, Long.BYTES);
        for (int i = 0; i < count; i++) {
            long at = (long) i * CONTROL_BYTES;
            controls.set(ValueLayout.JAVA_LONG, at, SEGMENT_LENGTH);
            controls.set(ValueLayout.JAVA_INT, at + CONTROL_LEVEL_AT, Messages.UDP_LEVEL);
            controls.set(ValueLayout.JAVA_INT, at + CONTROL_TYPE_AT, Messages.SEGMENT);
        }
    }

    long header(int message) {
        return headers.address() + (long) message * HEADER_BYTES;
    }

    /**
     * Says where a packet is.
     *
     * @param buffer 0 or more
     * @param address its first byte
     * @param bytes its length
     */
    public void buffer(int buffer, long address, int bytes) {
        long at = (long) buffer * VECTOR_BYTES;
        vectors.set(ValueLayout.JAVA_LONG, at, address);
        vectors.set(ValueLayout.JAVA_LONG, at + VECTOR_LENGTH_AT, bytes);
    }

    /**
     * Starts a message.
     *
     * @param message 0 or more
     * @param name of {@link SocketAddresses#allocate}, which must live until the message is sent
     * @param nameBytes how many of its bytes count
     */
    public void to(int message, long name, int nameBytes) {
        long at = (long) message * HEADER_BYTES;
        headers.set(ValueLayout.JAVA_LONG, at + NAME_AT, name);
        headers.set(ValueLayout.JAVA_INT, at + NAME_LENGTH_AT, nameBytes);
    }

    /**
     * Says what a message holds.
     *
     * @param message 0 or more
     * @param first its first buffer
     * @param count buffers; when more than one, all but the last must have the same length and the last not more
     * @param segmentBytes that length
     */
    public void holds(int message, int first, int count, int segmentBytes) {
        long at = (long) message * HEADER_BYTES;
        headers.set(ValueLayout.JAVA_LONG, at + VECTOR_AT, vectors.address() + (long) first * VECTOR_BYTES);
        headers.set(ValueLayout.JAVA_LONG, at + VECTOR_COUNT_AT, count);
        if (count == 1) {
            headers.set(ValueLayout.JAVA_LONG, at + CONTROL_AT, 0L);
            headers.set(ValueLayout.JAVA_LONG, at + CONTROL_LENGTH_AT, 0L);
            return;
        }
        long control = (long) message * CONTROL_BYTES;
        controls.set(ValueLayout.JAVA_SHORT, control + CONTROL_DATA_AT, (short) segmentBytes);
        headers.set(ValueLayout.JAVA_LONG, at + CONTROL_AT, controls.address() + control);
        headers.set(ValueLayout.JAVA_LONG, at + CONTROL_LENGTH_AT, CONTROL_BYTES);
    }
}
