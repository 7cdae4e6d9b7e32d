package io.verbena.nic.wire;

import io.verbena.nic.os.Report;
import java.util.concurrent.TimeUnit;

/**
 * Says what has failed in a NIC to the log instead of to whoever happens to drive it, at most once a second: what fails
 * may fail again with every packet. By the holder of the progress role.
 */
final class FaultReports {
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private long next;
    private long unsaid;
    private volatile long count;

    FaultReports(String name) {
        this.name = name;
        next = System.nanoTime();
    }

    /** How much has failed; by any thread. */
    long count() {
        return count;
    }

    void add(String what, Throwable error) {
        count = count + 1;
        long now = System.nanoTime();
        if (now - next < 0) {
            unsaid++;
            return;
        }
        next = now + PAUSE_NS;
        Report.failure(name, unsaid == 0 ? what : what + " (and " + unsaid + " failures more since then)", error);
        unsaid = 0;
    }
}
