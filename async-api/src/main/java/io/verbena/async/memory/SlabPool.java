package io.verbena.async.memory;

import io.verbena.verbs.Context;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Cuts registered slabs into blocks. Most allocations and frees of up to 32 KiB are served by a {@link Stripe}; what a
 * stripe lacks or can't hold moves to and from the runs of pages in batches, under a lock. Larger blocks are runs of
 * pages, and those larger than a slab have one of their own. Safe from any thread.
 */
public final class SlabPool {
    private static final int MAX_STRIPES = 16;
    private static final int STRIPES =
            Math.min(MAX_STRIPES, Integer.highestOneBit(2 * Runtime.getRuntime().availableProcessors() - 1));
    private static final int TRIES = Math.min(2, STRIPES);

    private final Context context;
    private final ProtectionDomain domain;
    private final Grants grants;
    private final Housekeeper housekeeper;
    private final long slabBytes;
    private final long maxBytes;
    private final int reserveSlabs;

    private final Stripe[] stripes = new Stripe[SizeClasses.COUNT * STRIPES];

    // A stripe may be claimed while the lock is held, never the other way round.
    private final ReentrantLock lock = new ReentrantLock();
    private final RunList[] runs = new RunList[SizeClasses.COUNT];
    private final List<Slab> slabs = new ArrayList<>();
    /** Of each class and of large blocks at the end: blocks handed out under the lock less those taken back. */
    private final long[] handedOut = new long[SizeClasses.COUNT + 1];
    private long largeBytes;
    private long allocations;
    private long failures;
    private long totalBytes;
    private volatile boolean closed;

