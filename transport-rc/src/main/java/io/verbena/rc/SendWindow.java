package io.verbena.rc;

import io.verbena.verbs.Opcode;

/**
 * The requests that have packet numbers and no completion yet, and how far they have come: positions (packet sequence
 * numbers that never wrap) and sequences (work requests).
 *
 * <pre>
 *   answered | unanswered, sent      | to be sent again or for the first time | not begun
 *            unanswered()            cursor()                                 end()
 * </pre>
 *
 * The cursor goes back when something was lost; {@link #sent} says how far it ever came.
 */
final class SendWindow {
    private static final int MAX_REQUESTS = 1 << 16;

    private final int mask;
    private final long[] first;
    private final long[] length;
    private final byte[] opcode;
    private final boolean[] resent;
    private long unanswered;
    private long cursor;
    private long sent;
    private long end;
    private long oldest;
    private long begun;
    private long cursorSequence;
    private int reads;

    SendWindow(int packets, long firstPosition, long firstSequence) {
        int requests = Math.min(MAX_REQUESTS, Integer.highestOneBit(Math.max(1, packets)) << 1);
        mask = requests - 1;
        first = new long[requests];
        length = new long[requests];
        opcode = new byte[requests];
        resent = new boolean[requests];
        unanswered = firstPosition;
        cursor = firstPosition;
        sent = firstPosition;
        end = firstPosition;
        oldest = firstSequence;
        begun = firstSequence;
        cursorSequence = firstSequence;
    }

    // Positions

    /** The oldest position without an answer. */
    long unanswered() {
        return unanswered;
    }

    /** The next position to be sent. */
    long cursor() {
        return cursor;
    }

    /** The first position never sent. */
    long sent() {
        return sent;
    }

    /** The first position that belongs to no request yet. */
    long end() {
        return end;
    }

    /** Whether something was sent that has no answer. */
    boolean isOutstanding() {
        return unanswered < sent;
    }

    /** Positions sent that have no answer. */
    int outstanding() {
        return (int) (sent - unanswered);
    }

    /** Positions sent since the oldest without an answer, as the cursor counts. */
    long inFlight() {
        return cursor - unanswered;
    }

    // Requests

    /** The oldest request without a completion; equal to {@link #begun} when there is none. */
    long oldest() {
        return oldest;
    }

    /** The next request to be begun. */
    long begun() {
        return begun;
    }

    boolean isFull() {
        return begun - oldest > mask;
    }

    /** READs, atomics and the like begun and not complete. */
    int reads() {
        return reads;
    }

    private int slot(long sequence) {
        return (int) sequence & mask;
    }

    long first(long sequence) {
        return first[slot(sequence)];
    }

    long last(long sequence) {
        return (sequence + 1 == begun ? end : first[slot(sequence + 1)]) - 1;
    }

    long length(long sequence) {
        return length[slot(sequence)];
    }

    int opcode(long sequence) {
        return opcode[slot(sequence)];
    }

    /** Whether any packet of a request was sent twice. */
    boolean wasResent(long sequence) {
        return resent[slot(sequence)];
    }

    /** Whether a request has an answer of its own, and takes one of the READs allowed at a time. */
    static boolean wantsResponse(int opcode) {
        return opcode == Opcode.RDMA_READ.code() || isAtomic(opcode) || opcode == Opcode.ATOMIC_WRITE.code()
                || opcode == Opcode.FLUSH.code();
    }

    static boolean isAtomic(int opcode) {
        return opcode == Opcode.ATOMIC_CMP_AND_SWP.code() || opcode == Opcode.ATOMIC_FETCH_AND_ADD.code();
    }

    /** Gives the next request its positions. */
    void begin(int code, long bytes, int packets) {
        int slot = slot(begun);
        first[slot] = end;
        length[slot] = bytes;
        opcode[slot] = (byte) code;
        resent[slot] = false;
        end += packets;
        begun++;
        reads += wantsResponse(code) ? 1 : 0;
    }

    /** The next request took no packet and has its completion. */
    void skip() {
        assert oldest == begun : "requests without packets wait for all before them";
        begun++;
        oldest = begun;
        cursorSequence = begun;
    }

    /** The request that the cursor stands in; only while the cursor is before the end. */
    long cursorSequence() {
        cursorSequence = Math.max(cursorSequence, oldest);
        while (cursor > last(cursorSequence)) {
            cursorSequence++;
        }
        return cursorSequence;
    }

    /** The request that a position belongs to; only for positions sent and without an answer. */
    long sequenceAt(long position) {
        long sequence = oldest;
        while (position > last(sequence)) {
            sequence++;
        }
        return sequence;
    }

    /** Some positions were sent. */
    void transmitted(int packets) {
        if (cursor < sent) {
            resent[slot(cursorSequence)] = true;
        }
        cursor += packets;
        sent = Math.max(sent, cursor);
    }

    /** Everything without an answer is to be sent again. */
    void rewind() {
        cursor = unanswered;
        cursorSequence = oldest;
    }

    /** Everything before a position has its answer. */
    void answeredBefore(long position) {
        assert position >= unanswered && position <= sent : "answers are of what was sent";
        unanswered = position;
        cursor = Math.max(cursor, position);
    }

    /** The oldest request has its completion. */
    void completeOldest() {
        reads -= wantsResponse(opcode(oldest)) ? 1 : 0;
        answeredBefore(last(oldest) + 1);
        oldest++;
    }

    /** Nothing is outstanding any more; every request before a sequence has ended. */
    void abandon(long sequence) {
        unanswered = end;
        cursor = end;
        sent = end;
        oldest = sequence;
        begun = sequence;
        cursorSequence = sequence;
        reads = 0;
    }
}
