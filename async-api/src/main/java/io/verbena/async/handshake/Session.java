package io.verbena.async.handshake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * What both ends of a handshake have in common: one time limit for everything, one end whatever happens, and last words
 * that arrive. Everything in it runs in the loop's thread.
 */
abstract class Session extends SimpleChannelInboundHandler<Frame> {
    private static final long LINGER_MILLIS = 5000;

    final HandshakeLoop loop;
    final SharedSecret secret;
    final Transcript transcript = new Transcript();

    private final SslContext tls;
    private Channel channel;
    private Step step = Step.CONNECTING;
    private Future<?> deadline;
    private ControlLink link;
    private boolean plainly;

    Session(HandshakeLoop loop, SharedSecret secret, SslContext tls) {
        this.loop = loop;
        this.secret = secret;
        this.tls = tls;
    }

    /** The channel is up, and safe if it is to be. */
    abstract void begin();

    /** A frame that is no refusal, in a step before LINKED. */
    abstract void onFrame(Frame frame);

    /** It failed; called once at most, and never after {@link #linked}. */
    abstract void failed(HandshakeException why);

    /** It failed, and its channel stays open for a moment, until the other end has heard so. */
    void leaving() {}

    /** Its handshake is done, or its channel is closed. */
    void settled() {}

    final Channel channel() {
        return channel;
    }

    final Step step() {
        return step;
    }

    final void await(Step next) {
        step = next;
    }

    final boolean isOver() {
        return step == Step.ENDED;
    }

    /** Everything has to be done by then; a session without a channel yet, too. */
    final void limit(long nanos) {
        loop.remember(this);
        deadline = loop.events().schedule(
                () -> fail(new HandshakeException(
                        FailureKind.TIMEOUT,
                        "the handshake took longer than " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms; it waited for "
                                + step.awaited())),
                nanos,
                TimeUnit.NANOSECONDS);
    }

    @Override
    public final void handlerAdded(ChannelHandlerContext context) {
        channel = context.channel();
    }

    /** Puts this session and what belongs before it into its channel. */
    final void install(Channel into, SslHandler handler) {
        if (handler != null) {
            // The session's own limit counts, from the first byte on.
            handler.setHandshakeTimeoutMillis(0);
            into.pipeline().addLast(handler);
        }
        into.pipeline().addLast(new FrameDecoder(), this);
    }

    @Override
    public final void channelActive(ChannelHandlerContext context) {
        if (isOver()) {
            context.close();
        } else if (tls == null) {
            begin();
        } else {
            step = Step.SECURING;
        }
    }

    @Override
    public final void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent secured && !isOver()) {
            if (secured.isSuccess()) {
                checkValid(context);
            } else {
                exceptionCaught(context, secured.cause());
            }
        }
    }

    /** Java's checks don't look at the dates of a certificate that is trusted by itself, so that is done here. */
    private void checkValid(ChannelHandlerContext context) {
        step = Step.SECURED;
        try {
            var session = context.pipeline().get(SslHandler.class).engine().getSession();
            for (var certificate : session.getPeerCertificates()) {
                ((X509Certificate) certificate).checkValidity();
            }
            begin();
        } catch (CertificateException | SSLException e) {
            fail(new HandshakeException(
                    FailureKind.TLS,
                    "the other end's certificate is out of date (" + e.getMessage() + "); renew it",
                    e));
        }
    }

    /** The other end speaks no TLS, and wouldn't understand a refusal in it. */
    final void refusePlainly() {
        plainly = true;
        fail(new HandshakeException(
                FailureKind.TLS, "this server speaks TLS and the client doesn't; configure it at both ends"));
    }

    @Override
    protected final void channelRead0(ChannelHandlerContext context, Frame frame) {
        try {
            if (step == Step.LINKED) {
                link.ended(frame.type() == FrameType.DISCONNECT ? ControlLink.End.DISCONNECTED : ControlLink.End.LOST);
                over();
                context.close();
            } else if (frame.type() == FrameType.REFUSED) {
                if (!isOver()) {
                    fail(HandshakeException.fromPeer(Refusal.decode(frame.contents())));
                }
            } else if (!isOver()) {
                onFrame(frame);
            }
        } catch (HandshakeException e) {
            fail(e);
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        var cause = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof HandshakeException known) {
            fail(known);
        } else if (cause instanceof SSLException) {
            fail(new HandshakeException(
                    FailureKind.TLS,
                    "TLS failed: " + cause.getMessage()
                            + "; check that both ends use it, trust each other's certificates, and that the server's "
                            + "is made out to the name the client connects to",
                    cause));
        } else if (cause instanceof IOException) {
            fail(gone(cause));
        } else {
            fail(new HandshakeException(FailureKind.FAILED, "this end broke off with " + cause, cause));
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        if (!isOver()) {
            fail(gone(null));
        }
        settled();
    }

    private HandshakeException gone(Throwable cause) {
        var awaited = "the other end went away while this one waited for " + step.awaited();
        if (tls != null && (step == Step.SECURING || step == Step.CHALLENGE)) {
            return new HandshakeException(
                    FailureKind.TLS,
                    awaited + "; most likely it doesn't trust this end's certificate, or speaks no TLS",
                    cause);
        }
        return new HandshakeException(FailureKind.ENDED, awaited, cause);
    }

    final void expect(Frame frame, FrameType type) {
        if (frame.type() != type) {
            throw new HandshakeException(
                    FailureKind.PROTOCOL,
                    "a frame " + frame.type() + " came while this end waited for " + step.awaited());
        }
    }

    final void send(Frame frame) {
        channel.writeAndFlush(frame.encode(channel.alloc()), channel.voidPromise());
    }

    /** From here on failures are the end of the link instead of a failure of the handshake. */
    final ControlLink linking() {
        link = new ControlLink(channel, this, loop.workers());
        return link;
    }

    /** Both ends have what they need. */
    final void linked() {
        step = Step.LINKED;
        deadline.cancel(false);
        loop.forget(this);
        settled();
    }

    /** Ends it, whatever step it is in; what comes after the end changes nothing. */
    final void fail(HandshakeException why) {
        if (isOver()) {
            return;
        }
        var was = step;
        over();
        if (link != null) {
            link.ended(ControlLink.End.LOST);
        }
        if (plainly) {
            channel.pipeline().remove(SslHandler.class);
        }
        var mute = was == Step.CONNECTING
                || was == Step.SECURING && !plainly
                || was == Step.LINKED
                || why.byPeer();
        if (channel != null && channel.isActive() && !mute) {
            lastWord(new Frame(FrameType.REFUSED, new Refusal(why.kind(), why.getMessage()).encode()));
            leaving();
        } else if (channel != null) {
            channel.close();
        }
        if (link == null) {
            failed(why);
        }
    }

    private void over() {
        step = Step.ENDED;
        loop.forget(this);
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    /** This end's own end of a link, in order. */
    final void disconnect() {
        if (!isOver() && channel.isActive()) {
            over();
            lastWord(Frame.of(FrameType.DISCONNECT));
        }
    }

    /**
     * Sends it and closes only once the other end has closed, or after five seconds: closing with bytes unread would
     * reset the connection, and the other end might lose what was said.
     */
    private void lastWord(Frame frame) {
        send(frame);
        var ssl = channel.pipeline().get(SslHandler.class);
        if (ssl != null) {
            ssl.closeOutbound();
        } else {
            ((SocketChannel) channel).shutdownOutput();
        }
        var close = loop.events().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> close.cancel(false));
    }
}
