package io.verbena.bench;

/** The other process's part of a test, as the process that measures sees it. */
interface Partner {
    /** There is no other process. */
    Partner NONE = new Partner() {
        @Override
        public void begin(long count) {}

        @Override
        public long finish() {
            return 0;
        }

        @Override
        public Thread helper() {
            return null;
        }
    };

    /** Has the other process do a number of iterations; it has begun when this returns. */
    void begin(long count);

    /** Waits until it is done; returns the bytes that its threads have allocated meanwhile. */
    long finish();

    /** The thread of this process that listens to the other one; null when there is none. */
    Thread helper();
}
