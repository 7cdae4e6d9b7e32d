package io.verbena;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.async.op.Operations;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.Threading;

/** Receives that the application posts, on a connection without frames: with any peer that speaks RDMA. */
final class RawReceives implements Inbound {
    private final ConnectionCore core;
    private final Operations places;

    RawReceives(ConnectionCore core) {
        this.core = core;
        places = new Operations(Operation.RECEIVE_TABLE, core.config.queues().receives(),
                core.node.config().threading() == Threading.SINGLE);
    }

    /** Posts a receive; a code of {@link OperationStatus}. */
    int receive(LocalMemory into, RdmaFuture<RawMessage> target) {
        int refused = core.life.refusal();
        if (refused != OperationStatus.SUCCESS && refused != OperationStatus.NOT_CONNECTED) {
            return refused;
        }
        Operation op = core.deliveries.isFull() ? null : places.reserve();
        if (op == null) {
            return OperationStatus.BACK_PRESSURED;
        }
        op.kind = OpCode.RECEIVE;
        op.target = target;
        op.length = into.length();
        int lent = core.lend(op, into, true);
        if (lent != OperationStatus.SUCCESS) {
            return lent;
        }
        int posted = core.queuePair.postReceive(op.wrId(), into.address(), into.length(), into.lkey());
        if (posted != PostStatus.OK) {
            op.returnLoans();
            op.free();
        }
        return Poster.statusOf(posted);
    }

    /** Posts a send; a code of {@link OperationStatus}. */
    int send(LocalMemory message, boolean withImm, int imm, OperationOptions options, RdmaFuture<Void> target) {
        int refused = core.life.refusal();
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = core.reserve(withImm ? OpCode.SEND_WITH_IMM : OpCode.SEND);
        if (op == null) {
            return core.noPlace();
        }
        op.immediate = imm;
        op.address = message.address();
        op.length = message.length();
        op.lkey = message.lkey();
        op.remoteAddress = 0;
        op.rkey = 0;
        int lent = core.lend(op, message, false);
        return lent == OperationStatus.SUCCESS ? core.start(op, options, target, 0) : lent;
    }

    @Override
    public void prepare() {
        // The application posts what it needs, before connecting if the peer may send at once.
    }

    @Override
    public void opened(PeerLimits peer) {
        // A peer without frames says nothing about itself.
    }

    @Override
    public boolean takeCredit() {
        return true;
    }

    @Override
    public void returnCredit() {
        // None was taken.
    }

    @Override
    public int post(Operation op) {
        return core.poster.post(op);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void received(Receipt receipt) {
        Operation op = places.find(receipt.wrId);
        if (op == null) {
            return;
        }
        RdmaFuture<RawMessage> future = (RdmaFuture<RawMessage>) op.target;
        RawMessage message = new RawMessage(receipt.isWrite ? 0 : receipt.bytes, receipt.hasImm, receipt.imm);
        int status = receipt.status;
        int vendorErr = receipt.vendorErr;
        op.returnLoans();
        op.free();
        core.deliveries.raw(future, status == OperationStatus.SUCCESS
                ? message : core.life.failedBy(status, vendorErr, OpCode.RECEIVE, 0));
    }

    @Override
    public void sent(Operation op, int status) {
        op.free();
    }

    @Override
    public boolean endsLater(Operation op, int status) {
        return false;
    }

    @Override
    public void turn() {
        // Nothing is ever put off.
    }

    @Override
    public boolean disconnect() {
        return true;
    }

    @Override
    public long maxBytes() {
        return core.config.messages().maxBytes();
    }

    @Override
    public boolean isPeerGone() {
        return true;
    }

    @Override
    public void failed() {
        // Its receives are flushed by the queue pair.
    }

    @Override
    public void closed() {
        places.endAll(op -> {
            @SuppressWarnings("unchecked")
            RdmaFuture<RawMessage> future = (RdmaFuture<RawMessage>) op.target;
            op.returnLoans();
            op.free();
            if (future != null) {
                core.deliveries.raw(future, core.life.swept(OpCode.RECEIVE));
            }
        });
    }
}
