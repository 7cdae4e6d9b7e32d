package io.verbena.nic.os;

import static io.verbena.nic.os.Messages.CONTROL_AT;
import static io.verbena.nic.os.Messages.CONTROL_DATA_AT;
import static io.verbena.nic.os.Messages.CONTROL_LENGTH_AT;
import static io.verbena.nic.os.Messages.CONTROL_LEVEL_AT;
import static io.verbena.nic.os.Messages.CONTROL_TYPE_AT;
import static io.verbena.nic.os.Messages.FLAGS_AT;
import static io.verbena.nic.os.Messages.HEADER_BYTES;
import static io.verbena.nic.os.Messages.LENGTH_AT;
import static io.verbena.nic.os.Messages.NAME_AT;
import static io.verbena.nic.os.Messages.NAME_LENGTH_AT;
import static io.verbena.nic.os.Messages.VECTOR_AT;
import static io.verbena.nic.os.Messages.VECTOR_BYTES;
import static io.verbena.nic.os.Messages.VECTOR_COUNT_AT;
import static io.verbena.nic.os.Messages.VECTOR_LENGTH_AT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages that {@link UdpSocket#receive} fills, made once and used again and again. One thread at a time. */
public final class IncomingMessages {
    /** Four control messages. */
    private static final int CONTROL_BYTES = 96;
    private static final int BYTE_MASK = 0xFF;
    private static final int UNKNOWN = -1;

    private final MemorySegment headers;
    private final MemorySegment names;
    private final MemorySegment controls;
    private final MemorySegment buffers;
    private final int bufferBytes;
    private int filled;
    private long drops;
    private int trafficClass;
    private int hopLimit;

    /**
     * Makes room.
     *
     * @param arena where it lives
     * @param count the most messages
     * @param bufferBytes the longest message
     */
    public IncomingMessages(Arena arena, int count, int bufferBytes) {
        this.bufferBytes = bufferBytes;
        headers = arena.allocate((long) count * HEADER_BYTES, Long.BYTES);
        names = arena.allocate((long) count * SocketAddresses.BYTES, Long.BYTES);
        controls = arena.allocate((long) count * CONTROL_BYTES, Long.BYTES);
        buffers = arena.allocate((long) count * bufferBytes, Long.BYTES);
        MemorySegment vectors = arena.allocate((long) count * VECTOR_BYTES, Long.BYTES);
        for (int i = 0; i < count; i++) {
            long vector = (long) i * VECTOR_BYTES;
            vectors.set(ValueLayout.JAVA_LONG, vector, address(i));
            vectors.set(ValueLayout.JAVA_LONG, vector + VECTOR_LENGTH_AT, bufferBytes);
            long at = (long) i * HEADER_BYTES;
            headers.set(ValueLayout.JAVA_LONG, at + NAME_AT, names.address() + (long) i * SocketAddresses.BYTES);
            headers.set(ValueLayout.JAVA_LONG, at + VECTOR_AT, vectors.address() + vector);
            headers.set(ValueLayout.JAVA_LONG, at + VECTOR_COUNT_AT, 1L);
            headers.set(ValueLayout.JAVA_LONG, at + CONTROL_AT, controls.address() + (long) i * CONTROL_BYTES);
            ready(i);
        }
    }

    /** Makes a message ready to be filled again. */
    private void ready(int message) {
        long at = (long) message * HEADER_BYTES;
        headers.set(ValueLayout.JAVA_INT, at + NAME_LENGTH_AT, SocketAddresses.BYTES);
        headers.set(ValueLayout.JAVA_LONG, at + CONTROL_LENGTH_AT, CONTROL_BYTES);
    }

    /** Before the system fills messages: makes those ready that it filled last time. */
    void prepare() {
        for (int i = 0; i < filled; i++) {
            ready(i);
        }
        filled = 0;
    }

    void came(int count) {
        filled = Math.max(0, count);
    }

    long header(int message) {
        return headers.address() + (long) message * HEADER_BYTES;
    }

    /** All the memory that messages lie in. */
    public MemorySegment memory() {
        return buffers;
    }

    /** Where a message starts. */
    public long address(int message) {
        return buffers.address() + (long) message * bufferBytes;
    }

    /** Bytes of a message, several packets or one; -1 when it was longer than the room for it. */
    public int length(int message) {
        long at = (long) message * HEADER_BYTES;
        return (headers.get(ValueLayout.JAVA_INT, at + FLAGS_AT) & Messages.TRUNCATED) != 0
                ? -1
                : headers.get(ValueLayout.JAVA_INT, at + LENGTH_AT);
    }

    /** The first half of the address that a message came from. */
    public long sourceHigh(int message) {
        return SocketAddresses.high(names, (long) message * SocketAddresses.BYTES);
    }

    /** The other half. */
    public long sourceLow(int message) {
        return SocketAddresses.low(names, (long) message * SocketAddresses.BYTES);
    }

    /** The port that a message came from. */
    public int sourcePort(int message) {
        return SocketAddresses.port(names, (long) message * SocketAddresses.BYTES);
    }

    /**
     * Looks at what the system says about a message, and takes note of what it dropped before.
     *
     * @param message a message received
     * @return the length of each packet in it but the last, which may be shorter; 0 when it is one packet
     */
    public int segmentBytes(int message) {
        long left = Math.min(
                headers.get(ValueLayout.JAVA_LONG, (long) message * HEADER_BYTES + CONTROL_LENGTH_AT), CONTROL_BYTES);
        long at = (long) message * CONTROL_BYTES;
        int segment = 0;
        trafficClass = UNKNOWN;
        hopLimit = UNKNOWN;
        while (left > CONTROL_DATA_AT) {
            int level = controls.get(ValueLayout.JAVA_INT, at + CONTROL_LEVEL_AT);
            int type = controls.get(ValueLayout.JAVA_INT, at + CONTROL_TYPE_AT);
            int said = controls.get(ValueLayout.JAVA_INT, at + CONTROL_DATA_AT);
            if (level == Messages.UDP_LEVEL && type == Messages.GRO) {
                segment = said;
            } else if (level == Messages.SOCKET_LEVEL && type == Messages.KERNEL_DROPS) {
                drops += said - (int) drops & 0xFFFF_FFFFL;
            } else {
                noteMark(level, type, said & BYTE_MASK);
            }
            long step = controls.get(ValueLayout.JAVA_LONG, at) + Long.BYTES - 1 & -Long.BYTES;
            if (step < CONTROL_DATA_AT) {
                break;
            }
            at += step;
            left -= step;
        }
        return segment;
    }

    private void noteMark(int level, int type, int said) {
        if (level == Messages.IP_LEVEL && type == Messages.IP_TOS
                || level == Messages.IPV6_LEVEL && type == Messages.IPV6_TCLASS) {
            trafficClass = said;
        } else if (level == Messages.IP_LEVEL && type == Messages.IP_TTL
                || level == Messages.IPV6_LEVEL && type == Messages.IPV6_HOPLIMIT) {
            hopLimit = said;
        }
    }

    /**
     * What the IP header of the message said that was looked at last, see {@link UdpSocket#tellMarks}.
     *
     * @return the traffic class times 256, plus the hop limit; -1 when the system did not tell
     */
    public int marks() {
        return trafficClass < 0 || hopLimit < 0 ? UNKNOWN : trafficClass << Byte.SIZE | hopLimit;
    }

    /** Messages that the system had no room for, as far as it has told with the messages looked at. */
    public long drops() {
        return drops;
    }
}
