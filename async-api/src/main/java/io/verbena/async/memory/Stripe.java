package io.verbena.async.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Free blocks of one size at hand for the threads that hash here, so that most allocations are one compare-and-set and
 * no wait: who finds it claimed goes elsewhere. Everything but {@link #tryClaim} and {@link #claim} is for its holder.
 */
final class Stripe {
    /** At most this much lies in one stripe, but always two blocks. */
    private static final int MAX_HELD_BYTES = 64 * 1_024;
    private static final int MAX_HELD = 64;
    private static final VarHandle CLAIMED;

    static {
        try {
            CLAIMED = MethodHandles.lookup().findVarHandle(Stripe.class, "claimed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile boolean claimed;
    private final Run[] runs;
    private final byte[] blocks;
    private int held;
    /** Blocks handed out here less those taken back here; over all stripes, the blocks in use. */
    private long handedOut;
    private long allocations;

    Stripe(int sizeClass) {
        int capacity = Math.clamp(MAX_HELD_BYTES / SizeClasses.bytes(sizeClass), 2, MAX_HELD);
        runs = new Run[capacity];
        blocks = new byte[capacity];
    }

    boolean tryClaim() {
        return !claimed && CLAIMED.compareAndSet(this, false, true);
    }

    /** For the few who must see all of them; holders are done in tens of nanoseconds. */
    void claim() {
        while (!tryClaim()) {
            Thread.yield();
        }
    }

    void leave() {
        CLAIMED.setRelease(this, false);
    }

    int held() {
        return held;
    }

    int capacity() {
        return runs.length;
    }

    boolean isFull() {
        return held == runs.length;
    }

    /** The run of the topmost block, whose number {@link #topBlock} told before; it is handed out. */
    Run handOut() {
        held--;
        handedOut++;
        allocations++;
        return runs[held];
    }

    int topBlock() {
        return blocks[held - 1];
    }

    void takeBack(Run run, int block) {
        handedOut--;
        push(run, block);
    }

    void push(Run run, int block) {
        runs[held] = run;
        blocks[held] = (byte) block;
        held++;
    }

    /** Gives up the topmost block to its run; the pool's lock is held. */
    Run giveUp() {
        held--;
        Run run = runs[held];
        runs[held] = null;
        run.give(blocks[held]);
        return run;
    }

    long handedOut() {
        return handedOut;
    }

    long allocations() {
        return allocations;
    }
}
