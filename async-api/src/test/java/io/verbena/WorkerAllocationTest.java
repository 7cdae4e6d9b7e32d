package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Handing completions and messages to a worker allocates nothing, on the driver's thread or on the worker's. */
class WorkerAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 20_000;
    private static final long TOLERATED_BYTES = 4_096;

    private long wanted;
    private volatile long seen;
    private volatile long worker;

    private void told() {
        worker = Thread.currentThread().threadId();
        // The one worker writes it.
        seen = seen + 1;
    }

    private void await(RdmaNode node, int started) {
        assertEquals(OperationStatus.SUCCESS, started);
        wanted++;
        while (seen < wanted) {
            node.poll();
        }
    }

    private void assertAllocatesNothing(String what, Runnable step) {
        for (int i = 0; i < WARM_UP; i++) {
            step.run();
        }
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(worker);
            for (int i = 0; i < MEASURED; i++) {
                step.run();
            }
            long after = THREADS.getCurrentThreadAllocatedBytes() + THREADS.getThreadAllocatedBytes(worker);
            least = Math.min(least, after - before);
        }
        assertTrue(least <= TOLERATED_BYTES, what + " allocated " + least + " bytes in " + MEASURED + " rounds");
    }

    @Test
    void neitherResultsNorMessagesAllocate() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL).withWorkers(1));
                ConnectionPair pair = ConnectionPair.open(node)) {
            LocalMemory mine = node.memory().allocate(64);
            RemoteMemory remote = node.memory().allocate(64).expose(Ends.REMOTE).remote();
            RemoteMemory word = remote.slice(0, 8);
            CompletionCallback note = (token, status, value) -> told();
            CompletionCallback silent = (token, status, value) -> { };
            assertAllocatesNothing("write", () -> await(node, pair.left().write(mine, remote, note, 1)));
            assertAllocatesNothing("fetchAndAdd", () -> await(node, pair.left().fetchAndAdd(word, 1, note, 1)));
            pair.right().onMessage(message -> told());
            assertAllocatesNothing("send", () -> await(node, pair.left().send(mine, silent, 1)));
            pair.right().onWriteImm(note);
            assertAllocatesNothing("writeWithImm",
                    () -> await(node, pair.left().writeWithImm(mine, remote, 7, silent, 1)));
        }
    }
}
