package io.verbena;

import io.verbena.async.memory.Grant;
import io.verbena.async.memory.Grants;
import io.verbena.async.memory.LeakCheck;
import io.verbena.async.memory.Loans;
import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.memory.Root;
import io.verbena.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Memory that operations read and write: an allocation of a {@link MemoryPool}, a registered segment, or a slice of
 * either. Safe from any thread, but for the bytes themselves.
 *
 * <p><b>Who owns the bytes.</b> An operation borrows its range from posting until the NIC can't touch it any more
 * (quiesced), which may be later than its result, after a timeout for example. Meanwhile {@link #writable} refuses the
 * range, and {@link #readable} does if the operation writes there; so do other operations that overlap. What the
 * segments that were taken earlier show is not defined meanwhile. Exposures to peers borrow nothing: who lends memory
 * agrees with the peer on who writes when.
 *
 * <p><b>Closing</b> the allocation or registration ends the use of all its slices. Exposures are revoked at once. With
 * operations in flight it is given back when the last one is quiesced, so nothing else is found there before; such an
 * operation goes on, a long message that the peer has yet to fetch too. Closing a slice does nothing. Segments must
 * not be used after close: their bytes are then somebody else's.
 */
public final class LocalMemory implements AutoCloseable {
    private final Root root;
    /** What a slice was cut from, so that it is not taken for lost while slices are in use; null for a root. */
    private final LocalMemory whole;
    private final MemorySegment segment;
    private final long offset;
    private MemorySegment readOnly;
    private LeakCheck.Watch watch;

    LocalMemory(Root root) {
        this.root = root;
        whole = null;
        segment = root.segment();
        offset = 0;
    }

    private LocalMemory(LocalMemory whole, long offset, long length) {
        this.whole = whole;
        root = whole.root;
        segment = root.segment().asSlice(offset, length);
        this.offset = offset;
    }

    void watch(LeakCheck.Watch newWatch) {
        watch = newWatch;
    }

    /** Who uses what of it; ranges there count from the start of the whole, see {@link #offset}. */
    Loans loans() {
        return root;
    }

    /** Whether it is of the node whose grants these are. */
    boolean isOf(Grants node) {
        return root.grants() == node;
    }

    /** Where this begins in the whole. */
    long offset() {
        return offset;
    }

    /** Lends all of it to an operation; what {@link Loans#acquire} returns. */
    long acquire(boolean writes, boolean checked, String operation) {
        return checked
                ? root.acquire(offset, segment.byteSize(), writes, operation)
                : root.acquireCounted(writes);
    }

    /** Why {@link #acquire} was refused. */
    RuntimeException refusal(long code, boolean writes) {
        if (code == Loans.CLOSED) {
            return closed();
        }
        if (code == Loans.READ_ONLY) {
            return new IllegalArgumentException(this + " has no right LOCAL_WRITE, so no operation may write into it;"
                    + " allocate or register it with that right");
        }
        return conflict(writes);
    }

    private OwnershipException conflict(boolean writes) {
        String other = root.describe(offset, segment.byteSize(), writes);
        return new OwnershipException(this + " can't be " + (writes ? "written" : "read") + " now, because of "
                + (other == null ? "an operation that has ended just now; try again"
                        : other + "; wait for its end, or use other memory"));
    }

    private IllegalStateException closed() {
        return new IllegalStateException(this + " is closed; allocate or register memory anew");
    }

    /**
     * How long it is.
     *
     * @return bytes, 1 or more; 0 or more for a slice
     */
    public long length() {
        return segment.byteSize();
    }

    /**
     * Where it is.
     *
     * @return the address of the first byte, as work requests name it
     */
    public long address() {
        return segment.address();
    }

    /**
     * The key of its owner, for work requests of the verbs API. It opens nothing to peers and differs from every key
     * that does; for the pool's memory it is that of the slab.
     *
     * @return 32 bits
     */
    public int lkey() {
        return root.lkey();
    }

    /**
     * What operations and peers may do at most.
     *
     * @return bits of {@link Access}
     */
    public int access() {
        return root.access();
    }

    /**
     * A part of it, which shares its life.
     *
     * @param from first byte, 0 or more
     * @param length bytes, 0 or more
     * @return the part; need not be closed
     * @throws IndexOutOfBoundsException when it is not within this
     * @throws IllegalStateException when this is closed
     */
    public LocalMemory slice(long from, long length) {
        if (root.isClosed()) {
            throw closed();
        }
        if (from < 0 || length < 0 || length > length() - from) {
            throw new IndexOutOfBoundsException(length + " bytes from " + from + " on are not within " + this);
        }
        return new LocalMemory(whole == null ? this : whole, offset + from, length);
    }

    /**
     * The bytes, for reading.
     *
     * @return a read-only segment
     * @throws OwnershipException while an operation in flight writes into them
     * @throws IllegalStateException when it is closed
     */
    public MemorySegment readable() {
        if (!isReadable()) {
            throw root.isClosed() ? closed() : conflict(false);
        }
        return readOnly();
    }

    /**
     * The bytes, for reading and writing.
     *
     * @return a segment, read-only if a registered one is
     * @throws OwnershipException while an operation in flight uses them
     * @throws IllegalStateException when it is closed
     */
    public MemorySegment writable() {
        if (!isWritable()) {
            throw root.isClosed() ? closed() : conflict(true);
        }
        return segment;
    }

    /**
     * As {@link #readable}, for who can do something else meanwhile.
     *
     * @return a read-only segment, or null when an operation in flight writes there or it is closed
     */
    public MemorySegment tryReadable() {
        return isReadable() ? readOnly() : null;
    }

    /**
     * As {@link #writable}, for who can do something else meanwhile.
     *
     * @return a segment, or null when an operation in flight uses it or it is closed
     */
    public MemorySegment tryWritable() {
        return isWritable() ? segment : null;
    }

    private MemorySegment readOnly() {
        MemorySegment segmentNow = readOnly;
        if (segmentNow == null) {
            segmentNow = segment.asReadOnly();
            readOnly = segmentNow;
        }
        return segmentNow;
    }

    /**
     * Whether {@link #readable} would answer.
     *
     * @return false while an operation in flight writes there, and when it is closed
     */
    public boolean isReadable() {
        return !root.isClosed() && !root.excludes(offset, segment.byteSize(), false);
    }

    /**
     * Whether {@link #writable} would answer.
     *
     * @return false while an operation in flight uses it, and when it is closed
     */
    public boolean isWritable() {
        return !root.isClosed() && !root.excludes(offset, segment.byteSize(), true);
    }

    /**
     * The bytes, whoever uses them.
     *
     * @return a segment; what it shows during operations that write there is not defined
     */
    public MemorySegment unchecked() {
        return segment;
    }

    /**
     * Lets peers of this node reach it, until the lease or this memory is closed. That is every peer that has a
     * connection with the node and is given the key; closing a connection does not end it.
     *
     * @param rights some of REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC, which {@link #access} must have
     * @return a lease; give {@link MemoryLease#remote} to the peer
     * @throws IllegalArgumentException when the rights are not allowed, or this is an empty slice
     * @throws IllegalStateException when it is closed
     */
    public MemoryLease expose(int rights) {
        return expose(rights, null, 0, () -> { });
    }

    /**
     * Lets peers of this node reach it for a while. It ends by itself, whether or not anybody polls.
     *
     * @param rights some of REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC, which {@link #access} must have
     * @param duration from now, more than 0, by this process' monotonic clock
     * @return a lease; give {@link MemoryLease#remote} to the peer
     * @throws IllegalArgumentException when the rights or the duration are not allowed, or this is an empty slice
     * @throws IllegalStateException when it is closed
     */
    public MemoryLease expose(int rights, Duration duration) {
        MemoryLease.nanos(duration);
        return expose(rights, duration, 0, () -> { });
    }

    /** Exposes it without end if there is no duration; onEnd is called once if this returns a lease. */
    MemoryLease expose(int rights, Duration duration, long id, Runnable onEnd) {
        if (rights == 0 || (rights & ~(access() & Grants.REMOTE)) != 0) {
            throw new IllegalArgumentException("rights are " + Access.toString(rights) + "; allowed: some of "
                    + Access.toString(access() & Grants.REMOTE) + ", the remote rights of this memory");
        }
        if (length() == 0) {
            throw new IllegalArgumentException("an empty slice can't be exposed; allowed: 1 byte or more");
        }
        Grant grant = root.grants().open(root, offset, length(), rights, onEnd);
        if (grant == null) {
            throw closed();
        }
        if (duration != null) {
            grant.renew(MonotonicClock.end(MonotonicClock.nanos(), MemoryLease.nanos(duration)));
        }
        return new MemoryLease(this, grant, id);
    }

    /**
     * Whether the allocation or registration is closed.
     *
     * @return true once {@link #close} was called, also for its slices
     */
    public boolean isClosed() {
        return root.isClosed();
    }

    /**
     * How much uses the allocation or registration.
     *
     * @return operations in flight and exposures, of all slices together; after close it is given back at 0
     */
    public int inUse() {
        return root.inFlight();
    }

    /**
     * Ends the use of an allocation or registration, see above; does nothing for a slice or when it is closed already.
     * Waits for accesses of peers that have begun if there are exposures, so don't close exposed memory in a handler of
     * completions.
     */
    @Override
    public void close() {
        if (whole != null) {
            return;
        }
        if (watch != null) {
            watch.close();
        }
        root.shut();
    }

    @Override
    public String toString() {
        return "memory of " + length() + " bytes at 0x" + Long.toHexString(address());
    }
}
