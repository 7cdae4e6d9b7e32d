package io.verbena;

import io.verbena.async.memory.Loans;
import io.verbena.async.op.OpCode;
import java.util.List;

/** The loans of an operation with several buffers. */
final class PartLoans implements Runnable {
    private final Loans[] from;
    private final long[] loans;
    private final long[] buffers;
    private int size;

    PartLoans(int parts) {
        from = new Loans[parts];
        loans = new long[parts];
        buffers = new long[parts * Poster.WORDS];
    }

    /** Bytes of all parts. */
    static long length(List<LocalMemory> parts) {
        long length = 0;
        for (LocalMemory each : parts) {
            length += each.length();
        }
        return length;
    }

    /** What {@link Poster} posts once all are taken. */
    long[] buffers() {
        return buffers;
    }

    /** Takes all, or none, and notes the buffers for {@link Poster}; the last loan, or why one was refused. */
    long take(List<LocalMemory> parts, int kind, boolean checked) {
        long loan = Loans.COUNTED;
        for (LocalMemory each : parts) {
            loan = each.acquire(kind == OpCode.READ, checked, OpCode.name(kind));
            if (loan < 0) {
                run();
                return loan;
            }
            int at = size * Poster.WORDS;
            buffers[at] = each.address();
            buffers[at + 1] = each.length();
            buffers[at + 2] = each.lkey();
            from[size] = each.loans();
            loans[size++] = loan;
        }
        return loan;
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
