package io.verbena.nic.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Numbers of regions lead to their segments while the table grows and numbers are used again. */
class RegionTableTest {
    @Test
    void numbersLeadToTheirSegments() {
        Random random = new Random(1);
        RegionTable table = new RegionTable();
        Map<Integer, MemorySegment> model = new HashMap<>();
        int most = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(5) < 3) {
                MemorySegment segment = MemorySegment.ofAddress(i + 1);
                int number = table.add(segment);
                assertEquals(null, model.put(number, segment), "number in use");
            } else if (!model.isEmpty()) {
                int number = model.keySet().iterator().next();
                model.remove(number);
                table.remove(number);
            }
            most = Math.max(most, model.size());
        }
        model.forEach((number, segment) -> assertSame(segment, table.segment(number)));
        int largest = model.keySet().stream().mapToInt(number -> number).max().orElseThrow();
        assertTrue(largest < most, "numbers are not used again: " + largest + " with " + most + " regions at most");
    }
}
