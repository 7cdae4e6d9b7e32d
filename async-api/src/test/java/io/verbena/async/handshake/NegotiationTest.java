package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What two ends agree on. */
class NegotiationTest {
    private static final byte[] NONCE = new byte[Opening.NONCE_BYTES];

    @Test
    void takesTheSmallerWhereBothTakePartAndThePeersWhereItReceives() {
        var here = new Limits(4096, 16, 100, 4096, 1 << 30, 1000);
        var there = new Limits(1024, 20, 50, 8192, 1 << 20, 3000);
        var mine = Hellos.of(1, Hellos.PLACE, here, 0b0111, 0b0001);
        var theirs = Hellos.of(2, Hellos.PLACE, there, 0b1101, 0b0100);
        assertEquals(new Agreement(1, 1024, 16, 1 << 20, 0b0101, there), Negotiation.agree(1, mine, theirs));
        assertEquals(new Agreement(1, 1024, 16, 1 << 20, 0b0101, here), Negotiation.agree(1, theirs, mine));
    }

    @Test
    void bothEndsComeToTheSame() {
        var random = new Random(3);
        for (var i = 0; i < 1000; i++) {
            var one = Hellos.random(random);
            var other = Hellos.random(random);
            var place = one.place();
            var mine = Hellos.of(1, place, one.limits(), one.capabilities(), 0);
            var theirs = Hellos.of(2, place, other.limits(), other.capabilities(), 0);
            var here = Negotiation.agree(1, mine, theirs);
            var there = Negotiation.agree(1, theirs, mine);
            assertEquals(here.mtuBytes(), there.mtuBytes());
            assertEquals(here.rdAtomic(), there.rdAtomic());
            assertEquals(here.maxMessageBytes(), there.maxMessageBytes());
            assertEquals(here.capabilities(), there.capabilities());
            assertTrue(here.mtuBytes() <= one.limits().mtuBytes() && here.mtuBytes() <= other.limits().mtuBytes());
        }
    }

    @Test
    void refusesDevicesOnDifferentLinks() {
        var e = refusal(Hellos.of(1, new Place("shm", 7), Hellos.LIMITS, 0, 0),
                Hellos.of(2, new Place("rocev2", 0), Hellos.LIMITS, 0, 0));
        assertEquals(FailureKind.LINK, e.kind());
        assertTrue(e.getMessage().contains("shm") && e.getMessage().contains("rocev2"), e.getMessage());
    }

    @Test
    void refusesDevicesInDifferentRealms() {
        var e = refusal(Hellos.of(1, new Place("shm", 7), Hellos.LIMITS, 0, 0),
                Hellos.of(2, new Place("shm", 8), Hellos.LIMITS, 0, 0));
        assertEquals(FailureKind.LINK, e.kind());
    }

    @Test
    void refusesWhatOneEndRequiresAndTheOtherLacks() {
        var plain = Hellos.of(1, Hellos.PLACE, Hellos.LIMITS, 0b01, 0);
        var demanding = Hellos.of(2, Hellos.PLACE, Hellos.LIMITS, 0b11, 0b10);
        assertEquals(FailureKind.CAPABILITY, refusal(plain, demanding).kind());
        assertEquals(FailureKind.CAPABILITY, refusal(demanding, plain).kind());
        assertTrue(refusal(plain, demanding).getMessage().contains("0x2"));
    }

    @Test
    void takesTheNewestVersionOfBoth() {
        assertEquals(3, Negotiation.version(versions(1, 3), versions(2, 9)));
        assertEquals(2, Negotiation.version(versions(2, 2), versions(1, 2)));
    }

    @Test
    void refusesVersionsWithNothingInCommon() {
        var e = assertThrows(
                HandshakeException.class, () -> Negotiation.version(versions(1, 1), versions(2, 4)));
        assertEquals(FailureKind.VERSION, e.kind());
        assertTrue(e.getMessage().contains("1 to 1") && e.getMessage().contains("2 to 4"), e.getMessage());
    }

    @Test
    void refusesImpossibleLimits() {
        for (var mtu : new int[] {0, -4096, 128, 1000, 8192, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> new Limits(mtu, 1, 1, 1, 1, 1));
        }
        assertThrows(IllegalArgumentException.class, () -> new Limits(256, 256, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Limits(256, 1, -1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Limits(256, 1, 1, 1, Long.MAX_VALUE, 1));
    }

    private static Opening versions(int min, int max) {
        return new Opening(min, max, false, NONCE);
    }

    private static HandshakeException refusal(Hello mine, Hello theirs) {
        return assertThrows(HandshakeException.class, () -> Negotiation.agree(1, mine, theirs));
    }
}
