package io.verbena.async.handshake;

import io.netty.handler.ssl.SslContext;
import java.util.concurrent.CompletableFuture;

/** The client's side of a handshake. */
final class ClientSession extends Session {
    private final Hello mine;
    private final CompletableFuture<Answered> answered = new CompletableFuture<>();
    private final CompletableFuture<ControlLink> acknowledged = new CompletableFuture<>();
    private Opening opening;
    private int version;

    ClientSession(HandshakeLoop loop, SharedSecret secret, SslContext tls, Hello mine) {
        super(loop, secret, tls);
        this.mine = mine;
    }

    CompletableFuture<Answered> answered() {
        return answered;
    }

    @Override
    void begin() {
        opening = Opening.ofThisVersion(secret != null);
        say(FrameType.OPEN, opening.encode());
        await(Step.CHALLENGE);
    }

    private void say(FrameType type, byte[] contents) {
        transcript.add(type, contents);
        send(new Frame(type, contents));
    }

    @Override
    void onFrame(Frame frame) {
        switch (step()) {
            case CHALLENGE -> onChallenge(frame);
            case ANSWER -> onAnswer(frame);
            case ACK -> onAck(frame);
            default -> expect(frame, FrameType.REFUSED);
        }
    }

    private void onChallenge(Frame frame) {
        expect(frame, FrameType.CHALLENGE);
        var theirs = Opening.decode(frame.contents());
        version = Negotiation.version(opening, theirs);
        if (secret != null && !theirs.secret()) {
            throw new HandshakeException(
                    FailureKind.SECRET,
                    "this client has a shared secret and the server has none; give both the same one");
        }
        transcript.add(FrameType.CHALLENGE, frame.contents());
        var hello = HelloCodec.encode(mine);
        transcript.add(FrameType.HELLO, hello);
        var proof = secret == null ? new byte[0] : secret.proof(Role.CLIENT, transcript);
        send(new Frame(FrameType.HELLO, new SignedHello(hello, proof).encode()));
        await(Step.ANSWER);
    }

    private void onAnswer(Frame frame) {
        expect(frame, FrameType.ANSWER);
        var signed = SignedHello.decode(frame.contents());
        transcript.add(FrameType.ANSWER, signed.hello());
        if (secret != null && !secret.verify(Role.SERVER, transcript, signed.proof())) {
            throw new HandshakeException(
                    FailureKind.SECRET, "the server doesn't know the shared secret; give both ends the same one");
        }
        var theirs = HelloCodec.decode(signed.hello());
        var agreement = Negotiation.agree(version, mine, theirs);
        await(Step.LOCAL_READY);
        var answer = new Answered(this, theirs, agreement);
        loop.workers().execute(() -> answered.complete(answer));
    }

    private void onAck(Frame frame) {
        expect(frame, FrameType.READY_ACK);
        var link = linking();
        linked();
        loop.workers().execute(() -> acknowledged.complete(link));
    }

    CompletableFuture<ControlLink> ready() {
        loop.events().execute(() -> {
            if (step() == Step.LOCAL_READY) {
                await(Step.ACK);
                send(Frame.of(FrameType.READY));
            }
        });
        return acknowledged;
    }

    void refuse(HandshakeException why) {
        loop.events().execute(() -> fail(why));
    }

    @Override
    void failed(HandshakeException why) {
        loop.workers().execute(() -> {
            answered.completeExceptionally(why);
            acknowledged.completeExceptionally(why.again());
        });
    }
}
