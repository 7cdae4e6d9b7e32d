package io.verbena.nic.direct;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.WcStatus;

/**
 * A request in memory that two processes share: the initiator writes the first lines and the payload of what it sends,
 * the owner of the peer writes the answer and the payload of what is read. Neither believes what the other wrote.
 *
 * <pre>
 *   0 asked      number of the request, written last (release)
 *   8 length     bytes of the payload
 *  16 mtu        path MTU of the initiator, bytes
 *  64 entry      the beginning of a send work queue entry, see {@link SendWqe}
 * 128 answered   number of the request that the rest answers, written last (release)
 * 136 outcome    of one try
 * 144 next       index of the next receive completion, when the initiator produces those
 * 256 payload
 * </pre>
 */
public final class DelegatedRequest {
    /** Bytes before the payload. */
    public static final long PAYLOAD_AT = 256;

    private static final int ASKED = 0;
    private static final int LENGTH = 8;
    private static final int MTU = 16;
    private static final int ENTRY = 64;
    private static final int ANSWERED = 128;
    private static final int OUTCOME = 136;
    private static final int NEXT = 144;

    private DelegatedRequest() {}

    /** Writes a request whose payload is there already. */
    static void ask(long at, long number, long wqe, long length, int mtuBytes) {
        OffHeap.putLong(at + MTU, mtuBytes);
        OffHeap.putLong(at + LENGTH, length);
        OffHeap.copy(wqe, at + ENTRY, SendWqe.HEADER_BYTES);
        OffHeap.putLongRelease(at + ASKED, number);
    }

    /** The number of the request that is there. */
    static long asked(long at) {
        return OffHeap.getLongAcquire(at + ASKED);
    }

    static long length(long at) {
        return OffHeap.getLong(at + LENGTH);
    }

    static int mtu(long at) {
        return Math.clamp(OffHeap.getLong(at + MTU), 1, 4_096);
    }

    /** Takes the request's entry over, but for its turn: nobody may find it published. */
    static void copyEntry(long at, long wqe) {
        OffHeap.copy(at + ENTRY + Long.BYTES, wqe + Long.BYTES, SendWqe.HEADER_BYTES - Long.BYTES);
    }

    /** Writes an answer whose payload is there already. */
    static void answer(long at, long number, int outcome, long next) {
        OffHeap.putLong(at + OUTCOME, outcome);
        OffHeap.putLong(at + NEXT, next);
        OffHeap.putLongRelease(at + ANSWERED, number);
    }

    static boolean isAnswered(long at, long number) {
        return OffHeap.getLongAcquire(at + ANSWERED) == number;
    }

    /** What came of it; REM_OP_ERR when the owner wrote what can't be. */
    static int outcome(long at) {
        int outcome = (int) OffHeap.getLong(at + OUTCOME);
        boolean possible = outcome == Outcome.NOT_READY || outcome == Outcome.UNANSWERED
                || outcome == Outcome.LOST || outcome >= 0 && WcStatus.ofCode(outcome) != null;
        return possible ? outcome : WcStatus.REM_OP_ERR.code();
    }

    static long next(long at) {
        return OffHeap.getLong(at + NEXT);
    }
}
