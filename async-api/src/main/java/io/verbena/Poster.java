package io.verbena;

import io.verbena.async.memory.Loans;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;

/** Posts operations on one queue pair. */
final class Poster {
    /** Of a buffer in {@link Operation#buffers}. */
    static final int WORDS = 3;
    /** Besides the codes of {@link Loans#acquire}: the memory is another node's. */
    static final long FOREIGN = -4;

    private final QueuePair queuePair;
    private final int maxSge;
    private final long priorAddress;
    private final int priorKey;

    /** The prior values of atomics go to 8 bytes for each place, from priorAddress on. */
    Poster(QueuePair queuePair, int maxSge, long priorAddress, int priorKey) {
        this.queuePair = queuePair;
        this.maxSge = maxSge;
        this.priorAddress = priorAddress;
        this.priorKey = priorKey;
    }

    /** Posts; a code of {@link PostStatus}. Once it returns OK the operation may have ended. */
    int post(Operation op) {
        int flags = op.flags | SendFlags.SIGNALED;
        if (op.buffers != null) {
            return postList(op);
        }
        return switch (op.kind) {
            case OpCode.READ -> queuePair.postRead(
                    op.wrId(), op.address, op.length, op.lkey, op.remoteAddress, op.rkey, flags);
            case OpCode.WRITE, OpCode.PROBE, OpCode.FLUSH -> queuePair.postWrite(
                    op.wrId(), op.address, op.length, op.lkey, op.remoteAddress, op.rkey, flags);
            case OpCode.FETCH_AND_ADD -> queuePair.postFetchAndAdd(op.wrId(), priorAddress + 8L * op.index(), priorKey,
                    op.remoteAddress, op.rkey, op.operand, flags);
            case OpCode.SEND, OpCode.CONTROL -> queuePair.postSend(op.wrId(), op.address, op.length, op.lkey, flags);
            default -> postList(op);
        };
    }

    /** Posts a message that begins with a header; the rest lies where the operation says, or nowhere. */
    int postFrame(Operation op, long header, int headerBytes, int headerKey, boolean withRest) {
        int flags = op.flags | SendFlags.SIGNALED;
        if (!withRest && op.kind != OpCode.SEND_WITH_IMM) {
            return queuePair.postSend(op.wrId(), header, headerBytes, headerKey, flags);
        }
        SendRequests list = list(op).clear();
        list.add(op.wrId(), opcode(op.kind), flags).sge(header, headerBytes, headerKey).imm(op.immediate);
        if (withRest) {
            list.sge(op.address, op.length, op.lkey);
        }
        return queuePair.postSend(list);
    }

    private int postList(Operation op) {
        SendRequests list = list(op).clear();
        describe(list, op);
        return queuePair.postSend(list);
    }

    /** The list of a place, made at its first use. */
    private SendRequests list(Operation op) {
        if (op.requests == null) {
            op.requests = new SendRequests(1, maxSge);
        }
        return op.requests;
    }

    /** Adds an operation to a list. */
    void describe(SendRequests list, Operation op) {
        list.add(op.wrId(), opcode(op.kind), op.flags | SendFlags.SIGNALED);
        switch (op.kind) {
            case OpCode.COMPARE_AND_SWAP -> list.sge(priorAddress + 8L * op.index(), 8, priorKey)
                    .remote(op.remoteAddress, op.rkey).compareAndSwap(op.operand, op.swap);
            case OpCode.FETCH_AND_ADD -> list.sge(priorAddress + 8L * op.index(), 8, priorKey)
                    .remote(op.remoteAddress, op.rkey).fetchAndAdd(op.operand);
            default -> {
                buffers(list, op);
                list.remote(op.remoteAddress, op.rkey).imm(op.immediate);
            }
        }
    }

    private static void buffers(SendRequests list, Operation op) {
        long[] several = op.buffers;
        if (several == null) {
            list.sge(op.address, op.length, op.lkey);
            return;
        }
        for (int i = 0; i < several.length; i += WORDS) {
            list.sge(several[i], several[i + 1], (int) several[i + 2]);
        }
    }

    static Opcode opcode(int kind) {
        return switch (kind) {
            case OpCode.WRITE, OpCode.PROBE, OpCode.FLUSH -> Opcode.RDMA_WRITE;
            case OpCode.WRITE_WITH_IMM -> Opcode.RDMA_WRITE_WITH_IMM;
            case OpCode.READ -> Opcode.RDMA_READ;
            case OpCode.COMPARE_AND_SWAP -> Opcode.ATOMIC_CMP_AND_SWP;
            case OpCode.FETCH_AND_ADD -> Opcode.ATOMIC_FETCH_AND_ADD;
            case OpCode.SEND_WITH_IMM -> Opcode.SEND_WITH_IMM;
            default -> Opcode.SEND;
        };
    }

    /** What the caller of an operation is told about memory that was not lent. */
    static int statusOfLoan(long loan) {
        if (loan == Loans.CONFLICT) {
            return OperationStatus.OWNERSHIP;
        }
        if (loan == FOREIGN) {
            return OperationStatus.FOREIGN_MEMORY;
        }
        return loan == Loans.CLOSED ? OperationStatus.MEMORY_CLOSED : OperationStatus.NO_RIGHT;
    }

    /** What the caller of an operation is told about a post that was refused. */
    static int statusOf(int posted) {
        return switch (posted) {
            case PostStatus.OK -> OperationStatus.SUCCESS;
            case PostStatus.QUEUE_FULL -> OperationStatus.BACK_PRESSURED;
            case PostStatus.CLOSED -> OperationStatus.CLOSED;
            case PostStatus.WRONG_STATE -> OperationStatus.FAILED;
            case PostStatus.BAD_LENGTH, PostStatus.TOO_MANY_SGES, PostStatus.INLINE_TOO_LONG -> OperationStatus.LENGTHS;
            case PostStatus.ATOMIC_MISALIGNED -> OperationStatus.MISALIGNED;
            default -> OperationStatus.REFUSED;
        };
    }
}
