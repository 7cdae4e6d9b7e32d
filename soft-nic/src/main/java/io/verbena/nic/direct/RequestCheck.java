package io.verbena.nic.direct;

import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.nic.ring.SgeLayout;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;

/** What posting refuses before a work request gets a sequence (ibv_post_send(3)), and how lists are encoded. */
final class RequestCheck {
    /** The longest message, in bytes. */
    static final long MAX_MESSAGE = 1L << 31;
    private static final int ALLOWED_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;

    private RequestCheck() {}

    /** Checks flags and length of a request of one buffer. */
    static int check(int flags, long length, boolean mayInline, PostingRules rules) {
        boolean inline = (flags & SendFlags.INLINE) != 0;
        if ((flags & ~ALLOWED_FLAGS) != 0 || inline && !mayInline) {
            return PostStatus.BAD_FLAGS;
        }
        if (length < 0 || length > MAX_MESSAGE) {
            return PostStatus.BAD_LENGTH;
        }
        if (length > 0 && rules.maxSge() == 0) {
            return PostStatus.TOO_MANY_SGES;
        }
        if (inline && length > rules.maxInline()) {
            return PostStatus.INLINE_TOO_LONG;
        }
        return PostStatus.OK;
    }

    /** Checks one request of a list. */
    static int check(SendRequests requests, int index, PostingRules rules) {
        Opcode opcode = requests.opcode(index);
        if (!isLegal(opcode, rules.type())) {
            return PostStatus.BAD_OPCODE;
        }
        if (opcode == Opcode.LOCAL_INV || opcode == Opcode.BIND_MW || opcode == Opcode.FLUSH) {
            return WindowPosting.check(requests, index, rules);
        }
        boolean mayInline = switch (opcode) {
            case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE -> true;
            default -> false;
        };
        if (requests.sgeCount(index) > rules.maxSge()) {
            return PostStatus.TOO_MANY_SGES;
        }
        int status = check(requests.flags(index), totalLength(requests, index), mayInline, rules);
        if (status == PostStatus.OK && (requests.flags(index) & SendFlags.INLINE) != 0) {
            status = checkInline(requests, index, rules.inlineSource());
        }
        boolean atomic = opcode == Opcode.ATOMIC_CMP_AND_SWP || opcode == Opcode.ATOMIC_FETCH_AND_ADD
                || opcode == Opcode.ATOMIC_WRITE;
        return status != PostStatus.OK || !atomic ? status : checkAtomic(requests, index);
    }

    /** Which services offer an opcode (ibv_post_send(3)). */
    static boolean isLegal(Opcode opcode, QueuePairType type) {
        return switch (opcode) {
            case SEND, SEND_WITH_IMM -> true;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMM, SEND_WITH_INV, LOCAL_INV, BIND_MW -> type != QueuePairType.UD;
            case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE, FLUSH -> type == QueuePairType.RC;
        };
    }

    private static int checkAtomic(SendRequests requests, int index) {
        if (requests.sgeCount(index) != 1 || requests.sgeLength(index, 0) != Long.BYTES) {
            return PostStatus.ATOMIC_LENGTH;
        }
        return (requests.remoteAddress(index) & Long.BYTES - 1) != 0 ? PostStatus.ATOMIC_MISALIGNED : PostStatus.OK;
    }

    /** Looks for the bytes before the request takes a slot; they are looked for again when they are copied. */
    private static int checkInline(SendRequests requests, int index, InlineSource memory) {
        for (int i = 0; i < requests.sgeCount(index); i++) {
            long length = requests.sgeLength(index, i);
            if (length > 0 && !memory.covers(requests.sgeLkey(index, i), requests.sgeAddress(index, i), length)) {
                return PostStatus.INLINE_NOT_REGISTERED;
            }
        }
        return PostStatus.OK;
    }

    /** Bytes of all buffers; -1 when one is negative or the sum is too long. */
    private static long totalLength(SendRequests requests, int index) {
        long total = 0;
        for (int i = 0; i < requests.sgeCount(index); i++) {
            long length = requests.sgeLength(index, i);
            if (length < 0 || length > MAX_MESSAGE) {
                return -1;
            }
            total += length;
        }
        return total;
    }

    /** Writes a checked request into its entry; false when inline bytes do not lie in registered memory. */
    static boolean encode(
            SendRequests requests, int index, PostingRules rules, SendQueue queue, long sequence) {
        long wqe = queue.entry(sequence);
        SendWqe.request(wqe, requests.wrId(index), requests.opcode(index).code(), requests.flags(index));
        SendWqe.remote(wqe, requests.remoteAddress(index), requests.rkey(index));
        SendWqe.operands(wqe, requests.compareAdd(index), requests.swap(index));
        SendWqe.imm(wqe, requests.immediate(index));
        if (requests.opcode(index) == Opcode.BIND_MW) {
            WindowPosting.encode(requests, index, rules, wqe);
            return true;
        }
        if ((requests.flags(index) & SendFlags.INLINE) != 0) {
            return copyInline(requests, index, rules, queue, sequence);
        }
        encodeBuffers(requests, index, rules, wqe);
        return true;
    }

    /** Writes the buffers of a request; never past its entry, whatever others do to the list. */
    private static void encodeBuffers(SendRequests requests, int index, PostingRules rules, long wqe) {
        int count = Math.min(requests.sgeCount(index), rules.maxSge());
        SendWqe.count(wqe, count);
        long left = MAX_MESSAGE;
        for (int i = 0; i < count; i++) {
            long length = Math.clamp(requests.sgeLength(index, i), 0, left);
            left -= length;
            SgeLayout.put(SendWqe.buffer(wqe, i), requests.sgeAddress(index, i), length, requests.sgeLkey(index, i));
        }
    }

    /** Copies the bytes of a request into its entry; false when they do not lie in registered memory. */
    private static boolean copyInline(
            SendRequests requests, int index, PostingRules rules, SendQueue queue, long sequence) {
        long done = 0;
        for (int i = 0; i < requests.sgeCount(index); i++) {
            long length = requests.sgeLength(index, i);
            if (length < 0 || done + length > rules.maxInline()) {
                return false;
            }
            if (length > 0 && !rules.inlineSource().copy(requests.sgeLkey(index, i), requests.sgeAddress(index, i),
                    length, queue.memory(), queue.inlineOffset(sequence) + done)) {
                return false;
            }
            done += length;
        }
        long wqe = queue.entry(sequence);
        SendWqe.count(wqe, SendWqe.INLINE);
        SendWqe.inlineLength(wqe, (int) done);
        return true;
    }
}
