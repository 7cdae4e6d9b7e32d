package io.verbena.bench;

/** A test set up for one message size. Closing undoes it. */
interface TestRig extends AutoCloseable {
    /** Warms up and measures. */
    PerfResult measure(PerfConfig config, Progress progress);

    @Override
    void close();
}
