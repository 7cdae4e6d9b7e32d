package io.verbena.rc.memory;

import static io.verbena.rc.memory.MemoryTable.REMOTE;
import static io.verbena.rc.memory.TableFixture.DOMAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The range check of a key, at its edges and where numbers wrap. */
@Timeout(30)
class RangeCheckTest {
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    private static boolean covers(long iova, long size, long address, long length) {
        try (TableFixture fixture = TableFixture.random(1, 1)) {
            int key = fixture.table.insert(TableFixture.entry(iova, size), REMOTE);
            return MemorySlot.covers(fixture.table.find(key, REMOTE, DOMAIN), address, length);
        }
    }

    @ParameterizedTest
    @CsvSource({
        // iova, size, address, length, covered
        "1000, 100, 1000, 100, true",
        "1000, 100, 1000, 101, false",
        "1000, 100,  999,   1, false",
        "1000, 100,  999, 100, false",
        "1000, 100, 1099,   1, true",
        "1000, 100, 1099,   2, false",
        "1000, 100, 1100,   1, false",
        "1000, 100, 1100,   0, true",
        "1000, 100, 1101,   0, false",
        "1000, 100, 1000,   0, true",
        "1000, 100,  999,   0, false",
        "1000, 100, 1050,  -1, false",
        "1000, 100, 1050, -9223372036854775808, false",
        "1000, 100, -1000, 2100, false",
        "1000,   0, 1000,   0, true",
        "1000,   0, 1000,   1, false",
        "   0, 100,    0, 100, true",
        "   0, 100,   -1,   1, false",
        "   0, 100,   -1,   2, false",
        " -100, 100, -100, 100, true",
        " -100, 100,   -1,   1, true",
        " -100, 100,   -1,   2, false",
        " -100, 100,    0,   0, true",
        " -100, 100,    0,   1, false",
        " -100,  99,   -1,   1, false",
        "   0, 9223372036854775807, 0, 9223372036854775807, true",
        "   0, 9223372036854775807, 1, 9223372036854775807, false",
        "   0, 9223372036854775807, 9223372036854775807, 0, true",
        "   0, 9223372036854775807, 9223372036854775806, 1, true",
        "   1, 9223372036854775807, -9223372036854775808, 0, true",
        "   1, 9223372036854775807, -9223372036854775808, 1, false",
    })
    void checksRangesWithoutOverflow(long iova, long size, long address, long length, boolean covered) {
        assertEquals(covered, covers(iova, size, address, length));
    }

    @Test
    void agreesWithUnboundedArithmetic() {
        long seed = 20_260_101;
        Random random = new Random(seed);
        long[] edges = {0, 1, 2, 7, 100, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE, -1, -2, -100};
        int tried = 0;
        while (tried < 20_000) {
            long iova = edges[random.nextInt(edges.length)] + random.nextInt(3) - 1;
            long size = edges[random.nextInt(edges.length)];
            if (size < 0 || unsigned(iova).add(unsigned(size)).compareTo(TWO_64) > 0) {
                continue;
            }
            tried++;
            long address = random.nextBoolean() ? iova + random.nextInt(5) - 2 : iova + size + random.nextInt(5) - 2;
            long length = edges[random.nextInt(edges.length)];
            BigInteger first = unsigned(address);
            BigInteger end = first.add(unsigned(length));
            boolean expected = first.compareTo(unsigned(iova)) >= 0
                    && end.compareTo(unsigned(iova).add(unsigned(size))) <= 0;
            // A region that ends at 2^64 also covers the empty range at its end, which is address 0.
            boolean atTheTop = address == 0 && length == 0 && iova + size == 0;
            assertEquals(expected || atTheTop, covers(iova, size, address, length),
                    () -> "seed " + seed + ": " + iova + " " + size + " " + address + " " + length);
        }
    }

    private static BigInteger unsigned(long value) {
        return value >= 0 ? BigInteger.valueOf(value) : BigInteger.valueOf(value).add(TWO_64);
    }

    @Test
    void refusesEntriesThatWrap() {
        assertThrows(IllegalArgumentException.class, () -> TableFixture.entry(-100, 101));
        assertThrows(IllegalArgumentException.class, () -> TableFixture.entry(-1, Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> TableFixture.entry(0, -1));
        assertEquals(100, TableFixture.entry(-100, 100).length());
    }
}
