package io.verbena.async.handshake;

import static io.verbena.async.handshake.Bench.failure;
import static io.verbena.async.handshake.Bench.get;
import static io.verbena.async.handshake.TestAcceptor.next;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two ends come together, or both learn why not. */
class HandshakeTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;
    private static final HandshakeOptions SECRET = PLAIN.withSecret(SharedSecret.of(new byte[16]));

    @Test
    void bothEndsLearnWhatTheOtherSaidAndAgree() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var answered = get(bench.connect(PLAIN));
            assertEquals(Bench.MINE, next(bench.acceptor.offers));
            assertEquals(0x222, answered.theirs().endpoint().qpNum());
            assertTrue(bench.acceptor.links.isEmpty(), "established before the client was ready");
            get(answered.ready());
            next(bench.acceptor.links);
            assertEquals(new Agreement(1, 4096, 16, 1 << 30, 0xF, Hellos.LIMITS), answered.agreement());
            assertEquals(answered.agreement(), next(bench.acceptor.agreements));
        }
    }

    @Test
    void theServerHasTakenTheConnectionBeforeTheClientMaySend() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var go = new CountDownLatch(1);
            var entered = new CountDownLatch(1);
            bench.acceptor.establishing = () -> {
                entered.countDown();
                await(go);
            };
            var ready = get(bench.connect(PLAIN)).ready();
            await(entered);
            // By the time that a whole conversation has passed the same threads, an early frame would have, too.
            get(bench.connect(PLAIN));
            assertFalse(ready.isDone());
            go.countDown();
            get(ready);
            assertEquals(1, bench.acceptor.links.size());
        }
    }

    @Test
    void aSecretThatBothKnowLetsThemIn() throws Exception {
        try (var bench = new Bench(SECRET)) {
            bench.join(SECRET);
            next(bench.acceptor.links);
        }
    }

    @Test
    void aWrongSecretIsASecretErrorAtBothEndsAndNoOffer() throws Exception {
        try (var bench = new Bench(SECRET)) {
            var other = new byte[16];
            other[15] = 1;
            var e = failure(bench.connect(PLAIN.withSecret(SharedSecret.of(other))));
            assertEquals(FailureKind.SECRET, e.kind());
            assertEquals(FailureKind.SECRET, next(bench.acceptor.refusals).kind());
            assertTrue(bench.acceptor.offers.isEmpty(), "a stranger cost a queue pair");
        }
    }

    @Test
    void aSecretThatOnlyOneEndHasIsASecretErrorAtBoth() throws Exception {
        try (var bench = new Bench(SECRET)) {
            var e = failure(bench.connect(PLAIN));
            assertEquals(FailureKind.SECRET, e.kind());
            assertTrue(e.byPeer());
            assertEquals(FailureKind.SECRET, next(bench.acceptor.refusals).kind());
        }
        try (var bench = new Bench(PLAIN)) {
            var e = failure(bench.connect(SECRET));
            assertEquals(FailureKind.SECRET, e.kind());
            assertFalse(e.byPeer());
            assertEquals(FailureKind.SECRET, next(bench.acceptor.refusals).kind());
            assertTrue(bench.acceptor.offers.isEmpty());
        }
    }

    @Test
    void devicesThatCannotReachEachOtherAreALinkErrorAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.acceptor.answer = theirs -> Hellos.of(9, new Place("rocev2", 0), Hellos.LIMITS, 0xF, 0);
            assertEquals(FailureKind.LINK, failure(bench.connect(PLAIN)).kind());
            assertEquals(FailureKind.LINK, next(bench.acceptor.failures).kind());
        }
    }

    @Test
    void aProgramThatDoesNotWantAClientIsHeardAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.acceptor.answer = theirs -> {
                throw new HandshakeException(FailureKind.REJECTED, "not on Mondays");
            };
            var e = failure(bench.connect(PLAIN));
            assertEquals(FailureKind.REJECTED, e.kind());
            assertTrue(e.getMessage().contains("not on Mondays"), e.getMessage());
            assertEquals(FailureKind.REJECTED, next(bench.acceptor.refusals).kind());
        }
    }

    @Test
    void aProgramThatBreaksIsAFailureAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.acceptor.answer = theirs -> {
                throw new IllegalStateException("no queue pair left");
            };
            var e = failure(bench.connect(PLAIN));
            assertEquals(FailureKind.FAILED, e.kind());
            assertTrue(e.getMessage().contains("no queue pair left"), e.getMessage());
            assertEquals(FailureKind.FAILED, next(bench.acceptor.refusals).kind());
        }
    }

    @Test
    void aConnectionThatIsNotTakenAfterAllIsTakenApart() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.acceptor.establishing = () -> {
                throw new HandshakeException(FailureKind.FULL, "nobody accepts");
            };
            var e = failure(get(bench.connect(PLAIN)).ready());
            assertEquals(FailureKind.FULL, e.kind());
            assertEquals(FailureKind.FULL, next(bench.acceptor.failures).kind());
            assertTrue(bench.acceptor.links.isEmpty());
        }
    }

    @Test
    void aClientThatGivesUpTellsTheServerWhy() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var answered = get(bench.connect(PLAIN));
            answered.refuse(new HandshakeException(FailureKind.FAILED, "can't connect it"));
            var e = next(bench.acceptor.failures);
            assertEquals(FailureKind.FAILED, e.kind());
            assertTrue(e.byPeer() && e.getMessage().contains("can't connect it"), e.getMessage());
            assertEquals(FailureKind.FAILED, failure(answered.ready()).kind());
        }
    }

    @Test
    void aCancelledClientTellsTheServer() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var go = new CountDownLatch(1);
            bench.acceptor.answer = theirs -> {
                await(go);
                return Hellos.of(1);
            };
            var answered = bench.connect(PLAIN);
            next(bench.acceptor.offers);
            answered.cancel(true);
            assertEquals(FailureKind.CLOSED, next(bench.acceptor.refusals).kind());
            go.countDown();
            assertEquals(FailureKind.ENDED, next(bench.acceptor.failures).kind());
        }
    }

    @Test
    void nobodyListeningIsRefused() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            bench.server.close();
            var e = failure(bench.connect(PLAIN));
            assertEquals(FailureKind.REFUSED, e.kind());
            assertTrue(e.getMessage().contains("start the server"), e.getMessage());
        }
    }

    @Test
    void aPortIsFreeWhenCloseReturns() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            for (var i = 0; i < 200; i++) {
                var server = HandshakeServer.bind(
                        bench.serverLoop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), PLAIN,
                        bench.acceptor);
                var address = server.address();
                server.close();
                assertThrows(ConnectException.class, () -> new Socket(address.getAddress(), address.getPort()).close());
            }
        }
    }

    @Test
    void anUnknownNameIsUnreachable() {
        try (var bench = new Bench(PLAIN)) {
            var nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
            var e = failure(bench.connect(PLAIN, nowhere, Bench.TIMEOUT));
            assertEquals(FailureKind.UNREACHABLE, e.kind());
            assertTrue(e.getMessage().contains("no-such-host.invalid"), e.getMessage());
        }
    }

    @Test
    void aServerThatNeverAnswersIsATimeoutWithinTheDeadline() throws Exception {
        try (var bench = new Bench(PLAIN);
                var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var start = System.nanoTime();
            var to = new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
            var e = failure(bench.connect(PLAIN, to, Duration.ofMillis(300)));
            var millis = (System.nanoTime() - start) / 1_000_000;
            assertEquals(FailureKind.TIMEOUT, e.kind());
            assertTrue(e.getMessage().contains("the server's first frame"), e.getMessage());
            assertTrue(millis >= 300 && millis < 5000, millis + " ms");
        }
    }

    @Test
    void anAcceptorThatTakesTooLongIsATimeoutAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN.withTimeout(Duration.ofMillis(300)))) {
            var go = new CountDownLatch(1);
            bench.acceptor.answer = theirs -> {
                await(go);
                return Hellos.of(1);
            };
            assertEquals(FailureKind.TIMEOUT, failure(bench.connect(PLAIN)).kind());
            assertEquals(FailureKind.TIMEOUT, next(bench.acceptor.refusals).kind());
            go.countDown();
            assertEquals(FailureKind.ENDED, next(bench.acceptor.failures).kind(), "what came late is taken apart");
        }
    }

    @Test
    void aClientThatIsNeverReadyIsATimeoutAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var answered = get(bench.connect(PLAIN, bench.server.address(), Duration.ofMillis(300)));
            var e = next(bench.acceptor.failures);
            assertEquals(FailureKind.TIMEOUT, e.kind());
            assertTrue(e.byPeer());
            assertEquals(FailureKind.TIMEOUT, failure(answered.ready()).kind());
        }
    }

    @Test
    void aPortInUseSaysSo() {
        try (var bench = new Bench(PLAIN)) {
            var e = assertThrows(
                    HandshakeException.class,
                    () -> HandshakeServer.bind(bench.serverLoop, bench.server.address(), PLAIN, bench.acceptor));
            assertEquals(FailureKind.FAILED, e.kind());
            assertTrue(e.getMessage().contains("another port"), e.getMessage());
        }
    }

    @Test
    void aServerThatClosesEndsWhatIsUnderWayAndLeavesWhatIsDone() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var done = bench.join(PLAIN);
            var ends = new LinkedBlockingQueue<ControlLink.End>();
            done.onEnd(ends::add);
            var answered = get(bench.connect(PLAIN));
            bench.server.close();
            assertEquals(FailureKind.CLOSED, failure(answered.ready()).kind());
            assertEquals(FailureKind.CLOSED, next(bench.acceptor.failures).kind());
            assertTrue(ends.isEmpty());
            next(bench.acceptor.links).disconnect();
            assertEquals(ControlLink.End.DISCONNECTED, next(ends));
        }
    }

    @Test
    void aLoopThatClosesEndsWhatIsUnderWay() throws Exception {
        try (var bench = new Bench(PLAIN)) {
            var go = new CountDownLatch(1);
            bench.acceptor.answer = theirs -> {
                await(go);
                return Hellos.of(1);
            };
            var answered = bench.connect(PLAIN);
            next(bench.acceptor.offers);
            bench.clientLoop.close();
            assertEquals(FailureKind.CLOSED, failure(answered).kind());
            go.countDown();
            next(bench.acceptor.failures);
        }
    }

    @Test
    void manyClientsAtOnceAllComeThrough() throws Exception {
        try (var bench = new Bench(SECRET)) {
            var links = new ArrayList<CompletableFuture<ControlLink>>();
            for (var i = 0; i < 200; i++) {
                links.add(bench.connect(SECRET).thenCompose(Answered::ready));
            }
            for (var link : links) {
                get(link);
            }
            for (var i = 0; i < 200; i++) {
                next(bench.acceptor.links);
            }
            assertArrayEquals(new Object[0], bench.acceptor.failures.toArray());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(TestAcceptor.DEADLINE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
