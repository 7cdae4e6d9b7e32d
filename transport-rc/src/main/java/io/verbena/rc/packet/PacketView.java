package io.verbena.rc.packet;

import org.agrona.UnsafeApi;

/**
 * A packet that came in, from the base transport header to the invariant CRC: the payload of one UDP datagram.
 * {@link #wrap} checks opcode and lengths once; after that every accessor of a header that the type has stays inside
 * the packet. Reused for every packet; not thread-safe.
 *
 * <p>The memory is the NIC's own, which nobody else writes while a view is in use.
 */
public final class PacketView {
    /** The largest path MTU. */
    public static final int MAX_PAYLOAD = 4096;
    /** Bytes of the invariant CRC at the end. */
    public static final int ICRC_BYTES = 4;
    /** No packet is longer than this. */
    public static final int MAX_BYTES = PacketType.BTH_BYTES + 20 + MAX_PAYLOAD + ICRC_BYTES;

    private static final int MIN_BYTES = PacketType.BTH_BYTES + ICRC_BYTES;
    private static final int VERSION_MASK = 0x0F;

    private long address;
    private int length;
    private int payloadLength;
    private PacketType type;

    /** Makes a view of no packet yet. */
    public PacketView() {}

    /**
     * Looks at a packet.
     *
     * @param newAddress of the first byte
     * @param newLength bytes with the CRC; 0 or more, all readable
     * @return {@link Verdict#ACCEPTED}, or why it must be dropped; then nothing else of the view may be used
     */
    public Verdict wrap(long newAddress, int newLength) {
        address = newAddress;
        length = newLength;
        if (newLength < MIN_BYTES) {
            return Verdict.BAD_LENGTH;
        }
        if (newLength > MAX_BYTES) {
            return Verdict.TOO_LONG;
        }
        type = PacketType.ofCode(unsignedByte(0));
        if (type == null) {
            return Verdict.UNKNOWN_OPCODE;
        }
        if ((unsignedByte(1) & VERSION_MASK) != 0) {
            return Verdict.BAD_VERSION;
        }
        payloadLength = newLength - type.headerBytes() - padCount() - ICRC_BYTES;
        if (payloadLength < 0 || (newLength & 3) != 0 || type.isEmpty() && payloadLength + padCount() != 0) {
            return Verdict.BAD_LENGTH;
        }
        return payloadLength > MAX_PAYLOAD ? Verdict.TOO_LONG : Verdict.ACCEPTED;
    }

    private int unsignedByte(int offset) {
        return UnsafeApi.getByte(address + offset) & 0xFF;
    }

    private int intAt(int offset) {
        return UnsafeApi.getIntUnaligned(null, address + offset, true);
    }

    private long longAt(int offset) {
        return UnsafeApi.getLongUnaligned(null, address + offset, true);
    }

    /** Where the packet starts. */
    public long address() {
        return address;
    }

    /** Bytes of the packet with its CRC. */
    public int length() {
        return length;
    }

    /** What kind of packet it is. */
    public PacketType type() {
        return type;
    }

    // Base transport header

    /** Whether the receiver asks to be woken (SE). */
    public boolean isSolicited() {
        return (unsignedByte(1) & 0x80) != 0;
    }

    /** The migration state bit. */
    public boolean isMigrated() {
        return (unsignedByte(1) & 0x40) != 0;
    }

    /** Pad bytes behind the payload, 0 to 3. */
    public int padCount() {
        return unsignedByte(1) >>> 4 & 3;
    }

    /** The partition key, 16 bits. */
    public int pkey() {
        return UnsafeApi.getShortUnaligned(null, address + 2, true) & 0xFFFF;
    }

    /** The queue pair it is for, 24 bits. */
    public int destinationQp() {
        return intAt(4) & Psn.MASK;
    }

    /** FECN, BECN and the reserved bits beside them: the byte that the CRC does not cover. */
    public int variantByte() {
        return unsignedByte(4);
    }

    /** Whether an acknowledgement is asked for. */
    public boolean isAckRequested() {
        return (unsignedByte(8) & 0x80) != 0;
    }

    /** The packet sequence number, 24 bits. */
    public int psn() {
        return intAt(8) & Psn.MASK;
    }

    // Extended headers; each only for a type that has it

    /** The queue key of a datagram. */
    public int qkey() {
        return intAt(PacketType.BTH_BYTES);
    }

    /** The queue pair that a datagram comes from, 24 bits. */
    public int sourceQp() {
        return intAt(PacketType.BTH_BYTES + 4) & Psn.MASK;
    }

    /** Placement type and selectivity of a FLUSH. */
    public int flushBits() {
        return intAt(PacketType.BTH_BYTES);
    }

    /** The first byte of the memory that a RETH names. */
    public long remoteAddress() {
        return longAt(type.rethOffset);
    }

    /** The key of the memory that a RETH names. */
    public int rkey() {
        return intAt(type.rethOffset + 8);
    }

    /** The length of the memory that a RETH names: 0 to 2^32-1 bytes. */
    public long remoteLength() {
        return intAt(type.rethOffset + 12) & 0xFFFF_FFFFL;
    }

    /** The first byte of the memory of an atomic. */
    public long atomicAddress() {
        return longAt(PacketType.BTH_BYTES);
    }

    /** The key of the memory of an atomic. */
    public int atomicRkey() {
        return intAt(PacketType.BTH_BYTES + 8);
    }

    /** What an atomic swaps in or adds. */
    public long swapOrAdd() {
        return longAt(PacketType.BTH_BYTES + 12);
    }

    /** What a compare and swap compares with. */
    public long compare() {
        return longAt(PacketType.BTH_BYTES + 20);
    }

    /** The syndrome of an acknowledge header, see {@link Syndrome}. */
    public int syndrome() {
        return unsignedByte(type.aethOffset);
    }

    /** The message sequence number of an acknowledge header, 24 bits. */
    public int msn() {
        return intAt(type.aethOffset) & Psn.MASK;
    }

    /** The value before an atomic. */
    public long originalValue() {
        return longAt(type.atomicAckOffset);
    }

    /** The immediate value, as it was posted. */
    public int imm() {
        return intAt(type.immOffset);
    }

    /** The key to invalidate. */
    public int invalidatedKey() {
        return intAt(type.iethOffset);
    }

    // Payload

    /** Where the payload starts. */
    public long payload() {
        return address + type.headerBytes();
    }

    /** Bytes of payload without pad, 0 to 4096. */
    public int payloadLength() {
        return payloadLength;
    }

    /** The invariant CRC as a number. */
    public int icrc() {
        return UnsafeApi.getIntUnaligned(null, address + length - ICRC_BYTES, false);
    }
}
