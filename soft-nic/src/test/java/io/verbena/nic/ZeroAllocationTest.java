package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The data path allocates nothing once it is warm: neither where it is fast nor where it has to wait. */
class ZeroAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 20_000;
    /** The measurement itself, and the JVM's own doings. */
    private static final long TOLERATED_BYTES = 4096;

    private final WorkCompletion completion = new WorkCompletion();

    /** One thing done over and over. */
    @FunctionalInterface
    private interface Step {
        void run();
    }

    private static void assertAllocatesNothing(String what, Step step) {
        run(WARM_UP, step);
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3 && least > TOLERATED_BYTES; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run(MEASURED, step);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least <= TOLERATED_BYTES, what + " allocated " + least + " bytes in " + MEASURED + " rounds");
    }

    private static void run(int times, Step step) {
        for (int i = 0; i < times; i++) {
            step.run();
        }
    }

    private void expect(CompletionQueue queue) {
        while (queue.poll(completion) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(0, completion.statusCode());
    }

    @ParameterizedTest
    @EnumSource
    void fastPathsAllocateNothing(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8))) {
            assertAllocatesNothing("a write", () -> {
                End.ok0(ends.a.write(1, 0, 64, ends.b));
                expect(ends.a.sendCq);
            });
            assertAllocatesNothing("a read and an atomic", () -> {
                End.ok0(ends.a.qp.postRead(1, ends.a.at(0), 64, ends.a.region.lkey(), ends.b.at(0),
                        ends.b.region.rkey(), SendFlags.SIGNALED));
                expect(ends.a.sendCq);
                End.ok0(ends.a.qp.postFetchAndAdd(1, ends.a.at(0), ends.a.region.lkey(), ends.b.at(0),
                        ends.b.region.rkey(), 1, SendFlags.SIGNALED));
                expect(ends.a.sendCq);
            });
            for (int length : new int[] {0, 32, 64, 1000}) {
                assertAllocatesNothing("a message of " + length, () -> {
                    End.ok0(ends.b.receive(1, 0, 1000));
                    End.ok0(ends.a.send(1, 0, length));
                    expect(ends.a.sendCq);
                    expect(ends.b.recvCq);
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void listsAndInlineDataAllocateNothing(Threading threading) {
        SendRequests requests = new SendRequests(2, 1);
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8))) {
            assertAllocatesNothing("a list", () -> {
                End.ok0(ends.b.receive(1, 0, 64));
                requests.clear()
                        .add(1, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED | SendFlags.INLINE)
                        .sge(ends.a.at(0), 8, ends.a.region.lkey()).imm(5)
                        .add(2, Opcode.RDMA_WRITE, SendFlags.SIGNALED)
                        .sge(ends.a.at(0), 8, ends.a.region.lkey()).remote(ends.b.at(0), ends.b.region.rkey());
                End.ok0(ends.a.qp.postSend(requests));
                expect(ends.a.sendCq);
                expect(ends.a.sendCq);
                expect(ends.b.recvCq);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void waitingForAReceiverAllocatesNothing(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8))) {
            Step step = () -> {
                End.ok0(ends.a.send(1, 0, 32));
                End.ok0(ends.a.write(2, 0, 32, ends.b));
                End.ok0(ends.b.receive(1, 0, 64));
                expect(ends.a.sendCq);
                expect(ends.a.sendCq);
                expect(ends.b.recvCq);
            };
            run(20_000, step);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run(10_000, step);
            long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertTrue(bytes <= TOLERATED_BYTES, bytes + " bytes in 10,000 retries");
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedAndEmptyCallsAllocateNothing(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 1))) {
            End.ok(ends.a.write(1, 0, 64, ends.b));
            assertAllocatesNothing("a full queue", () -> {
                assertEquals0(PostStatus.QUEUE_FULL, ends.a.write(1, 0, 64, ends.b));
                assertEquals0(0, ends.b.sendCq.poll(completion));
                assertEquals0(PostStatus.BAD_FLAGS, ends.a.qp.postSend(1, 0, 0, 0, -1));
            });
        }
    }

    private static void assertEquals0(int expected, int actual) {
        if (expected != actual) {
            throw new AssertionError(expected + " expected, " + actual + " came");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "SAFE")
    void contentionAllocatesNothing(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 64)); Crew crew = new Crew()) {
            for (int i = 0; i < 3; i++) {
                crew.start("poster-" + i, () -> {
                    WorkCompletion mine = new WorkCompletion();
                    assertAllocatesNothing("a contended write", () -> {
                        ends.a.write(1, 0, 64, ends.b);
                        ends.a.sendCq.poll(mine);
                    });
                });
            }
        }
    }
}
