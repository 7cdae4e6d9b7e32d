package io.verbena.rc.packet;

import org.agrona.UnsafeApi;

/**
 * Writes one packet, from the base transport header to the pad: {@link #begin}, the headers that its type has, the
 * payload at {@link #payload()}, {@link #finish}. The invariant CRC is added by {@link Icrc#seal}, which knows the
 * addresses. Reused for every packet; not thread-safe.
 */
public final class PacketWriter {
    /** The default partition, full member. */
    public static final int DEFAULT_PKEY = 0xFFFF;

    private static final int SOLICITED = 0x80;
    private static final int MIGRATED = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int ACK_REQUESTED = 0x8000_0000;

    private long address;
    private int capacity;
    private int length;
    private PacketType type;

    /** Makes a writer of no packet yet. */
    public PacketWriter() {}

    /**
     * Chooses where the next packet is written.
     *
     * @param newAddress of the first byte
     * @param newCapacity bytes that may be written, {@link PacketView#MAX_BYTES} fit every packet
     * @return this
     */
    public PacketWriter wrap(long newAddress, int newCapacity) {
        address = newAddress;
        capacity = newCapacity;
        length = 0;
        return this;
    }

    /**
     * Begins a packet: the base transport header, with the migration bit set, since some NICs treat its absence as an
     * event.
     *
     * @param newType what kind of packet
     * @param destinationQp 24 bits
     * @param psn 24 bits
     */
    public void begin(PacketType newType, int destinationQp, int psn) {
        assert capacity >= newType.headerBytes() + PacketView.ICRC_BYTES : "no room for a packet";
        type = newType;
        UnsafeApi.putByte(address, (byte) newType.code());
        UnsafeApi.putByte(address + 1, (byte) MIGRATED);
        UnsafeApi.putShortUnaligned(null, address + 2, (short) DEFAULT_PKEY, true);
        putInt(4, destinationQp & Psn.MASK);
        putInt(8, psn & Psn.MASK);
    }

    private void putInt(int offset, int value) {
        UnsafeApi.putIntUnaligned(null, address + offset, value, true);
    }

    private void putLong(int offset, long value) {
        UnsafeApi.putLongUnaligned(null, address + offset, value, true);
    }

    private void setBits(int mask, boolean on) {
        int flags = UnsafeApi.getByte(address + 1);
        UnsafeApi.putByte(address + 1, (byte) (on ? flags | mask : flags & ~mask));
    }

    /** Asks the receiver to wake who waits for solicited completions (SE). */
    public void solicited(boolean on) {
        setBits(SOLICITED, on);
    }

    /** Sets the migration state bit. */
    public void migrated(boolean on) {
        setBits(MIGRATED, on);
    }

    /** Asks for an acknowledgement. */
    public void ackRequested(boolean on) {
        int word = UnsafeApi.getIntUnaligned(null, address + 8, true);
        putInt(8, on ? word | ACK_REQUESTED : word & ~ACK_REQUESTED);
    }

    /** Sets the partition key, 16 bits. */
    public void pkey(int pkey) {
        UnsafeApi.putShortUnaligned(null, address + 2, (short) pkey, true);
    }

    /** Sets FECN, BECN and the reserved bits beside them. */
    public void variantByte(int bits) {
        UnsafeApi.putByte(address + 4, (byte) bits);
    }

    /** Writes the datagram header. */
    public void deth(int qkey, int sourceQp) {
        putInt(PacketType.BTH_BYTES, qkey);
        putInt(PacketType.BTH_BYTES + 4, sourceQp & Psn.MASK);
    }

    /** Writes the flush header: placement type in bits 0 to 3, selectivity in bits 4 and 5. */
    public void feth(int bits) {
        putInt(PacketType.BTH_BYTES, bits);
    }

    /** Writes which memory is meant; the length is 0 to 2^32-1 bytes. */
    public void reth(long remoteAddress, int rkey, long remoteLength) {
        putLong(type.rethOffset, remoteAddress);
        putInt(type.rethOffset + 8, rkey);
        putInt(type.rethOffset + 12, (int) remoteLength);
    }

    /** Writes the operands of an atomic. */
    public void atomic(long remoteAddress, int rkey, long swapOrAdd, long compare) {
        putLong(PacketType.BTH_BYTES, remoteAddress);
        putInt(PacketType.BTH_BYTES + 8, rkey);
        putLong(PacketType.BTH_BYTES + 12, swapOrAdd);
        putLong(PacketType.BTH_BYTES + 20, compare);
    }

    /** Writes the acknowledge header; the message sequence number has 24 bits. */
    public void aeth(int syndrome, int msn) {
        putInt(type.aethOffset, syndrome << 24 | msn & Psn.MASK);
    }

    /** Writes the value before an atomic. */
    public void atomicAck(long originalValue) {
        putLong(type.atomicAckOffset, originalValue);
    }

    /** Writes the immediate value. */
    public void imm(int imm) {
        putInt(type.immOffset, imm);
    }

    /** Writes the key to invalidate. */
    public void invalidate(int rkey) {
        putInt(type.iethOffset, rkey);
    }

    /** Writes the 16 reserved bytes of a congestion notification. */
    public void reserved() {
        putLong(PacketType.BTH_BYTES, 0);
        putLong(PacketType.BTH_BYTES + 8, 0);
    }

    /** Where the payload is to be written. */
    public long payload() {
        return address + type.headerBytes();
    }

    /**
     * Ends the packet: counts and zeroes the pad.
     *
     * @param payloadLength bytes that were written at {@link #payload()}, 0 to 4096
     */
    public void finish(int payloadLength) {
        int pad = -payloadLength & 3;
        int end = type.headerBytes() + payloadLength;
        for (int i = 0; i < pad; i++) {
            UnsafeApi.putByte(address + end + i, (byte) 0);
        }
        UnsafeApi.putByte(address + 1, (byte) (UnsafeApi.getByte(address + 1) | pad << PAD_SHIFT));
        length = end + pad;
        assert length + PacketView.ICRC_BYTES <= capacity : "no room for the payload and the CRC";
    }

    /** Where the packet starts. */
    public long address() {
        return address;
    }

    /** Bytes that {@link #finish} ended with; the CRC's four come behind them. */
    public int length() {
        return length;
    }

    /** What kind of packet was begun last. */
    public PacketType type() {
        return type;
    }
}
