package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Hellos survive the wire, and whatever else comes from it gets an error of the right kind. */
class HelloCodecTest {
    private static final int ROUNDS = 20_000;

    @Test
    void everyHelloComesOutAsItWentIn() {
        var random = new Random(1);
        for (var i = 0; i < ROUNDS; i++) {
            var hello = Hellos.random(random);
            var bytes = HelloCodec.encode(hello);
            assertTrue(bytes.length + 2 + SharedSecret.PROOF_BYTES <= Frame.MAX_CONTENTS);
            assertEquals(hello, HelloCodec.decode(bytes));
        }
    }

    @Test
    void theLongestHelloFitsAFrame() {
        var features = new TreeMap<Integer, byte[]>();
        for (var i = 0; i < 8; i++) {
            features.put(Hello.LAST_FEATURE - i, new byte[Hello.MAX_FEATURE]);
        }
        var small = Hellos.of(1);
        var hello = new Hello(
                small.endpoint(), new Place("x".repeat(32), -1), small.limits(), -1, -1,
                new byte[Hello.MAX_PRIVATE_DATA], features);
        assertEquals(hello, HelloCodec.decode(HelloCodec.encode(hello)));
    }

    @Test
    void changedBytesGiveAHelloOrATypedError() {
        var random = new Random(2);
        var refused = 0;
        for (var i = 0; i < ROUNDS; i++) {
            var bytes = HelloCodec.encode(Hellos.random(random));
            for (var changes = random.nextInt(1, 5); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 50));
            }
            try {
                HelloCodec.decode(bytes);
            } catch (HandshakeException e) {
                assertTrue(e.kind() == FailureKind.PROTOCOL || e.kind() == FailureKind.CAPABILITY, e::toString);
                refused++;
            }
        }
        assertTrue(refused > ROUNDS / 10, "only " + refused + " were refused");
    }

    @Test
    void skipsFieldsItDoesNotKnow() {
        var hello = Hellos.of(5);
        var bytes = HelloCodec.encode(hello);
        var more = Arrays.copyOf(bytes, bytes.length + 6);
        more[bytes.length + 1] = 0x55;
        more[bytes.length + 3] = 2;
        assertEquals(hello, HelloCodec.decode(more));
    }

    @Test
    void refusesFieldsThatMustBeUnderstoodAndAreNot() {
        var bytes = HelloCodec.encode(Hellos.of(5));
        var more = Arrays.copyOf(bytes, bytes.length + 4);
        more[bytes.length] = (byte) 0x80;
        var e = assertThrows(HandshakeException.class, () -> HelloCodec.decode(more));
        assertEquals(FailureKind.CAPABILITY, e.kind());
        assertTrue(e.getMessage().contains("0x8000"), e.getMessage());
    }

    @Test
    void refusesFieldsThatComeTwice() {
        var bytes = HelloCodec.encode(Hellos.of(5));
        var more = Arrays.copyOf(bytes, bytes.length + 8);
        more[bytes.length + 1] = 0x55;
        more[bytes.length + 5] = 0x55;
        var e = assertThrows(HandshakeException.class, () -> HelloCodec.decode(more));
        assertEquals(FailureKind.PROTOCOL, e.kind());
        assertTrue(e.getMessage().contains("twice"), e.getMessage());
    }

    @Test
    void refusesEveryCutHello() {
        var bytes = HelloCodec.encode(Hellos.withPrivateData(Hellos.of(5), new byte[] {1, 2, 3}));
        for (var length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);
            if (length != bytes.length - 7) {
                var e = assertThrows(HandshakeException.class, () -> HelloCodec.decode(cut));
                assertEquals(FailureKind.PROTOCOL, e.kind());
            } else {
                assertEquals(0, HelloCodec.decode(cut).privateData().length, "cut between two fields");
            }
        }
    }

    @Test
    void refusesLongPrivateDataOnBothSides() {
        var hello = Hellos.of(5);
        var e = assertThrows(
                IllegalArgumentException.class,
                () -> Hellos.withPrivateData(hello, new byte[Hello.MAX_PRIVATE_DATA + 1]));
        assertTrue(e.getMessage().contains("513") && e.getMessage().contains("512"), e.getMessage());
    }

    @Test
    void showsNoPrivateData() {
        var hello = Hellos.withPrivateData(Hellos.of(5), "secret".getBytes());
        assertFalse(hello.toString().contains("secret"));
        assertTrue(hello.toString().contains("6 bytes"));
        assertNotEquals(hello, Hellos.of(5));
    }

    @Test
    void keepsFeaturesOfOthers() {
        var small = Hellos.of(1);
        var hello = new Hello(
                small.endpoint(), small.place(), small.limits(), 0, 0, new byte[0], Map.of(0x1234, new byte[] {9}));
        assertArrayEquals(new byte[] {9}, HelloCodec.decode(HelloCodec.encode(hello)).features().get(0x1234));
    }

    @Test
    void refusalsKeepTheirKindAndLoseControlCharacters() {
        var refusal = Refusal.decode(new Refusal(FailureKind.FULL, "a\u001b[31mb\u202ec").encode());
        assertEquals(new Refusal(FailureKind.FULL, "a[31mbc"), refusal);
        assertEquals(FailureKind.REJECTED, Refusal.decode(new byte[] {(byte) 200}).kind());
        assertEquals(FailureKind.REJECTED, Refusal.decode(new byte[0]).kind());
        assertEquals(512, Refusal.decode(new Refusal(FailureKind.LINK, "x".repeat(9999)).encode()).message().length());
    }

    @Test
    void kindsKeepTheirNumbers() {
        assertEquals(
                "1 REFUSED 2 UNREACHABLE 3 TIMEOUT 4 VERSION 5 CAPABILITY 6 LINK 7 SECRET 8 TLS 9 REJECTED 10 FULL "
                        + "11 PROTOCOL 12 ENDED 13 FAILED 14 CLOSED",
                String.join(
                        " ",
                        Arrays.stream(FailureKind.values()).map(k -> k.code() + " " + k).toList()));
        for (var kind : FailureKind.values()) {
            assertEquals(kind, FailureKind.ofCode(kind.code()));
        }
    }
}
