package io.verbena.nic.counters;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import java.lang.foreign.Arena;

/**
 * What one queue pair counts, in the off-heap record whose address {@link NicCounters#take} gave. Each word has one
 * writer at a time, so plain additions do: the holder of the send queue for sends, the holder of the poll role for
 * receives. Only the identity is written by anybody.
 */
public final class QueuePairCounters {
    /** A record that nobody reads, for queue pairs without one. */
    public static final long NOWHERE = Arena.global()
            .allocate(CounterFileLayout.RECORD_BYTES, CounterFileLayout.RECORD_BYTES).address();

    private static final int STATE_SHIFT = 28;
    private static final int PEER_SHIFT = 32;
    private static final long STATE_MASK = 0xFL << STATE_SHIFT;
    private static final long PEER_MASK = 0xFF_FFFFL << PEER_SHIFT;

    private QueuePairCounters() {}

    private static void add(long record, int word, long delta) {
        long address = record + (long) word * Long.BYTES;
        OffHeap.putLong(address, OffHeap.getLong(address) + delta);
    }

    // By the holder of the send queue

    /** Counts an RDMA WRITE; returns its length. */
    public static long write(long record, long bytes) {
        add(record, CounterFileLayout.WRITES, 1);
        add(record, CounterFileLayout.SENT_BYTES, bytes);
        return bytes;
    }

    /** Counts a SEND; returns its length. */
    public static long send(long record, long bytes) {
        add(record, CounterFileLayout.SENDS, 1);
        add(record, CounterFileLayout.SENT_BYTES, bytes);
        return bytes;
    }

    /** Counts an RDMA READ; returns its length. */
    public static long read(long record, long bytes) {
        add(record, CounterFileLayout.READS, 1);
        add(record, CounterFileLayout.READ_BYTES, bytes);
        return bytes;
    }

    /**
     * Counts any operation that was executed without error.
     *
     * @param record the record
     * @param opcode code of an {@link Opcode}
     * @param bytes its payload
     */
    public static void executed(long record, int opcode, long bytes) {
        switch (Opcode.ofCode(opcode)) {
            case RDMA_WRITE, FLUSH, ATOMIC_WRITE -> write(record, bytes);
            case SEND, SEND_WITH_INV -> send(record, bytes);
            case RDMA_READ -> read(record, bytes);
            case RDMA_WRITE_WITH_IMM -> {
                add(record, CounterFileLayout.WITH_IMM, 1);
                write(record, bytes);
            }
            case SEND_WITH_IMM -> {
                add(record, CounterFileLayout.WITH_IMM, 1);
                send(record, bytes);
            }
            case ATOMIC_CMP_AND_SWP -> {
                add(record, CounterFileLayout.COMPARE_SWAPS, 1);
                atomic(record, bytes);
            }
            case ATOMIC_FETCH_AND_ADD -> atomic(record, bytes);
            case LOCAL_INV, BIND_MW -> add(record, CounterFileLayout.LOCAL_OPERATIONS, 1);
        }
    }

    private static void atomic(long record, long bytes) {
        add(record, CounterFileLayout.ATOMICS, 1);
        add(record, CounterFileLayout.READ_BYTES, bytes);
    }

    /** Counts a send that ended in an error. */
    static void sendError(long record) {
        add(record, CounterFileLayout.SEND_ERRORS, 1);
    }

    /** Counts a send that found no receive at the peer. */
    static void notReady(long record) {
        add(record, CounterFileLayout.RNR_WAITS, 1);
    }

    /** Counts an answer timer that ran out, if that is what ended the wait. */
    public static void timerRanOut(long record, boolean awaitedAnswer) {
        if (awaitedAnswer) {
            add(record, CounterFileLayout.RETRIES, 1);
        }
    }

    // By the holder of the poll role

    /** Counts a receive that was polled. */
    public static void receive(long record, long bytes) {
        add(record, CounterFileLayout.RECEIVES, 1);
        add(record, CounterFileLayout.RECEIVED_BYTES, bytes);
    }

    /** Counts a receive that was polled and ended in an error. */
    static void receiveError(long record) {
        add(record, CounterFileLayout.RECEIVE_ERRORS, 1);
    }

    // By anybody

    /** Notes the state. */
    public static void state(long record, int qpNum, QueuePairState now) {
        replace(record, qpNum, STATE_MASK, (long) now.ordinal() << STATE_SHIFT);
    }

    /** Notes the peer; 0 for none. */
    public static void peer(long record, int qpNum, int peer) {
        replace(record, qpNum, PEER_MASK, (long) peer << PEER_SHIFT & PEER_MASK);
    }

    /** Replaces bits, unless the record belongs to another queue pair by now. */
    private static void replace(long record, int qpNum, long mask, long bits) {
        long word;
        do {
            word = OffHeap.getLongAcquire(record);
            if (word == 0 || CounterFileLayout.qpNum(word) != qpNum) {
                return;
            }
        } while (!OffHeap.compareAndSetLong(record, word, word & ~mask | bits));
    }
}
