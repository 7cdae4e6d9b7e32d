package io.verbena.rc.packet;

/**
 * Every packet that is spoken here, as data: which headers follow the base transport header, how much payload it may
 * have, and what it is part of (IBA 9.2, table 38; Annexes A17 and A19).
 *
 * <p>The headers that a packet has always come in this order: DETH, FETH, RETH, AtomicETH, AETH, AtomicAckETH, ImmDt,
 * IETH.
 */
public enum PacketType {
    /** First packet of a SEND of several. */
    RC_SEND_FIRST(0x00, Flags.SEND_FIRST, 0),
    /** Neither first nor last packet of a SEND. */
    RC_SEND_MIDDLE(0x01, Flags.SEND_MIDDLE, 0),
    /** Last packet of a SEND of several. */
    RC_SEND_LAST(0x02, Flags.SEND_LAST, 0),
    /** Last packet of a SEND with an immediate value. */
    RC_SEND_LAST_IMM(0x03, Flags.SEND_LAST, Flags.IMM),
    /** A SEND of one packet. */
    RC_SEND_ONLY(0x04, Flags.SEND_ONLY, 0),
    /** A SEND of one packet with an immediate value. */
    RC_SEND_ONLY_IMM(0x05, Flags.SEND_ONLY, Flags.IMM),
    /** First packet of a WRITE of several. */
    RC_WRITE_FIRST(0x06, Flags.WRITE_FIRST, Flags.RETH),
    /** Neither first nor last packet of a WRITE. */
    RC_WRITE_MIDDLE(0x07, Flags.WRITE_MIDDLE, 0),
    /** Last packet of a WRITE of several. */
    RC_WRITE_LAST(0x08, Flags.WRITE_LAST, 0),
    /** Last packet of a WRITE with an immediate value. */
    RC_WRITE_LAST_IMM(0x09, Flags.WRITE_LAST, Flags.IMM),
    /** A WRITE of one packet. */
    RC_WRITE_ONLY(0x0A, Flags.WRITE_ONLY, Flags.RETH),
    /** A WRITE of one packet with an immediate value. */
    RC_WRITE_ONLY_IMM(0x0B, Flags.WRITE_ONLY, Flags.RETH | Flags.IMM),
    /** Asks for memory. */
    RC_READ_REQUEST(0x0C, Flags.REQUEST | Flags.READ | Flags.START | Flags.END, Flags.RETH | Flags.EMPTY),
    /** First packet of an answer of several. */
    RC_READ_RESPONSE_FIRST(0x0D, Flags.READ_RESPONSE | Flags.START, Flags.AETH),
    /** Neither first nor last packet of an answer. */
    RC_READ_RESPONSE_MIDDLE(0x0E, Flags.READ_RESPONSE, 0),
    /** Last packet of an answer of several. */
    RC_READ_RESPONSE_LAST(0x0F, Flags.READ_RESPONSE | Flags.END, Flags.AETH),
    /** An answer of one packet. */
    RC_READ_RESPONSE_ONLY(0x10, Flags.READ_RESPONSE | Flags.START | Flags.END, Flags.AETH),
    /** ACK, NAK or RNR NAK. */
    RC_ACKNOWLEDGE(0x11, Flags.RESPONSE | Flags.START | Flags.END, Flags.AETH | Flags.EMPTY),
    /** The answer to an atomic. */
    RC_ATOMIC_ACKNOWLEDGE(0x12, Flags.RESPONSE | Flags.ATOMIC | Flags.START | Flags.END,
            Flags.AETH | Flags.ATOMIC_ACK | Flags.EMPTY),
    /** Compares 8 bytes and swaps them when equal. */
    RC_COMPARE_SWAP(0x13, Flags.ATOMIC_REQUEST, Flags.ATOMIC_ETH | Flags.EMPTY),
    /** Adds to 8 bytes. */
    RC_FETCH_ADD(0x14, Flags.ATOMIC_REQUEST, Flags.ATOMIC_ETH | Flags.EMPTY),
    /** Last packet of a SEND that invalidates a key. */
    RC_SEND_LAST_INV(0x16, Flags.SEND_LAST, Flags.IETH),
    /** A SEND of one packet that invalidates a key. */
    RC_SEND_ONLY_INV(0x17, Flags.SEND_ONLY, Flags.IETH),
    /** Flushes earlier writes. */
    RC_FLUSH(0x1C, Flags.REQUEST | Flags.FLUSH | Flags.START | Flags.END, Flags.FETH | Flags.RETH | Flags.EMPTY),
    /** Writes 8 bytes at once. */
    RC_ATOMIC_WRITE(0x1D, Flags.REQUEST | Flags.ATOMIC_WRITE | Flags.START | Flags.END, Flags.RETH),
    /** As {@link #RC_SEND_FIRST}, unreliable. */
    UC_SEND_FIRST(0x20, Flags.SEND_FIRST, 0),
    /** As {@link #RC_SEND_MIDDLE}, unreliable. */
    UC_SEND_MIDDLE(0x21, Flags.SEND_MIDDLE, 0),
    /** As {@link #RC_SEND_LAST}, unreliable. */
    UC_SEND_LAST(0x22, Flags.SEND_LAST, 0),
    /** As {@link #RC_SEND_LAST_IMM}, unreliable. */
    UC_SEND_LAST_IMM(0x23, Flags.SEND_LAST, Flags.IMM),
    /** As {@link #RC_SEND_ONLY}, unreliable. */
    UC_SEND_ONLY(0x24, Flags.SEND_ONLY, 0),
    /** As {@link #RC_SEND_ONLY_IMM}, unreliable. */
    UC_SEND_ONLY_IMM(0x25, Flags.SEND_ONLY, Flags.IMM),
    /** As {@link #RC_WRITE_FIRST}, unreliable. */
    UC_WRITE_FIRST(0x26, Flags.WRITE_FIRST, Flags.RETH),
    /** As {@link #RC_WRITE_MIDDLE}, unreliable. */
    UC_WRITE_MIDDLE(0x27, Flags.WRITE_MIDDLE, 0),
    /** As {@link #RC_WRITE_LAST}, unreliable. */
    UC_WRITE_LAST(0x28, Flags.WRITE_LAST, 0),
    /** As {@link #RC_WRITE_LAST_IMM}, unreliable. */
    UC_WRITE_LAST_IMM(0x29, Flags.WRITE_LAST, Flags.IMM),
    /** As {@link #RC_WRITE_ONLY}, unreliable. */
    UC_WRITE_ONLY(0x2A, Flags.WRITE_ONLY, Flags.RETH),
    /** As {@link #RC_WRITE_ONLY_IMM}, unreliable. */
    UC_WRITE_ONLY_IMM(0x2B, Flags.WRITE_ONLY, Flags.RETH | Flags.IMM),
    /** A datagram. */
    UD_SEND_ONLY(0x64, Flags.SEND_ONLY, Flags.DETH),
    /** A datagram with an immediate value. */
    UD_SEND_ONLY_IMM(0x65, Flags.SEND_ONLY, Flags.DETH | Flags.IMM),
    /** Tells a sender about congestion; 16 reserved bytes follow. */
    CNP(0x81, 0, Flags.RESERVED16 | Flags.EMPTY);

