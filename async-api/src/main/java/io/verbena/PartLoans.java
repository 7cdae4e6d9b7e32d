package io.verbena;

import io.verbena.async.memory.Loans;
import io.verbena.async.op.Operation;
import java.util.List;
import java.util.function.ToLongFunction;

/** The loans of an operation with several buffers. */
final class PartLoans implements Runnable {
    private final Loans[] from;
    private final long[] loans;
    private int size;

    private PartLoans(int parts) {
        from = new Loans[parts];
        loans = new long[parts];
    }

    /** Lends all parts to an operation and says there where they are; a negative code of the lender if one can't be. */
    static long lend(Operation op, List<LocalMemory> parts, ToLongFunction<LocalMemory> lender) {
        PartLoans loans = new PartLoans(parts.size());
        op.buffers = new long[parts.size() * Poster.WORDS];
        for (LocalMemory each : parts) {
            long loan = lender.applyAsLong(each);
            if (loan < 0) {
                loans.run();
                return loan;
            }
            int at = loans.add(each.loans(), loan) * Poster.WORDS;
            op.buffers[at] = each.address();
            op.buffers[at + 1] = each.length();
            op.buffers[at + 2] = each.lkey();
        }
        op.moreLoans = loans;
        return 0;
    }

    /** Keeps one; returns its number. */
    private int add(Loans memory, long loan) {
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
