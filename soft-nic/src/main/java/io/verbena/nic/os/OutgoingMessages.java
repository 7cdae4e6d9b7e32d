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
    private static final long INT_LENGTH = CONTROL_DATA_AT + Integer.BYTES;
    private static final long SEGMENT_LENGTH = CONTROL_DATA_AT + Short.BYTES;
    /** What one control message takes here, and where each of them is. */
    private static final int CONTROL_BYTES = 24;
    private static final int CLASS_CONTROL = CONTROL_BYTES;
    private static final int HOPS_CONTROL = 2 * CONTROL_BYTES;
    private static final int CONTROLS_BYTES = 3 * CONTROL_BYTES;

    private final MemorySegment headers;
    private final MemorySegment vectors;
    private final MemorySegment controls;
    /** Bytes of control messages for marks. */
    private final int[] markBytes;

    /**
     * Makes room.
     *
     * @param arena where it lives
     * @param count the most messages, and the most buffers
     */
    public OutgoingMessages(Arena arena, int count) {
        headers = arena.allocate((long) count * HEADER_BYTES, Long.BYTES);
        vectors = arena.allocate((long) count * VECTOR_BYTES, Long.BYTES);
        controls = arena.allocate((long) count * CONTROLS_BYTES, Long.BYTES);
        markBytes = new int[count];
        for (int i = 0; i < count; i++) {
            control((long) i * CONTROLS_BYTES, SEGMENT_LENGTH, Messages.UDP_LEVEL, Messages.SEGMENT);
        }
    }

    private void control(long at, long length, int level, int type) {
        controls.set(ValueLayout.JAVA_LONG, at, length);
        controls.set(ValueLayout.JAVA_INT, at + CONTROL_LEVEL_AT, level);
        controls.set(ValueLayout.JAVA_INT, at + CONTROL_TYPE_AT, type);
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
        markBytes[message] = 0;
    }

    /**
     * Says what the IP headers of a message shall say, after {@link #to}.
     *
     * @param message 0 or more
     * @param ipv4 whether it goes by IPv4
     * @param trafficClass 0 to 255
     * @param hopLimit 1 to 255; 0 for the system's
     */
    public void mark(int message, boolean ipv4, int trafficClass, int hopLimit) {
        int level = ipv4 ? Messages.IP_LEVEL : Messages.IPV6_LEVEL;
        long at = (long) message * CONTROLS_BYTES;
        control(at + CLASS_CONTROL, INT_LENGTH, level, ipv4 ? Messages.IP_TOS : Messages.IPV6_TCLASS);
        controls.set(ValueLayout.JAVA_INT, at + CLASS_CONTROL + CONTROL_DATA_AT, trafficClass);
        control(at + HOPS_CONTROL, INT_LENGTH, level, ipv4 ? Messages.IP_TTL : Messages.IPV6_HOPLIMIT);
        controls.set(ValueLayout.JAVA_INT, at + HOPS_CONTROL + CONTROL_DATA_AT, hopLimit);
        markBytes[message] = hopLimit == 0 ? CONTROL_BYTES : 2 * CONTROL_BYTES;
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
        int marks = markBytes[message];
        if (count == 1 && marks == 0) {
            headers.set(ValueLayout.JAVA_LONG, at + CONTROL_AT, 0L);
            headers.set(ValueLayout.JAVA_LONG, at + CONTROL_LENGTH_AT, 0L);
            return;
        }
        long control = (long) message * CONTROLS_BYTES;
        controls.set(ValueLayout.JAVA_SHORT, control + CONTROL_DATA_AT, (short) segmentBytes);
        int skipped = count == 1 ? CONTROL_BYTES : 0;
        headers.set(ValueLayout.JAVA_LONG, at + CONTROL_AT, controls.address() + control + skipped);
        headers.set(ValueLayout.JAVA_LONG, at + CONTROL_LENGTH_AT, CONTROL_BYTES - skipped + marks);
    }
}
