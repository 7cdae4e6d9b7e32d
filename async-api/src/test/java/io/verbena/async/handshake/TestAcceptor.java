package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.net.SocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A program behind a server, which tells what happened to it. */
final class TestAcceptor implements Acceptor {
    static final long DEADLINE_SECONDS = 20;

    final BlockingQueue<Hello> offers = new LinkedBlockingQueue<>();
    final BlockingQueue<HandshakeException> refusals = new LinkedBlockingQueue<>();
    final BlockingQueue<HandshakeException> failures = new LinkedBlockingQueue<>();
    final BlockingQueue<ControlLink> links = new LinkedBlockingQueue<>();
    final BlockingQueue<Agreement> agreements = new LinkedBlockingQueue<>();

    volatile Function<Hello, Hello> answer = theirs -> Hellos.of(0x222);
    volatile Runnable establishing = () -> {};

    @Override
    public Answer offer(Hello theirs, int version, SocketAddress from) {
        offers.add(theirs);
        return new Answer(answer.apply(theirs), new Answer.Taker() {
            @Override
            public void established(ControlLink link, Agreement agreement) {
                establishing.run();
                agreements.add(agreement);
                links.add(link);
            }

            @Override
            public void failed(HandshakeException why) {
                failures.add(why);
            }
        });
    }

    @Override
    public void refused(SocketAddress from, HandshakeException why) {
        refusals.add(why);
    }

    static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        var next = queue.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(next, "nothing came within " + DEADLINE_SECONDS + " s");
        return next;
    }
}
