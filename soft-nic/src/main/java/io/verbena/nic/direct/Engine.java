package io.verbena.nic.direct;

/** What is driven together with the progress of endpoints: the packets of a NIC. */
public interface Engine {
    /** Does what can be done now, a bounded amount of it; by the holder of the progress role. */
    void run();

    /** Whether somebody has asked for something since the last {@link #run} began; by any thread. */
    boolean isRung();

    /** A thread that has driven progress is about to sleep; by any thread, waits for nobody. */
    void handOver();
}
