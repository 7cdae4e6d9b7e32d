package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;

/**
 * A reliable connection (IBA 9.7), from RTR until it ends; one that is reset is made anew. Pure: packets, work and time
 * come in, packets, completions and deadlines go out.
 *
 * <p>Four kinds of methods:
 * <ul>
 *   <li>inputs: {@link #onWork}, {@link #onPacket}, {@link #onTimeout}, {@link #fail};
 *   <li>control: {@link #startSending}, {@link #drain}, {@link #resume}, {@link #update};
 *   <li>outputs, to be polled after any input until there is nothing more: {@link #nextPacket}, then
 *       {@link #hasDeadline} and {@link #nextDeadline};
 *   <li>questions: {@link #state}, {@link #sendPsn}, {@link #receivePsn}.
 * </ul>
 * Calls of the {@link CompletionSink} come from inside inputs and outputs.
 *
 * <p>Times are nanoseconds of one clock that never goes back; only differences count, so it may start anywhere and
 * wrap. One thread at a time. No input or output allocates, blocks, or throws for anything that a peer sent or that
 * memory was taken away. A packet that was written and cannot be sent may be dropped: it is then as if the wire had
 * lost it.
 */
public final class RcConnection {
    private final Host host;
    private final Lifecycle life;
    private final Timers timers = new Timers();
    private final Responder responder;
    private ConnectionConfig config;
    private SendWindow window;
    private Requester requester;
    private Completer completer;
    private boolean sinceAck;

    /**
     * Makes a connection in RTR.
     *
     * @param config both ends, and how requests are served
     * @param host what the engine works on
     */
    public RcConnection(ConnectionConfig config, Host host) {
        this.config = config;
        this.host = host;
        life = new Lifecycle(host);
        responder = new Responder(this, host);
    }

    // Control

    /**
     * From RTR to RTS.
     *
     * @param requesting how own requests are sent
     * @param firstSequence of the send queue that belongs to this connection
     */
    public void startSending(ConnectionConfig.Requesting requesting, long firstSequence) {
        window = new SendWindow(requesting.windowPackets(), requesting.sendPsn() + Psn.MASK + 1L, firstSequence);
        Credits credits = new Credits(requesting.heedsCredits());
        requester = new Requester(this, host, requesting, window, credits);
        completer = new Completer(this, host, requesting, window, requester, credits);
        life.send();
    }

    /** From RTS to SQD: requests that have begun go on, others wait; {@link CompletionSink#drained} tells the end. */
    public void drain() {
        life.drain();
        reportDrained();
    }

    /** From SQD back to RTS. */
    public void resume() {
        life.send();
    }

    /**
     * Changes how requests are served; allowed in any state. More READs than before need memory; after fewer, as many
     * as before are still remembered, since the peer may have asked for them already.
     *
     * @param responding how from now on
     */
    public void update(ConnectionConfig.Responding responding) {
        config = new ConnectionConfig(
                config.qpNum(), config.remoteQpNum(), config.mtuBytes(), config.receivePsn(), responding);
        responder.update(config);
    }

    /**
     * Changes how own requests are sent; in RTS or SQD.
     *
     * @param requesting the first packet sequence number, the window and the credits of it do not matter
     */
    public void update(ConnectionConfig.Requesting requesting) {
        requester.limits(requesting);
        completer.limits(requesting);
    }

    // Inputs

    /**
     * Work was posted, or receives.
     *
     * @param now the time
     */
    public void onWork(long now) {
        if (life.isFailed()) {
            flush();
        }
    }

    /**
     * A packet came in that is for this connection: its address, partition and CRC have been checked.
     *
     * @param view the packet; not used after the call
     * @param now the time
     * @return what became of it
     */
    public Verdict onPacket(PacketView view, long now) {
        PacketType type = view.type();
        if (type == PacketType.CNP) {
            return Verdict.CONGESTION;
        }
        if (type.transport() != PacketType.RC) {
            return Verdict.WRONG_TRANSPORT;
        }
        if (life.isFailed()) {
            return type.isRequest() && responder.answers().repeatLastWord() ? Verdict.DUPLICATE : Verdict.WRONG_STATE;
        }
        if (type.isRequest()) {
            Verdict verdict = responder.onRequest(view, now);
            life.served(verdict);
            return verdict;
        }
        if (requester == null) {
            return Verdict.WRONG_STATE;
        }
        Verdict verdict = completer.onResponse(view, now);
        reportDrained();
        return verdict;
    }

    /**
     * A deadline may have passed; harmless when none has.
     *
     * @param now the time
     */
    public void onTimeout(long now) {
        onTimeout(now, now);
    }