    /**
     * Makes an empty pool.
     *
     * @param domain where slabs are registered
     * @param slabBytes size of a slab, a multiple of the page size
     * @param maxBytes all slabs together
     * @param reserveSlabs how many empty slabs are kept
     * @param grants where exposures of its memory are made
     * @param housekeeper gives slabs back that became empty by a completion
     */
    SlabPool(ProtectionDomain domain, long slabBytes, long maxBytes, int reserveSlabs, Grants grants,
            Housekeeper housekeeper) {
        context = domain.context();
        this.domain = domain;
        this.slabBytes = slabBytes;
        this.maxBytes = maxBytes;
        this.reserveSlabs = reserveSlabs;
        this.grants = grants;
        this.housekeeper = housekeeper;
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = new Stripe(i / STRIPES);
        }
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new RunList();
        }
    }

    /**
     * Allocates a block, whose bytes are what they were.
     *
     * @param length bytes, 1 or more
     * @param alignment a power of two, 1 to 4096
     * @param access what its owner allows
     * @return the block, or null when the bound does not leave so much
     * @throws io.verbena.verbs.VerbsException ENOMEM when the device has no more
     */
    PoolBlock allocate(long length, int alignment, int access) {
        if (length > SizeClasses.MAX_BYTES) {
            return allocateLarge(length, access);
        }
        int sizeClass = SizeClasses.classFor(length, alignment);
        Stripe stripe = claimStripe(sizeClass);
        if (stripe != null) {
            if (stripe.held() > 0) {
                int block = stripe.topBlock();
                Run run = stripe.handOut();
                stripe.leave();
                return new PoolBlock(this, run, block, length, access);
            }
            stripe.leave();
        }
        return allocateFromRun(sizeClass, length, access);
    }

    void free(Run run, int block, boolean byOwner) {
        if (run.sizeClass != Run.LARGE) {
            Stripe stripe = claimStripe(run.sizeClass);
            if (stripe != null) {
                boolean room = !stripe.isFull();
                if (room) {
                    stripe.takeBack(run, block);
                }
                stripe.leave();
                if (room) {
                    return;
                }
            }
        }
        freeToRun(run, block, byOwner);
    }

    /** One of the thread's stripes, claimed; null when others are there. */
    private Stripe claimStripe(int sizeClass) {
        int hash = (int) Thread.currentThread().threadId();
        for (int i = 0; i < TRIES; i++) {
            Stripe stripe = stripes[sizeClass * STRIPES + (hash + i & STRIPES - 1)];
            if (stripe.tryClaim()) {
                return stripe;
            }
        }
        return null;
    }

    private PoolBlock allocateFromRun(int sizeClass, long length, int access) {
        lock.lock();
        try {
            Run run = runWithFree(sizeClass);
            if (run == null) {
                failures++;
                return null;
            }
            int block = take(run);
            handedOut[sizeClass]++;
            allocations++;
            refill(sizeClass);
            return new PoolBlock(this, run, block, length, access);
        } finally {
            lock.unlock();
        }
    }

    private int take(Run run) {
        int block = run.take();
        if (!run.hasFree()) {
            runs[run.sizeClass].remove(run);
        }
        return block;
    }

    /** Fills half of a stripe from runs that exist. */
    private void refill(int sizeClass) {
        Stripe stripe = claimStripe(sizeClass);
        if (stripe == null) {
            return;
        }
        for (Run run = runs[sizeClass].first();
                run != null && 2 * stripe.held() < stripe.capacity(); run = runs[sizeClass].first()) {
            stripe.push(run, take(run));
        }
        stripe.leave();
    }

    private Run runWithFree(int sizeClass) {
        Run run = runs[sizeClass].first();
        if (run != null) {
            return run;
        }
        run = newRun(sizeClass, SizeClasses.runPages(sizeClass));
        if (run != null) {
            runs[sizeClass].add(run);
        }
        return run != null ? run : runs[sizeClass].first();
    }

    private PoolBlock allocateLarge(long length, int access) {
        long pages = (length - 1) / SizeClasses.PAGE_BYTES + 1;
        lock.lock();
        try {
            Run run = pages > Integer.MAX_VALUE ? null : newRun(Run.LARGE, (int) pages);
            if (run == null) {
                failures++;
                return null;
            }
            handedOut[SizeClasses.COUNT]++;
            largeBytes += run.blockBytes();
            allocations++;
            return new PoolBlock(this, run, run.take(), length, access);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Pages of a slab, of a new one when none has enough; null when there may not be one, or when blocks of the class
     * turned up meanwhile.
     */
    private Run newRun(int sizeClass, int pages) {
        requireOpen();
        Run run = takePages(sizeClass, pages);
        if (run != null) {
            return run;
        }
        long bytes = Math.max(slabBytes, (long) pages * SizeClasses.PAGE_BYTES);
        if (addSlab(bytes, false)) {
            return takePages(sizeClass, pages);
        }
        // What lies free in stripes may be what is missing: as blocks, as pages or, empty slabs given up, as bytes.
        drain();
        if (sizeClass != Run.LARGE && runs[sizeClass].first() != null) {
            return null;
        }
        run = takePages(sizeClass, pages);
        if (run != null) {
            return run;
        }
        closeAll(emptySlabs(0));
        return addSlab(bytes, true) ? takePages(sizeClass, pages) : null;
    }

    /** Whether the bound and the device left room for a slab; in the last attempt the device's refusal is thrown. */
    private boolean addSlab(long bytes, boolean last) {
        if (bytes > maxBytes - totalBytes) {
            return false;
        }
        try {
            slabs.add(new Slab(context, domain, bytes));
        } catch (VerbsException e) {
            if (last) {
                throw e;
            }
            return false;
        }
        totalBytes += bytes;
        return true;
    }

    private Run takePages(int sizeClass, int pages) {
        for (Slab slab : slabs) {
            int first = slab.take(pages);
            if (first >= 0) {
                return new Run(slab, sizeClass, first, pages);
            }
        }
        return null;
    }

    private void freeToRun(Run run, int block, boolean byOwner) {
        List<Slab> empty = List.of();
        boolean later = false;
        lock.lock();
        try {
            if (run.sizeClass == Run.LARGE) {
                handedOut[SizeClasses.COUNT]--;
                largeBytes -= run.blockBytes();
                run.give(block);
                run.slab.give(run.firstPage, run.pages);
            } else {
                handedOut[run.sizeClass]--;
                run.give(block);
                settle(run);
                spill(run.sizeClass);
            }
            if (run.slab.isEmpty() && !closed) {
                empty = byOwner ? emptySlabs(reserveSlabs) : empty;
                later = !byOwner;
            }
        } finally {
            lock.unlock();
        }
        closeAll(empty);
        if (later) {
            housekeeper.soon(this::trimEmpty);
        }
    }

    /** Takes half of a full stripe back, so that the next frees find room. */
    private void spill(int sizeClass) {
        Stripe stripe = claimStripe(sizeClass);
        if (stripe == null) {
            return;
        }
        while (stripe.isFull() || 2 * stripe.held() > stripe.capacity()) {
            settle(stripe.giveUp());
        }
        stripe.leave();
    }

    /** After a block came back to its run: it can be taken from again, or its pages are free, but for one run. */
    private void settle(Run run) {
        RunList list = runs[run.sizeClass];
        if (run.next == null) {
            list.add(run);
        }
        if (run.isEmpty() && !list.hasOne()) {
            list.remove(run);
            run.slab.give(run.firstPage, run.pages);
        }
    }

    /** Empties all stripes, and frees the pages of all runs without a block in use. */
    private void drain() {
        for (Stripe stripe : stripes) {
            stripe.claim();
            while (stripe.held() > 0) {
                settle(stripe.giveUp());
            }
            stripe.leave();
        }
        for (RunList list : runs) {
            if (list.first() != null && list.hasOne() && list.first().isEmpty()) {
                Run run = list.first();
                list.remove(run);
                run.slab.give(run.firstPage, run.pages);
            }
        }
    }

    /** Takes empty slabs beyond a number out of the pool; the caller closes them. */
    private List<Slab> emptySlabs(int keep) {
        List<Slab> empty = new ArrayList<>();
        int kept = 0;
        for (Slab slab : slabs) {
            // One of another size would serve nobody else.
            if (slab.isEmpty() && (slab.bytes() != slabBytes || ++kept > keep)) {
                empty.add(slab);
            }
        }
        slabs.removeAll(empty);
        for (Slab slab : empty) {
            totalBytes -= slab.bytes();
        }
        return empty;
    }

    /** Closes all it can; what stood in the way of the first that could not be closed is thrown at the end. */
    private static void closeAll(List<Slab> slabs) {
        RuntimeException first = null;
        for (Slab slab : slabs) {
            try {
                slab.close();
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void trimEmpty() {
        List<Slab> empty;
        lock.lock();
        try {
            empty = closed ? List.of() : emptySlabs(reserveSlabs);
        } finally {
            lock.unlock();
        }
        closeAll(empty);
    }

    /** Gives back every slab without a block in use, the reserve too. */
    void trim() {
        List<Slab> empty;
        lock.lock();
        try {
            drain();
            empty = closed ? List.of() : emptySlabs(0);
        } finally {
            lock.unlock();
        }
        closeAll(empty);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the memory pool is closed, as its node is; open another node");
        }
    }

    Grants grants() {
        return grants;
    }

    /** What it counts, put together while others go on. */
    PoolCounts counts() {
        lock.lock();
        try {
            long blocks = handedOut[SizeClasses.COUNT];
            long bytes = largeBytes;
            long made = allocations;
            for (int i = 0; i < SizeClasses.COUNT; i++) {
                long ofClass = handedOut[i];
                for (int j = 0; j < STRIPES; j++) {
                    Stripe stripe = stripes[i * STRIPES + j];
                    stripe.claim();
                    ofClass += stripe.handedOut();
                    made += stripe.allocations();
                    stripe.leave();
                }
                blocks += ofClass;
                bytes += ofClass * SizeClasses.bytes(i);
            }
            return new PoolCounts(totalBytes, slabs.size(), blocks, bytes, made, failures);
        } finally {
            lock.unlock();
        }
    }

    /** Frees all slabs, whatever is in use; no operation may be in flight. */
    void close() {
        List<Slab> all;
        lock.lock();
        try {
            closed = true;
            all = List.copyOf(slabs);
            slabs.clear();
            totalBytes = 0;
        } finally {
            lock.unlock();
        }
        closeAll(all);
    }
}
