package io.verbena.nic.os;

/** How sendmmsg(2) and recvmmsg(2) lay out a message: struct mmsghdr, iovec and cmsghdr of 64-bit Linux. */
final class Messages {
    static final int HEADER_BYTES = 64;
    static final int NAME_AT = 0;
    static final int NAME_LENGTH_AT = 8;
    static final int VECTOR_AT = 16;
    static final int VECTOR_COUNT_AT = 24;
    static final int CONTROL_AT = 32;
    static final int CONTROL_LENGTH_AT = 40;
    static final int FLAGS_AT = 48;
    static final int LENGTH_AT = 56;

    static final int VECTOR_BYTES = 16;
    static final int VECTOR_LENGTH_AT = 8;

    /** Of a cmsghdr: its length with itself, the level, the type, then what it says. */
    static final int CONTROL_LEVEL_AT = 8;
    static final int CONTROL_TYPE_AT = 12;
    static final int CONTROL_DATA_AT = 16;

    static final int IP_LEVEL = 0;
    static final int IP_TOS = 1;
    static final int IP_TTL = 2;
    static final int IPV6_LEVEL = 41;
    static final int IPV6_HOPLIMIT = 52;
    static final int IPV6_TCLASS = 67;
    static final int SOCKET_LEVEL = 1;
    static final int KERNEL_DROPS = 40;
    static final int UDP_LEVEL = 17;
    static final int SEGMENT = 103;
    static final int GRO = 104;
    static final int TRUNCATED = 0x20;

    private Messages() {}
}
