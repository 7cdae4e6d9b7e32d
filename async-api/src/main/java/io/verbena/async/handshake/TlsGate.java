package io.verbena.async.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Looks at a client's first byte before TLS does, so that one that speaks none is told so in words it understands. */
final class TlsGate extends ChannelInboundHandlerAdapter {
    private static final int FIRST_OF_MAGIC = Frame.MAGIC >>> 24;

    private final Session session;

    TlsGate(Session session) {
        this.session = session;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        var plain = message instanceof ByteBuf bytes
                && bytes.isReadable()
                && bytes.getUnsignedByte(bytes.readerIndex()) == FIRST_OF_MAGIC;
        context.pipeline().remove(this);
        if (plain) {
            session.refusePlainly();
        }
        context.fireChannelRead(message);
    }
}
