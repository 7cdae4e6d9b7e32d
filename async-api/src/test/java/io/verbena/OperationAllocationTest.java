package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Threading;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The callback form allocates nothing, and a future is one small object. */
class OperationAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 20_000;
    private static final long TOLERATED_BYTES = 4_096;

    private static long allocated(Runnable step) {
        for (int i = 0; i < WARM_UP; i++) {
            step.run();
        }
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 3; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MEASURED; i++) {
                step.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private static void assertAllocatesNothing(String what, Runnable step) {
        long bytes = allocated(step);
        assertTrue(bytes <= TOLERATED_BYTES, what + " allocated " + bytes + " bytes in " + MEASURED + " rounds");
    }

    /** A callback that counts, and a node that is polled until it has. */
    private static final class Rounds implements CompletionCallback {
        private final RdmaNode node;
        private long seen;
        private long wanted;

        Rounds(RdmaNode node) {
            this.node = node;
        }

        @Override
        public void onCompletion(long token, int status, long value) {
            assertEquals(OperationStatus.SUCCESS, status);
            seen++;
        }

        void await(int started) {
            assertEquals(OperationStatus.SUCCESS, started);
            wanted++;
            while (seen < wanted) {
                node.poll();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void theCallbackFormAllocatesNothing(Threading threading) {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withThreading(threading);
        for (boolean checks : new boolean[] {true, false}) {
            try (RdmaNode node = RdmaNode.open(config)) {
                RdmaConnection left = node.pair(ConnectionConfig.DEFAULT.withOwnershipChecks(checks))[0];
                LocalMemory mine = node.memory().allocate(64);
                RemoteMemory remote = node.memory().allocate(64).expose(Ends.REMOTE).remote();
                RemoteMemory word = remote.slice(0, 8);
                Rounds rounds = new Rounds(node);
                assertAllocatesNothing("read", () -> rounds.await(left.read(mine, remote, rounds, 1)));
                assertAllocatesNothing("write", () -> rounds.await(left.write(mine, remote, rounds, 2)));
                assertAllocatesNothing("fetchAndAdd", () -> rounds.await(left.fetchAndAdd(word, 1, rounds, 3)));
                assertAllocatesNothing("compareAndSwap",
                        () -> rounds.await(left.compareAndSwap(word, 1, 2, rounds, 4)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void messagesToAHandlerAllocateNothing(Threading threading) {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withThreading(threading);
        try (RdmaNode node = RdmaNode.open(config)) {
            RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT);
            long[] bytes = new long[1];
            pair[1].onMessage(message -> bytes[0] += message.length());
            Rounds rounds = new Rounds(node);
            for (int length : new int[] {64, 1_000}) {
                LocalMemory mine = node.memory().allocate(length);
                assertAllocatesNothing("send of " + length, () -> rounds.await(pair[0].send(mine, rounds, 5)));
            }
            assertTrue(bytes[0] > 0);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void aFutureTakesAtMostAHundredBytes(Threading threading) {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withThreading(threading);
        try (RdmaNode node = RdmaNode.open(config)) {
            RdmaConnection left = node.pair(ConnectionConfig.DEFAULT)[0];
            LocalMemory mine = node.memory().allocate(64);
            RemoteMemory remote = node.memory().allocate(64).expose(Ends.REMOTE).remote();
            long bytes = allocated(() -> left.read(mine, remote).join());
            assertTrue(bytes <= 100L * MEASURED, bytes / MEASURED + " bytes for each");
        }
    }
}