    /** The transports: the high three bits of an opcode. */
    public static final int RC = 0x00;
    /** Unreliable connection. */
    public static final int UC = 0x20;
    /** Unreliable datagram. */
    public static final int UD = 0x60;
    /** Bytes of the base transport header, which every packet starts with. */
    public static final int BTH_BYTES = 12;

    private static final int TRANSPORT_MASK = 0xE0;
    private static final PacketType[] BY_CODE = new PacketType[256];

    static {
        for (PacketType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    /** What a packet is and has, as bits. */
    static final class Flags {
        static final int REQUEST = 1;
        static final int RESPONSE = 1 << 1;
        static final int START = 1 << 2;
        static final int END = 1 << 3;
        static final int SEND = 1 << 4;
        static final int WRITE = 1 << 5;
        static final int READ = 1 << 6;
        static final int ATOMIC = 1 << 7;
        static final int FLUSH = 1 << 8;
        static final int ATOMIC_WRITE = 1 << 9;

        static final int DETH = 1 << 16;
        static final int FETH = 1 << 17;
        static final int RETH = 1 << 18;
        static final int ATOMIC_ETH = 1 << 19;
        static final int AETH = 1 << 20;
        static final int ATOMIC_ACK = 1 << 21;
        static final int IMM = 1 << 22;
        static final int IETH = 1 << 23;
        static final int RESERVED16 = 1 << 24;
        static final int EMPTY = 1 << 25;

        static final int SEND_FIRST = REQUEST | SEND | START;
        static final int SEND_MIDDLE = REQUEST | SEND;
        static final int SEND_LAST = REQUEST | SEND | END;
        static final int SEND_ONLY = REQUEST | SEND | START | END;
        static final int WRITE_FIRST = REQUEST | WRITE | START;
        static final int WRITE_MIDDLE = REQUEST | WRITE;
        static final int WRITE_LAST = REQUEST | WRITE | END;
        static final int WRITE_ONLY = REQUEST | WRITE | START | END;
        static final int READ_RESPONSE = RESPONSE | READ;
        static final int ATOMIC_REQUEST = REQUEST | ATOMIC | START | END;

        /** Sizes of the headers from DETH to the reserved bytes, in the order of their bits. */
        private static final int[] BYTES = {8, 4, 16, 28, 4, 8, 4, 4, 16};
        private static final int FIRST_HEADER = 16;

        private Flags() {}

        /** Where a header starts if it is there; for no header, where the payload starts. */
        static int offset(int flags, int header) {
            int offset = BTH_BYTES;
            for (int i = 0; i < BYTES.length && 1 << FIRST_HEADER + i != header; i++) {
                offset += (flags >>> FIRST_HEADER + i & 1) * BYTES[i];
            }
            return offset;
        }
    }

    final int flags;
    final int rethOffset;
    final int aethOffset;
    final int atomicAckOffset;
    final int immOffset;
    final int iethOffset;
    private final int code;
    private final int headerBytes;

    PacketType(int code, int kind, int headers) {
        this.code = code;
        flags = kind | headers;
        rethOffset = Flags.offset(flags, Flags.RETH);
        aethOffset = Flags.offset(flags, Flags.AETH);
        atomicAckOffset = Flags.offset(flags, Flags.ATOMIC_ACK);
        immOffset = Flags.offset(flags, Flags.IMM);
        iethOffset = Flags.offset(flags, Flags.IETH);
        headerBytes = Flags.offset(flags, 0);
    }

    /**
     * Finds a type by its opcode.
     *
     * @param code 0 to 255
     * @return the type, or null for an opcode that is not spoken here
     */
    public static PacketType ofCode(int code) {
        return BY_CODE[code];
    }

    /**
     * The opcode.
     *
     * @return 0 to 255
     */
    public int code() {
        return code;
    }

    /**
     * The transport.
     *
     * @return {@link #RC}, {@link #UC}, {@link #UD}, or another value for a packet of none
     */
    public int transport() {
        return code & TRANSPORT_MASK;
    }

    /**
     * Where the payload starts.
     *
     * @return bytes of all headers, 12 to 44
     */
    public int headerBytes() {
        return headerBytes;
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Whether it asks for something. */
    public boolean isRequest() {
        return has(Flags.REQUEST);
    }

    /** Whether it answers something. */
    public boolean isResponse() {
        return has(Flags.RESPONSE);
    }

    /** Whether it begins a message: FIRST or ONLY. */
    public boolean isStart() {
        return has(Flags.START);
    }

    /** Whether it ends a message: LAST or ONLY. */
    public boolean isEnd() {
        return has(Flags.END);
    }

    /** Whether it is part of a SEND. */
    public boolean isSend() {
        return has(Flags.SEND);
    }

    /** Whether it is part of a WRITE. */
    public boolean isWrite() {
        return has(Flags.WRITE);
    }

    /** Whether it asks for or answers a READ. */
    public boolean isRead() {
        return has(Flags.READ);
    }

    /** Whether it asks for or answers an atomic. */
    public boolean isAtomic() {
        return has(Flags.ATOMIC);
    }

    /** Whether it has an immediate value. */
    public boolean hasImm() {
        return has(Flags.IMM);
    }

    /** Whether it names a key to invalidate. */
    public boolean hasInvalidate() {
        return has(Flags.IETH);
    }

    /** Whether it has an acknowledge header. */
    public boolean hasAeth() {
        return has(Flags.AETH);
    }

    /** Whether it names memory by a RETH. */
    public boolean hasReth() {
        return has(Flags.RETH);
    }

    /** Whether it never has payload. */
    public boolean isEmpty() {
        return has(Flags.EMPTY);
    }
}
