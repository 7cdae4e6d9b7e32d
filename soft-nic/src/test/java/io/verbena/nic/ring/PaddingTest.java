package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

/** What different threads write lies on different cache lines, however the JVM lays objects out. */
class PaddingTest {
    private static final long LINE = 64;
    private static final long LEAST_HEADER = 8;

    /** The bytes that the fields of a class itself take. */
    private record Range(String name, long first, long end) {
        static Range of(Class<?> type) {
            long first = Long.MAX_VALUE;
            long end = 0;
            for (Field field : fields(type)) {
                long at = UnsafeApi.objectFieldOffset(field);
                first = Math.min(first, at);
                end = Math.max(end, at + (field.getType() == long.class ? Long.BYTES : Integer.BYTES));
            }
            return new Range(type.getSimpleName(), first, end);
        }
    }

    private static Field[] fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers())).toArray(Field[]::new);
    }

    /** Last byte of one and first byte of the other are never on one line. */
    private static void assertApart(Range one, Range other) {
        long gap = one.first < other.first ? other.first - one.end : one.first - other.end;
        assertTrue(gap >= LINE - Long.BYTES, one + " and " + other + " are " + gap + " bytes apart");
    }

    @Test
    void producerAndConsumerOfALaneAreApart() {
        Range producer = Range.of(LaneProducer.class);
        assertApart(producer, Range.of(LaneConsumer.class));
        assertApart(Range.of(LaneShared.class), producer);
        assertApart(Range.of(LaneShared.class), Range.of(LaneConsumer.class));
    }

    @Test
    void receiveLaneKeepsItsOwnAwayFromTheProducer() {
        assertApart(Range.of(LaneProducer.class), Range.of(ReceiveLane.class));
    }

    @Test
    void wordsOfPostersAreAwayFromNeighbours() {
        for (Class<?> words : new Class<?>[] {SendQueueFields.class, ReceiveQueueFields.class}) {
            Class<?> whole = words == SendQueueFields.class ? SendQueue.class : ReceiveQueue.class;
            Range range = Range.of(words);
            assertTrue(range.first >= LINE - LEAST_HEADER, range.toString());
            assertTrue(Range.of(whole).end - range.end >= LINE - Long.BYTES, range + " in " + Range.of(whole));
        }
    }
}
