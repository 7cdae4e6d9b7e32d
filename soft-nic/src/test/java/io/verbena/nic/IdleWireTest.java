package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Threading;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What connected queue pairs cost a NIC that sends packets while nobody uses them. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs an address of its own")
class IdleWireTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String DEVICE =
            "soft7?link=udp&bind=127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250) + ".93";
    private static final int PAIRS = 500;
    private static final long WINDOW_NS = TimeUnit.MILLISECONDS.toNanos(400);
    /** One percent of a processor. */
    private static final long MOST_NS = WINDOW_NS / 100;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    /** Looks at the thread that drives when nobody else does: whether it rests for a while. */
    private final class Rest implements BooleanSupplier {
        private final long thread;
        private long start;
        private long used;

        Rest(long thread) {
            this.thread = thread;
            begin();
        }

        private void begin() {
            start = System.nanoTime();
            used = threads.getThreadCpuTime(thread);
        }

        @Override
        public boolean getAsBoolean() {
            if (System.nanoTime() - start < WINDOW_NS) {
                return false;
            }
            boolean rested = threads.getThreadCpuTime(thread) - used <= MOST_NS;
            begin();
            return rested;
        }
    }

    @Test
    void aThousandConnectedQueuePairsThatRestCostNoTime() {
        try (Crowd crowd = new Crowd(DEVICE, Threading.SINGLE)) {
            CompletionQueue queue = crowd.addQueue(4 * PAIRS * Crowd.DEPTH);
            for (int i = 0; i < PAIRS; i++) {
                crowd.addPair(queue, queue);
            }
            crowd.talk(); // every timer of every connection has been armed
            Thread driver = Thread.getAllStackTraces().keySet().stream()
                    .filter(each -> each.getName().equals("soft7-progress")).findFirst().orElseThrow();
            assertTrue(threads.getThreadCpuTime(driver.threadId()) > 0, "the time of a thread is known");
            Crew.await("rest", new Rest(driver.threadId()));
        }
    }
}
