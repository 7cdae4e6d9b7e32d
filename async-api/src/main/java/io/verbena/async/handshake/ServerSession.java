package io.verbena.async.handshake;

import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;

/** The server's side of a handshake. */
final class ServerSession extends Session {
    private final Acceptor acceptor;
    private final Places places;
    private final SocketAddress from;
    private Opening opening;
    private boolean admitted;
    private int version;
    private Answer answer;
    private Agreement agreement;

    ServerSession(
            HandshakeLoop loop,
            SharedSecret secret,
            SslContext tls,
            Acceptor acceptor,
            Places places,
            SocketAddress from) {
        super(loop, secret, tls);
        this.acceptor = acceptor;
        this.places = places;
        this.from = from;
    }

    /** Whether it has cost next to nothing so far, so that it may be dropped for somebody else. */
    boolean isStranger() {
        return answer == null && step() != Step.OFFER;
    }

    @Override
    void begin() {
        await(Step.OPEN);
        if (!admitted) {
            fail(places.full());
        }
    }

    /** There is a place for it, or it is to be told that there is none. */
    void admit(boolean hasPlace) {
        admitted = hasPlace;
    }

    @Override
    void leaving() {
        places.leave(this);
    }

    @Override
    void settled() {
        places.free(this);
    }

    @Override
    void onFrame(Frame frame) {
        switch (step()) {
            case OPEN -> onOpen(frame);
            case HELLO -> onHello(frame);
            case READY -> onReady(frame);
            default -> expect(frame, FrameType.REFUSED);
        }
    }

    private void onOpen(Frame frame) {
        expect(frame, FrameType.OPEN);
        opening = Opening.ofThisVersion(secret != null);
        var theirs = Opening.decode(frame.contents());
        version = Negotiation.version(opening, theirs);
        if (secret != null && !theirs.secret()) {
            throw new HandshakeException(
                    FailureKind.SECRET,
                    "this server has a shared secret and the client has none; give both the same one");
        }
        transcript.add(FrameType.OPEN, frame.contents());
        transcript.add(FrameType.CHALLENGE, opening.encode());
        send(new Frame(FrameType.CHALLENGE, opening.encode()));
        await(Step.HELLO);
    }

    private void onHello(Frame frame) {
        expect(frame, FrameType.HELLO);
        var signed = SignedHello.decode(frame.contents());
        transcript.add(FrameType.HELLO, signed.hello());
        if (secret != null && !secret.verify(Role.CLIENT, transcript, signed.proof())) {
            throw new HandshakeException(
                    FailureKind.SECRET, "the client doesn't know the shared secret; give both ends the same one");
        }
        var theirs = HelloCodec.decode(signed.hello());
        await(Step.OFFER);
        loop.workers().execute(() -> offer(theirs));
    }

    /** In a worker. */
    private void offer(Hello theirs) {
        try {
            var offered = acceptor.offer(theirs, version, from);
            loop.events().execute(() -> onOffered(theirs, offered));
        } catch (HandshakeException e) {
            loop.events().execute(() -> fail(e));
        } catch (RuntimeException e) {
            var why = new HandshakeException(FailureKind.FAILED, "this server can't make a queue pair: " + e, e);
            loop.events().execute(() -> fail(why));
        }
    }

    private void onOffered(Hello theirs, Answer offered) {
        if (isOver()) {
            loop.workers().execute(() -> offered.taker().failed(new HandshakeException(
                    FailureKind.ENDED,
                    "the client went away while this end made its queue pair, or that took too long")));
            return;
        }
        answer = offered;
        try {
            agreement = Negotiation.agree(version, offered.mine(), theirs);
            var hello = HelloCodec.encode(offered.mine());
            transcript.add(FrameType.ANSWER, hello);
            var proof = secret == null ? new byte[0] : secret.proof(Role.SERVER, transcript);
            send(new Frame(FrameType.ANSWER, new SignedHello(hello, proof).encode()));
            await(Step.READY);
        } catch (HandshakeException e) {
            fail(e);
        }
    }

    private void onReady(Frame frame) {
        expect(frame, FrameType.READY);
        await(Step.ESTABLISH);
        var link = linking();
        loop.workers().execute(() -> establish(link));
    }

    /** In a worker. */
    private void establish(ControlLink link) {
        try {
            answer.taker().established(link, agreement);
            loop.events().execute(() -> {
                if (!isOver()) {
                    linked();
                    send(Frame.of(FrameType.READY_ACK));
                }
            });
        } catch (RuntimeException e) {
            var why = e instanceof HandshakeException known
                    ? known
                    : new HandshakeException(FailureKind.FAILED, "this server can't take the connection: " + e, e);
            loop.events().execute(() -> fail(why));
            answer.taker().failed(why);
        }
    }

    @Override
    void failed(HandshakeException why) {
        loop.workers().execute(() -> {
            if (answer == null) {
                acceptor.refused(from, why);
            } else {
                answer.taker().failed(why);
            }
        });
    }
}
