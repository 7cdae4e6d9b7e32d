package io.verbena.async.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What was lost is reported with the place that made it. */
class LeakCheckTest {
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private final LeakCheck check = new LeakCheck(reports::add);

    private void lose() {
        check.watch(new Object(), "memory of 64 bytes");
    }

    private void close() {
        Object closed = new Object();
        check.watch(closed, "memory that was closed").close();
    }

    @Test
    void reportsWhatWasLostWithItsPlace() throws InterruptedException {
        close();
        lose();
        String report = null;
        for (int i = 0; i < 200 && report == null; i++) {
            System.gc();
            report = reports.poll(50, TimeUnit.MILLISECONDS);
        }
        assertTrue(report != null && report.startsWith("memory of 64 bytes was lost without close()"), report);
        assertTrue(report.contains("LeakCheckTest.lose"), report);
        assertEquals(1, check.leaks());
        assertTrue(reports.isEmpty(), () -> "also reported: " + reports.peek());
    }
}
