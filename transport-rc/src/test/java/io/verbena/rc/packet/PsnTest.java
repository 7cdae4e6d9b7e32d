package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Arithmetic of packet sequence numbers and acknowledge syndromes. */
class PsnTest {
    @Test
    void differencesWrapAtTwentyFourBits() {
        assertEquals(0, Psn.diff(5, 5));
        assertEquals(1, Psn.diff(0, 0xFFFFFF));
        assertEquals(-1, Psn.diff(0xFFFFFF, 0));
        assertEquals(0x7FFFFF, Psn.diff(0x7FFFFF, 0));
        assertEquals(-0x800000, Psn.diff(0x800000, 0));
        assertEquals(-0x800000, Psn.diff(0, 0x800000));
    }

    @Test
    void positionsFollowNumbersRoundTheCircle() {
        long position = 0xFFFFF0;
        for (int i = 0; i < 1 << 25; i += 0x1234) {
            assertEquals(position + i, Psn.position(position + i - 7, Psn.wire(position + i)));
            assertEquals(position + i, Psn.position(position + i + 7, Psn.wire(position + i)));
        }
        assertEquals(0, Psn.add(0xFFFFFF, 1));
        assertEquals(0xFFFFFF, Psn.add(0, -1));
    }

    @Test
    void messagesTakeOnePacketAtLeast() {
        assertEquals(1, Psn.packets(0, 256));
        assertEquals(1, Psn.packets(256, 256));
        assertEquals(2, Psn.packets(257, 256));
        assertEquals(1 << 23, Psn.packets(1L << 31, 256));
    }

    @Test
    void creditCodesRoundDown() {
        assertEquals(0, Syndrome.creditCode(0));
        assertEquals(4, Syndrome.creditCode(5));
        assertEquals(30, Syndrome.creditCode(1_000_000));
        for (int code = 0; code <= 30; code++) {
            assertEquals(code, Syndrome.creditCode(Syndrome.receives(code)));
        }
        assertEquals(-1, Syndrome.receives(Syndrome.UNLIMITED));
        assertEquals(Syndrome.RNR, Syndrome.kind(0x30));
        assertEquals(16, Syndrome.value(0x30));
    }
}
