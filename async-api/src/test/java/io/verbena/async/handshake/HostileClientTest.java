package io.verbena.async.handshake;

import static io.verbena.async.handshake.Bench.failure;
import static io.verbena.async.handshake.TestAcceptor.next;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server deals with clients that mean no good, and keeps serving the others. */
class HostileClientTest {
    private static final HandshakeOptions PLAIN = HandshakeOptions.DEFAULT;
    private static final SharedSecret SECRET = SharedSecret.of("a secret of some length".getBytes());

    @Test
    void whatIsNoFrameIsRefusedAtItsFirstByte() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.write("G".getBytes(StandardCharsets.US_ASCII));
            assertEquals(FailureKind.PROTOCOL, peer.readRefusal().kind());
            assertEquals(FailureKind.PROTOCOL, next(bench.acceptor.refusals).kind());
            bench.join(PLAIN);
        }
    }

    @Test
    void whoGoesOnTalkingWhenRefusedHearsTheLastWord() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.write(new byte[1]);
            peer.awaitSomething();
            // Once another client has come through the same thread, a socket closed too early is closed for good.
            bench.join(PLAIN);
            for (var i = 0; i < 20; i++) {
                peer.write(new byte[1000]);
            }
            assertEquals(FailureKind.PROTOCOL, peer.readRefusal().kind());
        }
    }

    @Test
    void framesThatAreTooLongAreRefusedBeforeTheyCome() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.write(RawPeer.frame(FrameType.OPEN.code(), Frame.MAX_CONTENTS + 1, new byte[0]));
            assertTrue(peer.readRefusal().message().contains("4097"));
        }
    }

    @Test
    void framesOfUnknownTypeAreRefused() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.write(RawPeer.frame(99, 0, new byte[0]));
            assertEquals(FailureKind.PROTOCOL, peer.readRefusal().kind());
        }
    }

    @Test
    void framesOutOfTurnAreRefused() throws Exception {
        for (var type : FrameType.values()) {
            if (type == FrameType.REFUSED) {
                continue;
            }
            try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
                if (type != FrameType.READY) {
                    peer.hello();
                }
                peer.write(type, new byte[0]);
                var refusal = peer.readRefusal();
                assertEquals(FailureKind.PROTOCOL, refusal.kind(), type::toString);
                assertTrue(refusal.message().contains(type.toString()), refusal.message());
            }
        }
    }

    @Test
    void aClientOfAnotherVersionIsAVersionErrorAtBothEnds() throws Exception {
        try (var bench = new Bench(PLAIN); var peer = RawPeer.connect(bench.server.address())) {
            peer.write(FrameType.OPEN, new byte[] {0, 7, 0, 9, 0});
            var refusal = peer.readRefusal();
            assertEquals(FailureKind.VERSION, refusal.kind());
            assertTrue(refusal.message().contains("7 to 9"), refusal.message());
            assertEquals(FailureKind.VERSION, next(bench.acceptor.refusals).kind());
        }
    }

    @Test
    void clientsThatDribbleEndWithTheTimeLimit() throws Exception {
        try (var bench = new Bench(PLAIN.withTimeout(Duration.ofMillis(400)));
                var silent = RawPeer.connect(bench.server.address());
                var dribbling = RawPeer.connect(bench.server.address())) {
            var start = System.nanoTime();
            dribbling.write(RawPeer.frame(FrameType.OPEN.code(), 37, new byte[12]));
            assertEquals(FailureKind.TIMEOUT, silent.readRefusal().kind());
            assertEquals(FailureKind.TIMEOUT, dribbling.readRefusal().kind());
            silent.awaitEnd();
            dribbling.awaitEnd();
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
        }
    }

    @Test
    void silentClientsKeepNobodyOut() throws Exception {
        try (var bench = new Bench(PLAIN.withMaxPending(4).withTimeout(Duration.ofSeconds(60)))) {
            var silent = new ArrayList<RawPeer>();
            for (var i = 0; i < 40; i++) {
                silent.add(RawPeer.connect(bench.server.address()));
            }
            bench.join(PLAIN);
            for (var peer : silent.subList(0, 36)) {
                assertEquals(FailureKind.FULL, peer.readRefusal().kind());
                peer.awaitEnd();
            }
            for (var peer : silent) {
                peer.close();
            }
        }
    }

    @Test
    void whoComesWhenAllPlacesAreTakenInEarnestIsToldSo() throws Exception {
        try (var bench = new Bench(PLAIN.withMaxPending(2))) {
            var go = new CountDownLatch(1);
            bench.acceptor.answer = theirs -> {
                try {
                    assertTrue(go.await(TestAcceptor.DEADLINE_SECONDS, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return Hellos.of(1);
            };
            var first = bench.connect(PLAIN);
            var second = bench.connect(PLAIN);
            next(bench.acceptor.offers);
            next(bench.acceptor.offers);
            var e = failure(bench.connect(PLAIN));
            assertEquals(FailureKind.FULL, e.kind());
            assertTrue(e.byPeer() && e.getMessage().contains("limit"), e.getMessage());
            assertEquals(FailureKind.FULL, next(bench.acceptor.refusals).kind());
            go.countDown();
            Bench.get(Bench.get(first).ready());
            Bench.get(Bench.get(second).ready());
            bench.join(PLAIN);
        }
    }

    @Test
    void clientsThatLeaveAtAnyStepLeaveTheirPlace() throws Exception {
        try (var bench = new Bench(PLAIN.withMaxPending(1))) {
            for (var round = 0; round < 20; round++) {
                try (var peer = RawPeer.connect(bench.server.address())) {
                    peer.write(new byte[] {'V', 'R'});
                }
                next(bench.acceptor.refusals);
                try (var peer = RawPeer.connect(bench.server.address())) {
                    peer.open(false);
                }
                assertEquals(FailureKind.ENDED, next(bench.acceptor.refusals).kind());
                try (var peer = RawPeer.connect(bench.server.address())) {
                    peer.hello();
                }
                assertEquals(FailureKind.ENDED, next(bench.acceptor.failures).kind());
            }
            bench.join(PLAIN);
        }
    }

    @Test
    void aRecordedProofIsWorthNothing() throws Exception {
        try (var bench = new Bench(PLAIN.withSecret(SECRET))) {
            byte[] opening;
            byte[] recorded;
            try (var honest = RawPeer.connect(bench.server.address())) {
                opening = Opening.ofThisVersion(true).encode();
                honest.say(FrameType.OPEN, opening);
                honest.transcript.add(FrameType.CHALLENGE, honest.read().contents());
                var hello = HelloCodec.encode(Hellos.of(1));
                honest.transcript.add(FrameType.HELLO, hello);
                recorded = new SignedHello(hello, SECRET.proof(Role.CLIENT, honest.transcript)).encode();
                honest.write(FrameType.HELLO, recorded);
                assertEquals(FrameType.ANSWER, honest.read().type());
            }
            try (var replaying = RawPeer.connect(bench.server.address())) {
                replaying.write(FrameType.OPEN, opening);
                replaying.read();
                replaying.write(FrameType.HELLO, recorded);
                assertEquals(FailureKind.SECRET, replaying.readRefusal().kind());
            }
            assertEquals(1, bench.acceptor.offers.size());
        }
    }

    @Test
    void aHelloThatWasChangedUnderWayIsRefused() throws Exception {
        try (var bench = new Bench(PLAIN.withSecret(SECRET)); var peer = RawPeer.connect(bench.server.address())) {
            peer.open(true);
            var hello = HelloCodec.encode(Hellos.of(1));
            peer.transcript.add(FrameType.HELLO, hello);
            var proof = SECRET.proof(Role.CLIENT, peer.transcript);
            hello[35] ^= 1;
            peer.write(FrameType.HELLO, new SignedHello(hello, proof).encode());
            assertEquals(FailureKind.SECRET, peer.readRefusal().kind());
        }
    }

    @Test
    void anySequenceOfBytesEndsAndTheServerGoesOn() throws Exception {
        var random = new Random(4);
        try (var bench = new Bench(PLAIN.withTimeout(Duration.ofSeconds(2)).withMaxPending(8))) {
            for (var round = 0; round < 150; round++) {
                try (var peer = RawPeer.connect(bench.server.address())) {
                    if (random.nextBoolean()) {
                        peer.open(random.nextBoolean());
                    }
                    for (var i = random.nextInt(4); i >= 0; i--) {
                        var contents = Hellos.bytes(random, random.nextInt(200));
                        peer.write(random.nextInt(8) == 0
                                ? contents
                                : RawPeer.frame(random.nextInt(1, 9), contents.length, contents));
                    }
                } catch (SocketException e) {
                    // The server had closed it before everything was written.
                    continue;
                }
            }
            bench.join(PLAIN);
            assertEquals(1, bench.acceptor.links.size());
        }
    }
}
