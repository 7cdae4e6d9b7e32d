package io.verbena.sim;

import io.verbena.rc.CompletionSink;
import io.verbena.rc.ConnectionConfig;
import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.Delivery;
import io.verbena.rc.Host;
import io.verbena.rc.RcConnection;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;

/** One end of the connection: its memory, its work, its receives, and the rules for what may end how. */
final class End implements CompletionSink {
    private static final int MORE_AFTER_ERROR = 3;

    final String name;
    final Scenario scenario;
    final Memory memory;
    final RcConnection connection;
    final Work work;
    final Receives receives;
    private final Trace trace;
    private End peer;
    private boolean crashed;
    private boolean failedBefore;
    private int events;
    private boolean stops;

    End(Arena arena, Scenario scenario, boolean first, java.util.SplittableRandom random, Trace trace) {
        name = first ? "a" : "b";
        this.scenario = scenario;
        this.trace = trace;
        Scenario.Load load = scenario.load();
        Layout layout = new Layout(2 * load.depth() + MORE_AFTER_ERROR, load.maxLength());
        memory = new Memory(arena, layout, random, readableNoise(scenario.seed(), first));
        receives = new Receives(arena, this);
        work = new Work(arena, this, first, random);
        int own = first ? 0x11 : 0x22;
        Scenario.Ends ends = scenario.ends();
        connection = new RcConnection(
                new ConnectionConfig(own, first ? 0x22 : 0x11, ends.mtu(), first ? ends.psnB() : ends.psnA(),
                        ends.responding()),
                new Host(memory.host(own), work, receives, this));
        Requesting r = ends.requesting();
        connection.startSending(new Requesting(first ? ends.psnA() : ends.psnB(), r.ackTimeoutNs(), r.retryCount(),
                r.rnrRetry(), r.maxReads(), r.windowPackets(), r.heedsCredits()), 0);
    }

    static long readableNoise(long seed, boolean first) {
        return seed * 31 + (first ? -1 : -2);
    }

    void join(End other) {
        peer = other;
    }

    End peer() {
        return peer;
    }

    boolean isFailed() {
        return connection.state() == QueuePairState.ERR;
    }

    void crash() {
        crashed = true;
        trace.note(name + " is gone");
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Posts what can be posted now. */
    void post(boolean healed) {
        if (isFailed() && !stops) {
            stops = true;
            work.limit(work.posted() + MORE_AFTER_ERROR);
        }
        work.post();
        receives.post(healed, peer.work.messages());
    }

    boolean isDone() {
        return crashed || work.isDone();
    }

    // Sink

    @Override
    public boolean sendEnded(long sequence, int code, long bytes) {
        WcStatus status = WcStatus.ofCode(code);
        Job job = work.end(sequence);
        trace.note(name + " request " + sequence + " " + job.kind() + " of " + job.length() + " bytes: " + status);
        if (status == WcStatus.SUCCESS) {
            if (failedBefore) {
                throw new Violation("O1: request " + sequence + " of " + name + " succeeded after one had failed");
            }
            work.checkSuccess(job, bytes);
        } else {
            work.checkFailure(job, status, failedBefore || events > 0);
            failedBefore = true;
        }
        return true;
    }

    @Override
    public boolean receiveEnded(long receive, int code, Delivery delivery) {
        WcStatus status = WcStatus.ofCode(code);
        trace.note(name + " receive " + receive + ": " + status);
        receives.end(receive);
        if (status == WcStatus.SUCCESS) {
            receives.checkDelivery(receive, delivery, peer.work);
        } else if (status != WcStatus.WR_FLUSH_ERR) {
            throw new Violation("O2: a receive of " + name + " ended as " + status);
        } else {
            receives.forget(receive);
        }
        return true;
    }

    @Override
    public void failed(Kind kind) {
        trace.note(name + " is in ERR, event " + kind);
        events++;
        if (events > 1) {
            throw new Violation("O1: " + name + " failed twice");
        }
        if (kind == Kind.QP_REQ_ERR || kind == Kind.QP_FATAL) {
            throw new Violation("O2: nobody sent " + name + " an invalid request, yet it raised " + kind);
        }
        boolean wicked = scenario.load().wicked() || memory.isRevoked();
        if (kind == Kind.QP_ACCESS_ERR && !wicked) {
            throw new Violation("O3: nobody did what " + name + " complains about by " + kind);
        }
    }

    @Override
    public void established() {}

    @Override
    public void drained() {}

    void checkEnd() {
        work.forgetUnfinished();
        receives.forgetUnfinished();
    }
}
