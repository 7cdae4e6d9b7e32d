package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Ends operations of the application and tells whoever started them. The driver's. */
final class Endings {
    private final ConnectionCore core;
    private final LocalMemory priorValues;
    private final Consumer<Operation> overdue = this::overdue;
    private final Consumer<Operation> overdueInLine = this::overdueInLine;

    Endings(ConnectionCore core, LocalMemory priorValues) {
        this.core = core;
        this.priorValues = priorValues;
    }

    /** Gives results that are overdue; returns when the next one is. */
    long expire(long now, WaitingLine line) {
        long next = core.user.expire(now, overdue);
        return line == null ? next : Math.min(next, line.expire(now, overdueInLine));
    }

    /** An operation that waited in line can't be posted. */
    void refused(Object target, long token, int status) {
        core.deliveries.result(target, token, status, 0,
                target instanceof RdmaFuture<?> ? core.life.exception(status) : null);
    }

    void end(Operation op, int status, RdmaException cause) {
        Object target = op.target;
        long token = op.token;
        boolean overdue = op.overdue;
        boolean atomic = op.kind == OpCode.COMPARE_AND_SWAP || op.kind == OpCode.FETCH_AND_ADD;
        long value = op.length;
        if (atomic && status == OperationStatus.SUCCESS) {
            value = priorValues.unchecked().get(ValueLayout.JAVA_LONG, 8L * op.index());
        }
        op.returnLoans();
        op.free();
        if (overdue) {
            if (target instanceof RdmaFuture<?> future) {
                future.quiesce();
            }
        } else if (atomic && status == OperationStatus.SUCCESS) {
            core.deliveries.priorValue(target, token, value);
        } else if (target != null) {
            core.deliveries.result(target, token, status, value, cause);
        }
    }

    private void overdue(Operation op) {
        op.deadline = Operation.NEVER;
        op.overdue = true;
        boolean abort = op.abortOnDeadline;
        Object target = op.target;
        long token = op.token;
        DeadlineExceededException late = new DeadlineExceededException(OpCode.name(op.kind) + " at remote address 0x"
                + Long.toHexString(op.remoteAddress) + " did not end within its deadline; it may still take place");
        if (target != null) {
            core.deliveries.overdue(target, token, late);
        }
        if (abort) {
            core.life.abort(late.getMessage());
        }
    }

    private void overdueInLine(Operation op) {
        int generation = op.generation();
        if (op.take(generation)) {
            Object target = op.target;
            long token = op.token;
            op.returnLoans();
            op.cancelled();
            DeadlineExceededException late = new DeadlineExceededException(
                    OpCode.name(op.kind) + " was not posted within its deadline, as earlier operations did not end");
            core.deliveries.result(target, token, OperationStatus.DEADLINE, 0, late);
        }
    }
}
