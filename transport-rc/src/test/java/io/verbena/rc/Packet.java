package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import java.nio.ByteBuffer;

/**
 * A packet on its way in a test.
 *
 * @param number how many its sender sent before it
 * @param to where it goes
 * @param bytes from the base transport header to the place of the CRC
 */
record Packet(int number, Node to, byte[] bytes) {
    PacketType type() {
        return PacketType.ofCode(bytes[0] & 0xFF);
    }

    int psn() {
        return ByteBuffer.wrap(bytes).getInt(8) & 0xFFFFFF;
    }

    boolean isAckRequested() {
        return bytes[8] < 0;
    }

    int syndrome() {
        return bytes[12] & 0xFF;
    }

    @Override
    public String toString() {
        String aeth = type().hasAeth() ? " syndrome 0x" + Integer.toHexString(syndrome()) : "";
        return "to " + to + " " + type() + " psn " + psn() + " " + bytes.length + " bytes" + aeth;
    }
}
