package io.verbena.async.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * One message of the handshake. On the wire, big-endian: "VRBN", type, a zero, the length of the contents in 2 bytes,
 * contents.
 *
 * @param type what it says
 * @param contents up to 4096 bytes
 */
record Frame(FrameType type, byte[] contents) {
    static final int MAGIC = 0x5652_424E;
    static final int HEADER_BYTES = 8;
    static final int MAX_CONTENTS = 4096;

    static Frame of(FrameType type) {
        return new Frame(type, new byte[0]);
    }

    ByteBuf encode(ByteBufAllocator allocator) {
        assert contents.length <= MAX_CONTENTS;
        return allocator.buffer(HEADER_BYTES + contents.length)
                .writeInt(MAGIC)
                .writeByte(type.code())
                .writeByte(0)
                .writeShort(contents.length)
                .writeBytes(contents);
    }
}
