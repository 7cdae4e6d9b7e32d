package io.verbena.nic.os;

import java.util.concurrent.TimeUnit;

/**
 * Says what has failed in a NIC to the log instead of to whoever happens to drive it, at most once a second: what fails
 * may fail again with every packet. By one thread at a time.
 */
public final class FaultReports {
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private long next;
    private long unsaid;
    private volatile long count;

    /**
     * Makes reports about something that goes on.
     *
     * @param name what the lines of the log begin with
     */
    public FaultReports(String name) {
        this.name = name;
        next = System.nanoTime();
    }

    /** How much has failed; by any thread. */
    public long count() {
        return count;
    }

    /**
     * Reports a failure, or only counts it when another one was reported less than a second ago.
     *
     * @param what has happened
     * @param error why
     */
    public void add(String what, Throwable error) {
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
