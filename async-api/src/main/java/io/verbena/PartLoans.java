package io.verbena;

import io.verbena.async.memory.Loans;

/** The loans of an operation with several buffers. */
final class PartLoans implements Runnable {
    private final Loans[] from;
    private final long[] loans;
    private int size;

    PartLoans(int parts) {
        from = new Loans[parts];
        loans = new long[parts];
    }

    /** Keeps one; returns its number. */
    int add(Loans memory, long loan) {
        from[size] = memory;
        loans[size] = loan;
        return size++;
    }

    /** Gives all back. */
    @Override
    public void run() {
        while (size > 0) {
            size--;
            from[size].release(loans[size]);
        }
    }
}
