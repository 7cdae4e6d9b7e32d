package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Threading;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a connected queue pair costs when there are many of them, at a time and one after another. */
class ManyQueuePairsTest {
    private static final long MOST_HEAP = 2_048;
    private static final long MOST_OFF_HEAP = 8_192;
    private static final long MOST_HEAP_OF_CQ = 1_024;
    private static final int WARM_UP_PAIRS = 2_000;
    private static final long SET_UP_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private static void assertSmall(Footprint grown, int queuePairs) {
        long heap = grown.heap() / queuePairs;
        long offHeap = grown.blocks() / queuePairs;
        assertTrue(heap > 0 && heap <= MOST_HEAP, heap + " bytes of heap for one queue pair");
        assertTrue(offHeap > 0 && offHeap <= MOST_OFF_HEAP, offHeap + " bytes off the heap for one queue pair");
        assertTrue(grown.threads() <= 1, grown.threads() + " more threads");
    }

    @ParameterizedTest
    @EnumSource
    void memoryOfOneQueuePairIsBounded(Threading threading) {
        warmUp(threading);
        try (Crowd crowd = new Crowd(threading)) {
            CompletionQueue queue = crowd.addQueue(4_000 * Crowd.DEPTH);
            crowd.addPair(queue, queue);
            Footprint before = Footprint.of(crowd.nic());
            for (int i = 0; i < 1_000; i++) {
                crowd.addPair(queue, queue);
            }
            crowd.talk(); // what is made when it is first needed counts as well
            assertSmall(Footprint.of(crowd.nic()).minus(before), 2_000);
        }
    }

    /** So that what the JVM allocates for running code the first time is not counted. */
    private static void warmUp(Threading threading) {
        try (Crowd crowd = new Crowd(threading)) {
            CompletionQueue queue = crowd.addQueue(4 * WARM_UP_PAIRS * Crowd.DEPTH);
            for (int i = 0; i < WARM_UP_PAIRS; i++) {
                crowd.addPair(queue, queue);
            }
            crowd.talk();
        }
    }

    @ParameterizedTest
    @EnumSource
    void memoryOfOneCompletionQueueIsBounded(Threading threading) {
        warmUp(threading);
        try (Crowd crowd = new Crowd(threading)) {
            Footprint before = Footprint.of(crowd.nic());
            for (int i = 0; i < 2_000; i++) {
                crowd.addQueue(Crowd.DEPTH);
            }
            Footprint grown = Footprint.of(crowd.nic()).minus(before);
            assertTrue(grown.heap() / 2_000 <= MOST_HEAP_OF_CQ, grown.heap() / 2_000 + " bytes of heap");
            assertEquals(0, grown.blocks());
        }
    }

    @Test
    void controlCallsWaitOnlyForWhoWasActiveLately() {
        try (Crowd crowd = new Crowd(Threading.SINGLE)) {
            int others = crowd.nic().fabric().generation().roster().size();
            for (int i = 0; i < 50; i++) {
                crowd.addPair(crowd.addQueue(2 * Crowd.DEPTH), crowd.addQueue(2 * Crowd.DEPTH));
            }
            crowd.talk();
            crowd.talk(); // only messages to receives posted on a known connection are put in place by the poll
            assertEquals(200, crowd.nic().fabric().generation().roster().size() - others);
            AllocatedMemory memory = crowd.context.allocateMemory(64, 64);
            for (int i = 0; i < 3; i++) {
                crowd.pd.register(memory.segment(), Access.LOCAL_WRITE).close();
            }
            memory.close();
            assertEquals(0, crowd.nic().fabric().generation().roster().size());
            crowd.talk();
            crowd.talk(); // only messages to receives posted on a known connection are put in place by the poll
            assertEquals(200, crowd.nic().fabric().generation().roster().size());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void tenThousandPairsWithQueuesOfTheirOwn(Threading threading) {
        tenThousandPairs(threading, true);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void tenThousandPairsOnOneQueue(Threading threading) {
        tenThousandPairs(threading, false);
    }

    private static void tenThousandPairs(Threading threading, boolean ownQueues) {
        warmUp(threading);
        int pairs = 10_000;
        try (Crowd crowd = new Crowd(threading)) {
            long start = System.nanoTime();
            for (int i = 0; i < (ownQueues ? 2 * pairs : 1); i++) {
                crowd.addQueue(ownQueues ? 2 * Crowd.DEPTH : 4 * pairs * Crowd.DEPTH);
            }
            long took = System.nanoTime() - start;
            Footprint before = Footprint.of(crowd.nic());
            start = System.nanoTime();
            for (int i = 0; i < pairs; i++) {
                crowd.addPair(crowd.queues.get(ownQueues ? 2 * i : 0), crowd.queues.get(ownQueues ? 2 * i + 1 : 0));
            }
            took += System.nanoTime() - start;
            assertTrue(took < SET_UP_LIMIT_NS, "set-up took " + took / 1_000_000 + " ms");
            crowd.talk();
            assertSmall(Footprint.of(crowd.nic()).minus(before), 2 * pairs);
            start = System.nanoTime();
            crowd.closePairs();
            long gone = System.nanoTime() - start;
            assertTrue(gone < SET_UP_LIMIT_NS, "closing took " + gone / 1_000_000 + " ms");
        }
    }

    @ParameterizedTest
    @EnumSource
    void cyclesLeaveNothingBehind(Threading threading) {
        cycles(threading, 2_000, 3);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("ci")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void hundredThousandCyclesLeaveNothingBehind(Threading threading) {
        cycles(threading, 10_000, 11);
    }

    /** Creates, connects, uses and destroys; compares the last batch with the second one, when the code is warm. */
    private static void cycles(Threading threading, int batch, int batches) {
        try (Crowd crowd = new Crowd(threading)) {
            cycle(crowd, batch);
            Footprint before = Footprint.of(crowd.nic());
            String countsBefore = counts(crowd);
            long first = cycle(crowd, batch);
            long last = first;
            for (int i = 2; i < batches; i++) {
                last = cycle(crowd, batch);
            }
            Footprint grown = Footprint.of(crowd.nic()).minus(before);
            assertTrue(grown.heap() < 1 << 20, grown + " after " + batch * (batches - 1) + " cycles");
            assertTrue(grown.direct() <= 0, grown.toString());
            assertTrue(grown.threads() <= 1, grown.toString());
            assertEquals(countsBefore, counts(crowd));
            // Generous; what grows with what there was before grows far more.
            assertTrue(last < 4 * first, first / batch + " ns a cycle at first, " + last / batch + " at last");
        }
    }

    private static String counts(Crowd crowd) {
        SoftNic nic = crowd.nic();
        return "queue pairs " + nic.counts().of(DeviceLimit.MAX_QP) + ", completion queues "
                + nic.counts().of(DeviceLimit.MAX_CQ) + ", regions " + nic.counts().of(DeviceLimit.MAX_MR)
                + ", bytes of blocks " + nic.pool().bytesInUse() + ", on the roster "
                + nic.fabric().generation().roster().size();
    }

    /** Processor time of some cycles: what else runs on the machine does not count. */
    private static long cycle(Crowd crowd, int times) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < times; i++) {
            crowd.addPair(crowd.addQueue(2 * Crowd.DEPTH), crowd.addQueue(2 * Crowd.DEPTH));
            crowd.talk();
            crowd.closePairs();
            crowd.queues.forEach(CompletionQueue::close);
            crowd.queues.clear();
        }
        return threads.getCurrentThreadCpuTime() - start;
    }
}
