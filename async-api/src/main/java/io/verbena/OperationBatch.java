package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.verbs.Access;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendRequests;
import java.util.ArrayList;
import java.util.List;

/**
 * READs, WRITEs and atomics that are posted together, with one doorbell: all of them or none. Filled by one thread, and
 * posted once. Back pressure lets none of them wait: a batch that finds too few places, or others in line, fails.
 */
public final class OperationBatch {
    /** One of them; local is null for an atomic. */
    private record Entry(int kind, LocalMemory local, RemoteMemory remote, long operand, long swap,
            RdmaFuture<?> future) {}

    private final RdmaOperations connection;
    private final ConnectionCore core;
    private final List<Entry> entries = new ArrayList<>();
    private boolean posted;
    /** Why none was started; null as long as that is not known. */
    private Entry culprit;

    OperationBatch(RdmaOperations connection) {
        this.connection = connection;
        core = connection.core;
    }

    private <T> RdmaFuture<T> add(int kind, LocalMemory local, RemoteMemory remote, long operand, long swap) {
        if (posted) {
            throw new IllegalStateException("the batch is posted; begin another");
        }
        RdmaFuture<T> future = connection.future();
        entries.add(new Entry(kind, local, Checks.present("remote", remote), operand, swap, future));
        return future;
    }

    /**
     * Adds a READ.
     *
     * @param local where the bytes go; needs LOCAL_WRITE
     * @param remote the peer's memory, of equal length
     * @return its result, once the batch is posted
     */
    public RdmaFuture<Void> read(LocalMemory local, RemoteMemory remote) {
        return add(OpCode.READ, Checks.present("local", local), remote, 0, 0);
    }

    /**
     * Adds a WRITE.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @return its result, once the batch is posted
     */
    public RdmaFuture<Void> write(LocalMemory local, RemoteMemory remote) {
        return add(OpCode.WRITE, Checks.present("local", local), remote, 0, 0);
    }

    /**
     * Adds a compare and swap; see {@link RdmaOperations#compareAndSwap(RemoteMemory, long, long)}.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param expected swap only when the 8 bytes equal this
     * @param newValue what to put there
     * @return the prior value, once the batch is posted
     */
    public RdmaFuture<Long> compareAndSwap(RemoteMemory remote, long expected, long newValue) {
        return add(OpCode.COMPARE_AND_SWAP, null, remote, expected, newValue);
    }

    /**
     * Adds a fetch and add.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param add what to add
     * @return the prior value, once the batch is posted
     */
    public RdmaFuture<Long> fetchAndAdd(RemoteMemory remote, long add) {
        return add(OpCode.FETCH_AND_ADD, null, remote, add, 0);
    }

    /**
     * Starts all of them, or none: then every future fails with the reason.
     *
     * @return {@link OperationStatus#SUCCESS}, or a code that says why none was started
     * @throws IllegalStateException when it was posted before
     */
    public int post() {
        if (posted) {
            throw new IllegalStateException("the batch is posted; begin another");
        }
        posted = true;
        int status = entries.isEmpty() ? OperationStatus.SUCCESS : postAll();
        if (status != OperationStatus.SUCCESS) {
            for (Entry each : entries) {
                connection.started(each.future(), status, culprit == null ? null : culprit.local(),
                        culprit == null ? null : culprit.remote(), culprit != null && culprit.kind() == OpCode.READ);
            }
        }
        return status;
    }

    private int postAll() {
        List<Operation> places = new ArrayList<>();
        SendRequests list = new SendRequests(entries.size(), 1);
        int status = OperationStatus.SUCCESS;
        for (Entry each : entries) {
            status = prepare(each, places);
            if (status != OperationStatus.SUCCESS) {
                culprit = each;
                break;
            }
            core.poster.describe(list, places.getLast());
        }
        if (status == OperationStatus.SUCCESS) {
            status = postList(list, places);
        }
        if (status != OperationStatus.SUCCESS) {
            for (Operation each : places) {
                each.returnLoans();
                each.free();
            }
        }
        return status;
    }

    private int postList(SendRequests list, List<Operation> places) {
        long deadline = core.usualDeadline();
        int[] generations = new int[places.size()];
        for (int i = 0; i < generations.length; i++) {
            generations[i] = places.get(i).generation();
            places.get(i).deadline = deadline;
        }
        int refused = core.queuePair.postAll(list);
        if (refused != PostStatus.OK) {
            return refused == PostStatus.WRONG_STATE ? core.life.refusalAfterPost() : Poster.statusOf(refused);
        }
        for (int i = 0; i < generations.length; i++) {
            core.posted(places.get(i), generations[i], deadline);
        }
        return OperationStatus.SUCCESS;
    }

    private int prepare(Entry entry, List<Operation> places) {
        RemoteMemory remote = entry.remote();
        boolean atomic = entry.local() == null;
        if (remote.length() != (atomic ? Long.BYTES : entry.local().length())) {
            return OperationStatus.LENGTHS;
        }
        if (atomic && (remote.address() & Long.BYTES - 1) != 0) {
            return OperationStatus.MISALIGNED;
        }
        int right = entry.kind() == OpCode.READ ? Access.REMOTE_READ : Access.REMOTE_WRITE;
        int refused = core.refusal(remote, atomic ? Access.REMOTE_ATOMIC : right);
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = core.reserveNow(entry.kind());
        if (op == null) {
            return core.noPlace();
        }
        op.target = entry.future();
        op.length = remote.length();
        op.remoteAddress = remote.address();
        op.rkey = remote.rkey();
        op.operand = entry.operand();
        op.swap = entry.swap();
        if (!atomic) {
            op.address = entry.local().address();
            op.lkey = entry.local().lkey();
            int lent = core.lend(op, entry.local(), entry.kind() == OpCode.READ);
            if (lent != OperationStatus.SUCCESS) {
                return lent;
            }
        }
        places.add(op);
        return OperationStatus.SUCCESS;
    }
}
