package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;

/** Case 19: no byte is lost, doubled or misplaced under mixed traffic both ways. */
class Case19SequenceTest {
    private static final int FEW = 300;
    private static final int MANY = 30_000;
    private static final int AT_A_TIME = 20;

    @EveryLink
    void everyByteOfMixedTrafficArrivesOnce(String link) {
        soak(link, FEW);
    }

    @EveryLink
    @Tag("ci")
    void everyByteOfMuchMixedTrafficArrivesOnce(String link) {
        soak(link, MANY);
    }

    private static void soak(String link, int messages) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(7).withSends(16))
                .withMessages(MessageConfig.DEFAULT.withSlotBytes(1_024))
                .withBackPressure(BackPressure.queue(64));
        try (Ends ends = Ends.open(link, config)) {
            Random random = new Random(19);
            int[] arrived = new int[2];
            ends.left.onMessage(message -> check(message, arrived[0]++));
            ends.right.onMessage(message -> check(message, arrived[1]++));
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            List<LocalMemory> used = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                for (RdmaConnection from : new RdmaConnection[] {ends.left, ends.right}) {
                    int length = 4 + random.nextInt(3_000);
                    LocalMemory memory = from == ends.left ? ends.leftMemory(length) : ends.rightMemory(length);
                    MemorySegment bytes = memory.writable();
                    bytes.fill((byte) i);
                    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, i);
                    sent.add(from.send(memory));
                    used.add(memory);
                }
                if (i % AT_A_TIME == AT_A_TIME - 1) {
                    sent.forEach(ends::await);
                    used.forEach(LocalMemory::close);
                    sent.clear();
                    used.clear();
                }
            }
            ends.until(() -> arrived[0] == messages && arrived[1] == messages);
        }
    }

    private static void check(ReceivedMessage message, int number) {
        MemorySegment bytes = message.segment();
        assertEquals(number, bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        for (long i = 4; i < bytes.byteSize(); i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != (byte) number) {
                throw new AssertionError("byte " + i + " of message " + number);
            }
        }
    }
}
