package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Once a region is closed, its memory is never touched again, however busy the data path was. */
class DeregistrationTest {
    private static final int BYTES = 4096;
    private static final byte CANARY = 0x5A;
    private static final Set<WcStatus> EXPECTED =
            EnumSet.of(WcStatus.SUCCESS, WcStatus.REM_ACCESS_ERR, WcStatus.WR_FLUSH_ERR);

    @ParameterizedTest
    @CsvSource({"SAFE, true", "SAFE, false", "SINGLE, true", "SINGLE, false"})
    void writesEndBeforeCloseReturns(Threading threading, boolean raw) {
        storm(threading, raw, 60);
    }

    /** Deregisters in a storm of writes, many times. */
    static void storm(Threading threading, boolean raw, int rounds) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 16)); Arena arena = Arena.ofShared()) {
            ends.a.memory.segment().fill((byte) 1);
            MemorySegment target = raw ? ends.b.memory.segment().asSlice(0, BYTES) : arena.allocate(BYTES, 64);
            for (int round = 0; round < rounds; round++) {
                writeWhileClosing(ends, target, threading == Threading.SAFE ? 2 : 1);
                ends.reconnect();
            }
        }
    }

    private static void writeWhileClosing(TwoEnds ends, MemorySegment target, int posters) {
        MemoryRegion region = ends.b.pd.register(target, End.ALL);
        AtomicBoolean over = new AtomicBoolean();
        target.fill(CANARY);
        try (Crew crew = new Crew()) {
            for (int i = 0; i < posters; i++) {
                crew.start("poster-" + i, () -> post(ends, region, over));
            }
            crew.start("poller", () -> {
                WorkCompletion completion = new WorkCompletion();
                while (!over.get()) {
                    if (ends.a.sendCq.poll(completion) == 1) {
                        assertTrue(EXPECTED.contains(completion.status()), completion.toString());
                    }
                }
            });
            try {
                Crew.await("the first write", () -> crew.hasFailed() || target.get(ValueLayout.JAVA_BYTE, 0) == 1);
                region.close();
                target.fill(CANARY);
                for (int look = 0; look < 200; look++) {
                    assertUntouched(target);
                }
            } finally {
                over.set(true);
            }
        }
    }

    private static void assertUntouched(MemorySegment target) {
        for (long at = 0; at < BYTES; at++) {
            assertEquals(CANARY, target.get(ValueLayout.JAVA_BYTE, at));
        }
    }

    private static void post(TwoEnds ends, MemoryRegion region, AtomicBoolean over) {
        for (int i = 0; !over.get(); i++) {
            long length = i % 3 == 0 ? BYTES : 64;
            int status = ends.a.qp.postWrite(i, ends.a.at(0), length, ends.a.region.lkey(), region.address(),
                    region.rkey(), SendFlags.SIGNALED);
            assertTrue(status == PostStatus.OK || status == PostStatus.QUEUE_FULL, PostStatus.describe(status));
        }
    }
}