    /**
     * The same when packets may have come that this has not seen yet: an answer among them is not missing.
     *
     * @param now the time
     * @param seen whatever had come by then has been handed to {@link #onPacket}; not after {@code now}
     */
    public void onTimeout(long now, long seen) {
        if (timers.expire(Timers.ACK, now)) {
            responder.answers().makeDue();
        }
        if (timers.expire(Timers.RNR, completer != null && completer.awaitsLastAnswer() ? seen : now)) {
            completer.onWaitOver();
        }
        if (timers.expire(Timers.RETRANSMIT, seen)) {
            completer.onRetransmitTimeout();
            reportDrained();
        }
    }

    /**
     * To ERR, because the owner says so: everything is flushed, nothing is sent any more.
     *
     * @param kind the event to raise, or null
     */
    public void fail(Kind kind) {
        responder.answers().clear();
        toError(0, kind);
    }

    /**
     * Nothing will be posted soon: an acknowledgement that waits for company goes with the next packet asked for. To be
     * called, if at all, after the inputs of a turn and before its outputs.
     */
    public void onRest() {
        responder.answers().makeDue();
    }

    // Outputs

    /**
     * Writes the next packet.
     *
     * @param writer wrapped over memory for a packet of {@link PacketView#MAX_BYTES}
     * @param now the time
     * @return false when there is nothing to send now; then the writer's memory may have been written all the same
     */
    public boolean nextPacket(PacketWriter writer, long now) {
        if (responder.answers().nextPacket(writer)) {
            return true;
        }
        if (life.isFailed() || requester == null) {
            return false;
        }
        if (requester.nextPacket(writer, now)) {
            sinceAck = true;
            return true;
        }
        reportDrained();
        if (life.isFailed()) {
            return false;
        }
        if (sinceAck) {
            // Packets go out, so the acknowledgement goes along.
            sinceAck = false;
            responder.answers().makeDue();
            return responder.answers().nextPacket(writer);
        }
        return false;
    }

    /**
     * Writes the last packet of a connection that is about to be given up: the acknowledgement that has waited for
     * others to go with, without which the peer would ask again until it gives up too.
     *
     * @param writer as for {@link #nextPacket}
     * @return false when there is none
     */
    public boolean lastPacket(PacketWriter writer) {
        return !life.isFailed() && responder.answers().lastPacket(writer);
    }

    /**
     * Whether {@link #onTimeout} must be called at some time; an idle connection needs none.
     *
     * @return false when there is no deadline
     */
    public boolean hasDeadline() {
        return timers.hasDeadline();
    }

    /**
     * When {@link #onTimeout} must be called.
     *
     * @return the earliest deadline; only while {@link #hasDeadline}
     */
    public long nextDeadline() {
        return timers.next();
    }

    // Questions

    /** RTR, RTS, SQD or ERR. */
    public QueuePairState state() {
        return life.state();
    }

    /** The next packet sequence number to send, 24 bits; 0 before RTS. */
    public int sendPsn() {
        return window == null ? 0 : Psn.wire(window.end());
    }

    /** The next packet sequence number awaited, 24 bits. */
    public int receivePsn() {
        return responder.expectedPsn();
    }

    /** Requests that have ended, counted from sequence 0 of the send queue; 0 before RTS. */
    public long ended() {
        return window == null ? 0 : window.oldest();
    }

    /** Packets sent that have no answer yet, each packet of the answer to a READ counted; 0 before RTS. */
    public int outstanding() {
        return window == null ? 0 : window.outstanding();
    }

    // For the parts

    ConnectionConfig config() {
        return config;
    }

    Timers timers() {
        return timers;
    }

    boolean maySend() {
        return life.isSending();
    }

    boolean isFailed() {
        return life.isFailed();
    }

    /** The oldest request failed with a status; everything after it is flushed. */
    void failSend(int status) {
        responder.answers().clear();
        toError(status, null);
    }

    /** A completion of a send was lost. */
    void overflow() {
        responder.answers().clear();
        toError(0, Kind.QP_FATAL);
    }

    /** A request of the peer failed; what the responder still has to say goes out. */
    void failReceive(Kind kind) {
        toError(0, kind);
    }

    private void toError(int status, Kind kind) {
        if (life.isFailed()) {
            return;
        }
        life.fail();
        timers.disarmAll();
        responder.abandon();
        if (window != null && status != 0) {
            long oldest = window.oldest();
            window.abandon(oldest + 1);
            if (!host.completions().sendEnded(oldest, status, 0)) {
                host.completions().failed(Kind.QP_FATAL);
            }
        }
        host.completions().failed(kind);
        flush();
    }

    private void flush() {
        if (window != null) {
            window.abandon(life.flush(window.oldest()));
        }
    }

    private void reportDrained() {
        life.reportDrained(life.isDraining() && window.oldest() == window.begun());
    }
}
