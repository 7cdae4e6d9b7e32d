package io.verbena.nic.link;

import io.verbena.rc.packet.PacketView;

/** Sizes of what a link carries. */
final class Packet {
    /** A base transport header and a CRC: no packet is shorter. */
    static final int MIN_BYTES = 12 + PacketView.ICRC_BYTES;
    /** Room for the longest, in whole cache lines, with some bytes more by which a longer one is known. */
    static final int ROOM_BYTES = PacketView.MAX_BYTES + 64 & -64;

    private Packet() {}
}
