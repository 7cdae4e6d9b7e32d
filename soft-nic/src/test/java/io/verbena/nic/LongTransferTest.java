package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Control calls in the middle of a transfer of many chunks. */
class LongTransferTest {
    private static final long LONG_BYTES = 64L << 20;
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @EnumSource
    void closingTheWriterAndThenItsTargetLeavesTheTargetAlone(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 4));
                AllocatedMemory source = ends.a.context.allocateMemory(LONG_BYTES, 64);
                AllocatedMemory target = ends.b.context.allocateMemory(LONG_BYTES, 64);
                MemoryRegion from = ends.a.pd.register(source.segment(), End.ALL)) {
            source.segment().fill((byte) 1);
            for (int round = 0; round < ROUNDS; round++) {
                target.segment().fill((byte) 0);
                MemoryRegion to = ends.b.pd.register(target.segment(), End.ALL);
                try (Crew crew = new Crew()) {
                    crew.start("writer", () -> ends.a.qp.postWrite(
                            1, from.address(), LONG_BYTES, from.lkey(), to.address(), to.rkey(), SendFlags.SIGNALED));
                    long begun = round % 4 * (LONG_BYTES / 8);
                    Crew.await("the write to begin", () -> byteAt(target.segment(), begun) != 0);
                    ends.a.qp.close();
                    to.close();
                    target.segment().fill((byte) 2);
                }
                assertEquals(-1, target.segment().mismatch(filled(target)), "round " + round);
                ends.reopen();
            }
        }
    }

    private static MemorySegment filled(AllocatedMemory like) {
        return MemorySegment.ofArray(new byte[(int) like.segment().byteSize()]).fill((byte) 2);
    }

    private static byte byteAt(MemorySegment segment, long offset) {
        return (byte) ValueLayout.JAVA_BYTE.varHandle().getVolatile(segment, offset);
    }

    @ParameterizedTest
    @EnumSource
    void changingATimerOfThePeerDoesNotDisturbIt(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 4));
                AllocatedMemory source = ends.a.context.allocateMemory(LONG_BYTES, 64);
                AllocatedMemory target = ends.b.context.allocateMemory(LONG_BYTES, 64);
                MemoryRegion from = ends.a.pd.register(source.segment(), End.ALL);
                MemoryRegion to = ends.b.pd.register(target.segment(), End.ALL)) {
            source.segment().fill((byte) 1);
            for (int round = 0; round < ROUNDS; round++) {
                target.segment().fill((byte) 0);
                try (Crew crew = new Crew()) {
                    crew.start("writer", () -> ends.a.qp.postWrite(
                            1, from.address(), LONG_BYTES, from.lkey(), to.address(), to.rkey(), SendFlags.SIGNALED));
                    Crew.await("the write to begin", () -> byteAt(target.segment(), 0) != 0);
                    ends.b.qp.modify(new QueuePairAttributes().minRnrTimer(1 + round % 2));
                    End.expect(ends.a.sendCq, 1);
                }
                assertTrue(source.segment().mismatch(target.segment()) == -1, "round " + round);
            }
        }
    }
}
