package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the messages of ping-pong hold. */
class PingpongDataTest {
    private static byte[] message(PingpongData data, int size, boolean first) {
        byte[] bytes = new byte[size];
        data.fill(MemorySegment.ofArray(bytes), first);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(PingpongData.class)
    void whatWasFilledFits(PingpongData data) {
        for (int size : new int[] {0, 1, 4_096, 10_000}) {
            byte[] bytes = message(data, size, true);
            assertDoesNotThrow(() -> data.check(MemorySegment.ofArray(bytes), true));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_096, 5_000, 9_999})
    void anyOtherByteIsFound(int at) {
        for (PingpongData data : PingpongData.values()) {
            byte[] bytes = message(data, 10_000, false);
            bytes[at] ^= 0x10;
            String told = assertThrows(PerfException.class,
                    () -> data.check(MemorySegment.ofArray(bytes), false)).getMessage();
            assertEquals("invalid data in byte " + at + " of a message of 10000", told);
        }
    }

    @Test
    void pagesOfTheProgramsOfLibibverbsMayBeLarger() {
        byte[] bytes = message(PingpongData.PAGES, 200_000, false);
        for (int at = 0; at < bytes.length; at += 4_096) {
            bytes[at] = (byte) (at % 65_536 == 0 ? 0 : 0x7B);
        }
        assertDoesNotThrow(() -> PingpongData.PAGES.check(MemorySegment.ofArray(bytes), true));
    }
}
