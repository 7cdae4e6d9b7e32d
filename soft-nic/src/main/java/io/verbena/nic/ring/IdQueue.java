package io.verbena.nic.ring;

import io.verbena.nic.memory.Blocks;
import io.verbena.nic.memory.OffHeap;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A bounded first-in first-out queue of small numbers for any number of producers and consumers. Lock-free in the
 * strict sense: a thread that stops anywhere keeps nobody else from going on.
 *
 * <p>A cell holds an id and its turn (index + 1) in one word. Adding replaces the word that a cell held one lap before
 * by a compare-and-set and then moves the tail; whoever finds the tail behind moves it first. Taking reads the cell and
 * then moves the head by a compare-and-set: a cell can't be written again before the head has passed it, so the winner
 * has read its own id. Turns only grow, so nothing is mistaken for something older.
 */
final class IdQueue extends IdQueueTail {
    /** What {@link #poll} and {@link #peek} return when there is nothing. */
    static final int EMPTY = -1;
    /** Ids are smaller than this. */
    static final int ID_LIMIT = 1 << 20;

    private static final int TURN_SHIFT = 20;
    /** A head that no cell's turn fits, whatever the memory is used for by then. */
    private static final long RETIRED = Long.MIN_VALUE;
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    private final MemorySegment memory;
    private final long cells;
    private final long capacity;

    long u00, u01, u02, u03, u04, u05, u06, u07, u08, u09, u10, u11, u12;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(IdQueueHead.class, "head", long.class);
            TAIL = lookup.findVarHandle(IdQueueTail.class, "tail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Makes an empty queue.
     *
     * @param memory zeroed memory of {@link #bytes}; held here, so that it stays mapped as long as the queue lives
     * @param capacity most ids in it, a power of two
     */
    IdQueue(MemorySegment memory, int capacity) {
        this.memory = memory;
        cells = memory.address();
        this.capacity = capacity;
    }

    /** An empty queue in memory that it takes. */
    static IdQueue in(Blocks memory, int capacity) {
        return new IdQueue(memory.take(bytes(capacity)), capacity);
    }

    /** Memory that a queue of a capacity needs. */
    static long bytes(int capacity) {
        return (long) capacity * Long.BYTES;
    }

    int capacity() {
        return (int) capacity;
    }

    /** Adds an id behind all others; false when the queue is full. A full barrier. */
    boolean offer(int id) {
        for (;;) {
            long index = tail;
            long cell = cell(index);
            long word = OffHeap.getLongAcquire(cell);
            long turn = word >>> TURN_SHIFT;
            if (turn == index + 1) {
                TAIL.compareAndSet(this, index, index + 1);
            } else if (turn < index + 1) {
                if (index - head >= capacity) {
                    return false;
                }
                if (OffHeap.compareAndSetLong(cell, word, index + 1 << TURN_SHIFT | id)) {
                    TAIL.compareAndSet(this, index, index + 1);
                    return true;
                }
            }
        }
    }

    /** Takes the oldest id, or {@link #EMPTY}. */
    int poll() {
        for (;;) {
            long index = head;
            long word = OffHeap.getLongAcquire(cell(index));
            if (word >>> TURN_SHIFT == index + 1) {
                if (HEAD.compareAndSet(this, index, index + 1)) {
                    return id(word);
                }
            } else if (head == index) {
                return EMPTY;
            }
        }
    }

    /** Takes the oldest id if it is the given one. */
    boolean pollIf(int id) {
        long index = head;
        return peekAt(index) == id && pollAt(index);
    }

    /** Where the oldest id is, or will be. */
    long headIndex() {
        return head;
    }

    /** The id at an index if it has been added, or {@link #EMPTY}; good only if {@link #pollAt} succeeds after it. */
    int peekAt(long index) {
        long word = OffHeap.getLongAcquire(cell(index));
        return word >>> TURN_SHIFT == index + 1 ? id(word) : EMPTY;
    }

    /** Takes the id at an index, where {@link #peekAt} found one; false when somebody else has taken it. */
    boolean pollAt(long index) {
        return HEAD.compareAndSet(this, index, index + 1);
    }

    /** The oldest id without taking it, or {@link #EMPTY}. */
    int peek() {
        for (;;) {
            long index = head;
            long word = OffHeap.getLongAcquire(cell(index));
            if (word >>> TURN_SHIFT == index + 1) {
                return id(word);
            }
            if (head == index) {
                return EMPTY;
            }
        }
    }

    /** Ids in the queue; a snapshot that is never negative. */
    long size() {
        long first = head;
        return Math.max(0, tail - first);
    }

    /**
     * Lets nobody take anything any more, when the queue is empty and nobody adds to it. Whoever has looked at a head
     * before takes nothing either, since the head is not there any more; all it does to the memory is to read it.
     */
    void retire() {
        head = RETIRED;
    }

    private static int id(long word) {
        return (int) word & ID_LIMIT - 1;
    }

    private long cell(long index) {
        return cells + (index & capacity - 1) * Long.BYTES;
    }

    @Override
    public String toString() {
        return size() + " of " + capacity + " ids in " + memory.byteSize() + " bytes";
    }
}
