package io.verbena.nic.direct;

import io.verbena.nic.ring.SendWqe;
import io.verbena.verbs.FlushType;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;

/** Posting of requests without buffers: what is refused at once, and how binds are encoded. */
public final class WindowPosting {
    private static final int FLAGS = SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED;
    private static final int PLACEMENTS = FlushType.GLOBAL | FlushType.PERSISTENT;
    private static final int CHOICE_MASK = 0xFF;

    private WindowPosting() {}

    /** Checks a LOCAL_INV, BIND_MW or FLUSH of a list. */
    static int check(SendRequests requests, int index, PostingRules rules) {
        if (requests.sgeCount(index) > 0) {
            return PostStatus.TOO_MANY_SGES;
        }
        if ((requests.flags(index) & ~FLAGS) != 0) {
            return PostStatus.BAD_FLAGS;
        }
        return switch (requests.opcode(index)) {
            case BIND_MW -> rules.windows().window(requests.window(index)) == 0 ? PostStatus.BAD_WINDOW : PostStatus.OK;
            case FLUSH -> checkFlush(requests.compareAdd(index), requests.immediate(index), requests.swap(index));
            default -> PostStatus.OK;
        };
    }

    private static int checkFlush(long length, int placement, long selectivity) {
        if (placement == 0 || (placement & ~PLACEMENTS) != 0
                || selectivity != FlushType.RANGE && selectivity != FlushType.REGION) {
            return PostStatus.BAD_FLUSH;
        }
        boolean good = selectivity == FlushType.REGION || length >= 0 && length <= RequestCheck.MAX_MESSAGE;
        return good ? PostStatus.OK : PostStatus.BAD_LENGTH;
    }

    /** Writes what a BIND_MW of a list binds. The window may have been closed since it was checked. */
    static void encode(SendRequests requests, int index, PostingRules rules, long wqe) {
        MemoryWindow window = requests.window(index);
        long slot = rules.windows().window(window);
        int key = slot == 0 ? 0 : window.rkey() & ~CHOICE_MASK | requests.rkey(index) & CHOICE_MASK;
        SendWqe.remote(wqe, requests.remoteAddress(index), key);
        SendWqe.bind(wqe, slot, rules.windows().bindKey(requests.region(index)), requests.compareAdd(index),
                requests.immediate(index));
    }

    /**
     * Begins to post a bind of a type 1 window.
     *
     * @return what {@link #submit} wants, or a negative code of PostStatus, and then nothing has begun
     */
    public static long begin(Requester requester, long wrId, int flags) {
        if (requester.rules().isDatagram()) {
            return PostStatus.BAD_OPCODE;
        }
        if ((flags & ~FLAGS) != 0) {
            return PostStatus.BAD_FLAGS;
        }
        long ticket = requester.slowBegin();
        if (ticket >= 0) {
            SendWqe.request(requester.queue.entry(ticket >>> 1), wrId, Opcode.BIND_MW.code(), flags);
        }
        return ticket;
    }

    /**
     * Posts the bind that was begun.
     *
     * @param keys the window's new key in the low half, the region's lkey in the high half
     * @return a code of PostStatus
     */
    public static int submit(
            Requester requester, long ticket, long slot, long keys, long address, long length, int access) {
        long wqe = requester.queue.entry(ticket >>> 1);
        SendWqe.remote(wqe, address, (int) keys);
        SendWqe.bind(wqe, slot, (int) (keys >>> Integer.SIZE), length, access);
        return requester.submitChecked(ticket, true);
    }
}
