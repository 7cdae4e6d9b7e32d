package io.verbena.nic.wire;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.counters.QueuePairCounters;
import io.verbena.nic.direct.CompletionOpcodes;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.PostedRequests;
import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SendWqe;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.rc.CompletionSink;
import io.verbena.rc.Delivery;
import io.verbena.rc.SendSource;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;

/** What the protocol engine says has ended, written into the lanes of a wired queue pair. */
final class Completions implements CompletionSink {
    private static final int FLUSHED = WcStatus.WR_FLUSH_ERR.code();

    private final WiredPair pair;
    private final Endpoint endpoint;
    private final PostedRequests requests;
    private final long record;
    /** While everything is dropped nobody is told of anything. */
    private boolean dropping;
    private volatile boolean drained;

    Completions(WiredPair pair, Endpoint endpoint, PostedRequests requests) {
        this.pair = pair;
        this.endpoint = endpoint;
        this.requests = requests;
        record = endpoint.receiveLane().counters();
    }

    private NicCounters counters() {
        return endpoint.nicCounters();
    }

    /** Whether to drop what ends from now on. */
    void dropping(boolean on) {
        dropping = on;
    }

    // Sends

    @Override
    public boolean sendEnded(long sequence, int status, long bytes) {
        long wqe = requests.queue().entry(sequence);
        boolean silent = dropping || SendWqe.opcode(wqe) == SendSource.NOTHING;
        boolean reported = silent || report(wqe, sequence, status, bytes);
        requests.queue().done(sequence);
        return reported;
    }

    private boolean report(long wqe, long sequence, int status, long bytes) {
        int opcode = SendWqe.opcode(wqe);
        if (status == 0) {
            QueuePairCounters.executed(record, opcode, bytes);
        } else {
            counters().sendEnded(record, status);
            if (status != FLUSHED) {
                endpoint.enterSendError(); // before somebody polls the completion and looks at the state
            }
        }
        if (status == 0 && !requests.signalsAll() && (SendWqe.flags(wqe) & SendFlags.SIGNALED) == 0) {
            return true;
        }
        long detail = Detail.of(status == 0 ? bytes : 0, CompletionOpcodes.of(opcode), status, 0);
        return requests.lane().produce(SendWqe.wrId(wqe), detail, sequence);
    }

    // Receives

    @Override
    public boolean receiveEnded(long receive, int status, Delivery delivery) {
        SharedReceives shared = endpoint.shared();
        if (dropping) {
            if (shared != null) {
                shared.queue().giveBack((int) receive);
            }
            return true;
        }
        boolean solicited = status != 0 || delivery.isSolicited();
        long detail = Detail.of(0, WcOpcode.RECV.code(), status, 0);
        if (status == 0) {
            detail = Detail.of(delivery.bytes(), delivery.opcode(), 0, delivery.flags());
        } else if (status != FLUSHED) {
            counters().receiveRefused(WcStatus.ofCode(status));
        }
        int imm = status == 0 ? delivery.imm() : 0;
        if (shared == null) {
            return endpoint.receiveLane().produce(detail, imm, solicited);
        }
        long numbers = (long) endpoint.qpNum() << Integer.SIZE | (status == 0 ? delivery.sourceQp() : 0);
        boolean reported = shared.lane().produce((int) receive, detail, imm, numbers, solicited, record);
        if (!reported) {
            shared.queue().giveBack((int) receive);
        }
        return reported;
    }

    // The queue pair

    @Override
    public void failed(Kind kind) {
        if (dropping) {
            return;
        }
        if (kind == Kind.QP_ACCESS_ERR) {
            counters().refused(WcStatus.REM_ACCESS_ERR);
        } else if (kind == Kind.QP_REQ_ERR) {
            counters().refused(WcStatus.REM_INV_REQ_ERR);
        }
        if (pair.engineState() == QueuePairState.ERR) {
            endpoint.enterError(kind);
        } else {
            endpoint.enterSendError();
        }
    }

    @Override
    public void established() {
        endpoint.noteEstablished();
    }

    @Override
    public void drained() {
        drained = true;
        endpoint.drained();
    }

    // What is only counted

    @Override
    public void answerMissing() {
        QueuePairCounters.timerRanOut(record, true);
    }

    @Override
    public void peerNotReady() {
        counters().notReady(record);
    }

    @Override
    public void notReady() {
        counters().add(DeviceCounter.SEND_RNR_ERR, 1);
    }

    /** Draining begins. */
    void drainBegins() {
        drained = false;
    }

    /** Whether draining has ended; by any thread. */
    boolean isDrained() {
        return drained;
    }
}
