package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gives lengths that are not allowed is told both numbers. */
class LengthsTest {
    private Ends ends;
    private LocalMemory local;
    private RemoteMemory remote;

    @BeforeEach
    void open() {
        ends = Ends.open("soft", ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withMaxBytes(5_000)));
        local = ends.leftMemory(6_001);
        remote = ends.rightMemory(8_002).expose(Ends.REMOTE).remote();
    }

    @AfterEach
    void close() {
        ends.close();
    }

    private static void says(RdmaFuture<?> future, String... numbers) {
        String why = assertInstanceOf(IllegalArgumentException.class, future.exceptionNow()).getMessage();
        for (String each : numbers) {
            assertTrue(why.contains(each), why);
        }
    }

    @Test
    void ofAReadOrAWrite() {
        says(ends.left.read(local, remote), "6001", "8002");
        says(ends.left.write(local, remote), "6001", "8002");
        says(ends.left.writeWithImm(local, remote, 1), "6001", "8002");
    }

    @Test
    void ofAnAtomic() {
        says(ends.left.fetchAndAdd(remote, 1), "8 bytes", "8002");
        says(ends.left.compareAndSwap(remote, 1, 2), "8 bytes", "8002");
    }

    @Test
    void ofAMessage() {
        says(ends.left.send(local), "6001", "5000");
        says(ends.left.sendWithImm(local, 1), "6001", "5000");
    }

    @Test
    void ofSeveralPieces() {
        says(ends.left.writeVectored(List.of(local.slice(0, 10), local.slice(10, 5)), remote, null), "15", "8002");
        says(ends.left.readVectored(List.of(), remote, null), "0 parts", "8 parts");
    }

    @Test
    void ofThatOneOfABatchThatIsWrong() {
        OperationBatch batch = ends.left.batch();
        RdmaFuture<Void> fine = batch.write(local, remote.slice(0, 6_001));
        RdmaFuture<Void> wrong = batch.write(local.slice(0, 7), remote);
        assertEquals(OperationStatus.LENGTHS, batch.post());
        says(fine, "7 bytes", "8002");
        says(wrong, "7 bytes", "8002");
    }
}
