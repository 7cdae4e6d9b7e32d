package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers as users write them. */
@Timeout(value = 10, unit = TimeUnit.SECONDS)
class OptionRangeTest {
    @Test
    void readsSuffixes() {
        assertEquals(64, OptionRange.SIZE.parse("64"));
        assertEquals(64 << 10, OptionRange.SIZE.parse("64k"));
        assertEquals(2 << 20, OptionRange.SIZE.parse("2M"));
        assertEquals(1 << 30, OptionRange.SIZE.parse(" 1g "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "k", "0", "-1", "1.5", "0x10", "1kk", "1t", "9223372036854775807g", "12x"})
    void refusesEverythingElse(String text) {
        BadOptionException refusal = assertThrows(BadOptionException.class, () -> OptionRange.SIZE.parse(text));
        assertEquals(true, refusal.getMessage().startsWith("-s is "));
    }

    @Test
    void takesSuffixesOnlyWhereTheyMakeSense() {
        assertThrows(BadOptionException.class, () -> OptionRange.ITERATIONS.parse("1k"));
    }

    @Test
    void saysWhatIsAllowed() {
        BadOptionException refusal = assertThrows(BadOptionException.class, () -> OptionRange.QPS.parse("0"));
        assertEquals("-q is 0; allowed: 1 to 16384 queue pairs", refusal.getMessage());
    }
}
