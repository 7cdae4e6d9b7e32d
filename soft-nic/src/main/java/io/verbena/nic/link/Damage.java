package io.verbena.nic.link;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import org.agrona.UnsafeApi;

/**
 * Damages packets on purpose, so that a receiver can tell: not in the byte that the CRC does not cover, and not in a
 * bit that another IPv4 identification would account for (there is one in about 65,536, see {@link Icrc}; on a real
 * wire the UDP checksum, which this passes by, would find it).
 */
final class Damage {
    private final Icrc icrc;

    Damage(Icrc icrc) {
        this.icrc = icrc;
    }

    /**
     * Flips a bit of a sealed packet, or the next one that can be told.
     *
     * @param path where it goes
     * @param address its first byte
     * @param bytes its length with its CRC
     * @param bit 0 or more
     */
    void flip(IcrcPath path, long address, int bytes, int bit) {
        int bits = bytes * Byte.SIZE;
        int candidate = bit % bits;
        flip(address, candidate);
        while (icrc.verify(path, address, bytes)) {
            flip(address, candidate);
            candidate = (candidate + 1) % bits;
            flip(address, candidate);
        }
    }

    private static void flip(long address, int bit) {
        long at = address + (bit >>> 3);
        UnsafeApi.putByte(at, (byte) (UnsafeApi.getByte(at) ^ 1 << (bit & 7)));
    }
}
