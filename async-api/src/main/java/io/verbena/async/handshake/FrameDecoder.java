package io.verbena.async.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** Cuts bytes from outside into frames. What isn't a frame ends it: nothing after that is looked at. */
final class FrameDecoder extends ByteToMessageDecoder {
    private static final int TLS_ALERT = 0x15;
    private static final int TLS_HANDSHAKE = 0x16;

    private boolean broken;

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        try {
            checkStart(in);
            if (in.readableBytes() < Frame.HEADER_BYTES) {
                return;
            }
            var length = in.getUnsignedShort(in.readerIndex() + 6);
            var type = FrameType.ofCode(in.getUnsignedByte(in.readerIndex() + 4));
            if (length > Frame.MAX_CONTENTS) {
                throw new HandshakeException(
                        FailureKind.PROTOCOL,
                        "a frame of " + length + " bytes; allowed: up to " + Frame.MAX_CONTENTS);
            }
            if (in.readableBytes() >= Frame.HEADER_BYTES + length) {
                var contents = new byte[length];
                in.skipBytes(Frame.HEADER_BYTES).readBytes(contents);
                out.add(new Frame(type, contents));
            }
        } catch (HandshakeException e) {
            broken = true;
            in.skipBytes(in.readableBytes());
            throw e;
        }
    }

    /** Looks at the first bytes one by one, so that a stranger isn't waited for. */
    private static void checkStart(ByteBuf in) {
        for (var i = 0; i < Math.min(Integer.BYTES, in.readableBytes()); i++) {
            var found = in.getUnsignedByte(in.readerIndex() + i);
            if (found != (Frame.MAGIC >>> 24 - 8 * i & 0xFF)) {
                if (i == 0 && (found == TLS_ALERT || found == TLS_HANDSHAKE)) {
                    throw new HandshakeException(
                            FailureKind.TLS, "the other end speaks TLS and this one doesn't; configure it at both");
                }
                throw new HandshakeException(
                        FailureKind.PROTOCOL,
                        "what came doesn't start like a frame of Verbena's handshake; is it the right port?");
            }
        }
    }
}
