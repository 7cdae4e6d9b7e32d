package io.verbena.rc.packet;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.agrona.UnsafeApi;

/**
 * The invariant CRC of packets in one piece of native memory (IBA 7.8.1, Annex A17.3.3). They are hashed by the
 * JVM's own CRC32, which uses the processor's instructions and beats tables from 24 bytes on. Allocates nothing; one
 * thread at a time.
 *
 * <p>A receiver on a UDP socket does not see the identification of an IPv4 header, which the CRC covers.
 * {@link #verify} accepts a packet if <em>some</em> identification makes its CRC right; a damaged packet passes with a
 * chance of 2^-16 then instead of 2^-32. Over IPv6 everything is known.
 */
public final class Icrc {
    /** FECN, BECN and reserved bits: not covered. */
    private static final int VARIANT_OFFSET = 4;

    private final long base;
    private final ByteBuffer packets;
    private final CRC32 crc = new CRC32();

    /**
     * Makes the CRC of packets in some memory.
     *
     * @param memory private native memory in which all packets lie; less than 2 GiB
     */
    public Icrc(MemorySegment memory) {
        base = memory.address();
        packets = memory.asByteBuffer();
    }

    /**
     * Computes the CRC of a packet.
     *
     * @param path between which addresses it goes
     * @param address of its first byte
     * @param length bytes without the CRC: a multiple of four, 12 or more
     * @param identification of the IPv4 header, 0 for IPv6
     * @return the value, which is written least significant byte first
     */
    public int compute(IcrcPath path, long address, int length, int identification) {
        return body(address, length) ^ path.part(length) ^ IcrcPath.identificationPart(identification, length);
    }

    /**
     * Writes the CRC behind a packet.
     *
     * @param path between which addresses it goes
     * @param address of its first byte
     * @param length bytes without the CRC: a multiple of four, 12 or more
     * @param identification of the IPv4 header it will have, 0 for IPv6
     * @return bytes with the CRC
     */
    public int seal(IcrcPath path, long address, int length, int identification) {
        int value = compute(path, address, length, identification);
        UnsafeApi.putIntUnaligned(null, address + length, value, false);
        return length + PacketView.ICRC_BYTES;
    }

    /**
     * Checks the CRC of a packet whose IPv4 identification is not known.
     *
     * @param path between which addresses it came
     * @param address of its first byte
     * @param length bytes with the CRC
     * @return false when it was damaged
     */
    public boolean verify(IcrcPath path, long address, int length) {
        int covered = length - PacketView.ICRC_BYTES;
        if (covered < PacketType.BTH_BYTES || length > PacketView.MAX_BYTES || !Crc.knows(covered)) {
            return false;
        }
        int received = UnsafeApi.getIntUnaligned(null, address + covered, false);
        int difference = received ^ body(address, covered) ^ path.part(covered);
        return difference == 0 || path.hasIdentification() && IcrcPath.explainsDifference(difference, covered);
    }

    private int body(long address, int length) {
        byte variant = UnsafeApi.getByte(address + VARIANT_OFFSET);
        UnsafeApi.putByte(address + VARIANT_OFFSET, (byte) 0xFF);
        int start = (int) (address - base);
        packets.limit(start + length).position(start);
        crc.reset();
        crc.update(packets);
        UnsafeApi.putByte(address + VARIANT_OFFSET, variant);
        return (int) crc.getValue();
    }
}
