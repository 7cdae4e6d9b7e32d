package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Syndrome;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.WcStatus;

/**
 * Takes the peer's answers and ends work requests (IBA 9.7.5, 9.7.6). What is answered moves on only over requests that
 * an acknowledgement can end; it never crosses a READ or atomic whose data has not come.
 */
final class Completer {
    private final RcConnection connection;
    private ConnectionConfig.Requesting limits;
    private final CompletionSink sink;
    private final Requester requester;
    private final SendWindow window;
    private final Credits credits;
    private final Timers timers;
    private final Retry retry = new Retry();
    private final int mtu;
    /** No try is left, but the last one may be answered yet; the timer that no try goes out before says how long. */
    private boolean awaitsLastAnswer;

    Completer(RcConnection connection, Host host, ConnectionConfig.Requesting limits, SendWindow window,
            Requester requester, Credits credits) {
        this.connection = connection;
        this.limits = limits;
        sink = host.completions();
        this.requester = requester;
        this.window = window;
        this.credits = credits;
        timers = connection.timers();
        mtu = connection.config().mtuBytes();
        retry.limits(limits.retryCount(), limits.rnrRetry());
    }

    void limits(ConnectionConfig.Requesting changed) {
        limits = changed;
        retry.limits(limits.retryCount(), limits.rnrRetry());
    }

    /** Takes an answer. */
    Verdict onResponse(PacketView view, long now) {
        PacketType type = view.type();
        long position = Psn.position(window.unanswered(), view.psn());
        if (position < window.unanswered() || position >= window.sent()) {
            return Verdict.STALE;
        }
        requester.roundTrip().answer(position, now);
        if (type == PacketType.RC_ACKNOWLEDGE) {
            return acknowledge(view, position, now);
        }
        if (type.hasAeth()) {
            credits.update(view.syndrome(), view.msn());
        }
        long sequence = window.sequenceAt(position);
        if (!fits(type, window.opcode(sequence))) {
            return refuse(sequence, now);
        }
        if (!answeredUpTo(window.first(sequence), now) || position != window.unanswered()) {
            // An answer before this one was lost.
            goBackOnce();
            return Verdict.OUT_OF_SEQUENCE;
        }
        return type.isAtomic() ? atomic(view, sequence, now) : read(view, sequence, position, now);
    }

    private static boolean fits(PacketType type, int opcode) {
        if (SendWindow.isAtomic(opcode)) {
            return type.isAtomic();
        }
        return SendWindow.wantsResponse(opcode) && type.isRead();
    }

    /** An answer that fits nothing: the request it claims to answer fails, once those before it have ended. */
    private Verdict refuse(long sequence, long now) {
        if (answeredUpTo(window.first(sequence), now)) {
            connection.failSend(WcStatus.BAD_RESP_ERR.code());
        } else {
            goBackOnce();
        }
        return Verdict.ACCEPTED;
    }

    // Acknowledgements

    private Verdict acknowledge(PacketView view, long position, long now) {
        int syndrome = view.syndrome();
        switch (Syndrome.kind(syndrome)) {
            case Syndrome.ACK -> {
                credits.update(syndrome, view.msn());
                if (!answeredUpTo(position + 1, now)) {
                    goBackOnce();
                }
            }
            case Syndrome.RNR -> {
                return notReady(position, syndrome, now);
            }
            case Syndrome.NAK -> {
                return refused(position, syndrome, now);
            }
            default -> {
                return Verdict.STALE;
            }
        }
        return Verdict.ACCEPTED;
    }

    private Verdict notReady(long position, int syndrome, long now) {
        if (timers.isArmed(Timers.RNR)) {
            if (!awaitsLastAnswer) {
                return Verdict.STALE;
            }
            if (position == window.unanswered()) {
                return lastRefusal(now);
            }
        }
        if (!answeredUpTo(position, now)) {
            goBackOnce();
            return Verdict.ACCEPTED;
        }
        if (connection.isFailed()) {
            return Verdict.ACCEPTED;
        }
        // An answer to an earlier try, or to a copy of it, must not start one more besides the try that is under way:
        // each such pair of tries would be answered twice, and so on. So nobody tries twice within a round trip.
        boolean resent = window.wasResent(window.sequenceAt(position));
        long untilAnswer = resent ? requester.roundTrip().untilAnswer(now) : 0;
        sink.peerNotReady();
        // The peer is alive, however long it has no receive: tries without an answer count anew.
        retry.answered();
        timers.disarm(Timers.RETRANSMIT);
        if (retry.tryAgainNotReady()) {
            window.rewind();
            timers.arm(Timers.RNR, now + Math.max(untilAnswer, RnrTimer.nanos(Syndrome.value(syndrome))));
        } else if (untilAnswer > 0) {
            awaitsLastAnswer = true;
            timers.arm(Timers.RNR, now + requester.roundTrip().untilOverdue(now));
        } else {
            connection.failSend(WcStatus.RNR_RETRY_EXC_ERR.code());
        }
        return Verdict.ACCEPTED;
    }

    /** Refused once more when no try is left: by an answer to the last one, or to one before it. */
    private Verdict lastRefusal(long now) {
        if (requester.roundTrip().untilAnswer(now) > 0) {
            return Verdict.STALE;
        }
        connection.failSend(WcStatus.RNR_RETRY_EXC_ERR.code());
        return Verdict.ACCEPTED;
    }

    /** Whether {@link Timers#RNR} is for the end of an answer's time, and not for the next try. */
    boolean awaitsLastAnswer() {
        return awaitsLastAnswer;
    }

    /** The wait that {@link Timers#RNR} is for is over: the next try may go out, unless there is none. */
    void onWaitOver() {
        if (awaitsLastAnswer) {
            connection.failSend(WcStatus.RNR_RETRY_EXC_ERR.code());
        }
    }

    private Verdict refused(long position, int syndrome, long now) {
        long before = window.unanswered();
        boolean reached = answeredUpTo(position, now);
        if (connection.isFailed()) {
            return Verdict.ACCEPTED;
        }
        if (syndrome == Syndrome.NAK_SEQUENCE) {
            if (window.unanswered() > before) {
                goBack();
            } else {
                goBackOnce();
            }
        } else if (reached || window.sequenceAt(position) == window.oldest()) {
            connection.failSend(statusOf(syndrome));
        } else {
            goBackOnce();
        }
        return Verdict.ACCEPTED;
    }

    private static int statusOf(int syndrome) {
        return switch (syndrome) {
            case Syndrome.NAK_INVALID_REQUEST -> WcStatus.REM_INV_REQ_ERR.code();
            case Syndrome.NAK_REMOTE_ACCESS -> WcStatus.REM_ACCESS_ERR.code();
            default -> WcStatus.REM_OP_ERR.code();
        };
    }

    /**
     * Everything before a position is acknowledged: ends what that ends.
     *
     * @return false when a request before it waits for data that was lost
     */
    private boolean answeredUpTo(long position, long now) {
        long before = window.unanswered();
        while (window.unanswered() < position && !SendWindow.wantsResponse(window.opcode(window.oldest()))) {
            if (window.last(window.oldest()) >= position) {
                window.answeredBefore(position);
            } else if (!complete()) {
                return true;
            }
        }
        if (window.unanswered() > before) {
            progress(now);
        }
        return window.unanswered() >= position;
    }

    /** Ends the oldest request with success; false when the connection failed over it. */
    private boolean complete() {
        long sequence = window.oldest();
        long bytes = window.length(sequence);
        window.completeOldest();
        if (!sink.sendEnded(sequence, 0, bytes)) {
            connection.overflow();
            return false;
        }
        return true;
    }

    /** Something new was answered: tries count anew, and so does the time. */
    private void progress(long now) {
        retry.progress();
        timers.disarm(Timers.RETRANSMIT);
        if (awaitsLastAnswer) {
            awaitsLastAnswer = false;
            timers.disarm(Timers.RNR);
        }
        if (window.isOutstanding() && limits.ackTimeoutNs() != 0 && !timers.isArmed(Timers.RNR)) {
            timers.arm(Timers.RETRANSMIT, now + limits.ackTimeoutNs());
        }
        requester.failIfOldest();
    }

    // Data

    private Verdict read(PacketView view, long sequence, long position, long now) {
        PacketType type = view.type();
        long offset = (position - window.first(sequence)) * mtu;
        boolean whole = window.opcode(sequence) == Opcode.RDMA_READ.code();
        int expected = whole ? (int) Math.min(mtu, window.length(sequence) - offset) : 0;
        boolean last = position == window.last(sequence);
        boolean start = type.isStart();
        // Whoever answers from the middle on was asked to, when the request was sent again.
        boolean inOrder = start ? offset == 0 || window.wasResent(sequence) : offset != 0;
        if (view.payloadLength() != expected || type.isEnd() != last || !inOrder) {
            connection.failSend(WcStatus.BAD_RESP_ERR.code());
            return Verdict.ACCEPTED;
        }
        if (expected > 0 && !requester.buffers(sequence).scatter(offset, expected, view.payload())) {
            connection.failSend(WcStatus.LOC_PROT_ERR.code());
            return Verdict.ACCEPTED;
        }
        answered(position, last, now);
        return Verdict.ACCEPTED;
    }

    private Verdict atomic(PacketView view, long sequence, long now) {
        if (!requester.buffers(sequence).scatterLong(view.originalValue())) {
            connection.failSend(WcStatus.LOC_PROT_ERR.code());
            return Verdict.ACCEPTED;
        }
        answered(window.unanswered(), true, now);
        return Verdict.ACCEPTED;
    }

    /** A part of the oldest request has its data. */
    private void answered(long position, boolean last, long now) {
        if (!last) {
            window.answeredBefore(position + 1);
        } else if (!complete()) {
            return;
        }
        progress(now);
    }

    // Loss

    /** A hint that something was lost: go back, unless that was done since the last progress. */
    private void goBackOnce() {
        if (connection.isFailed() || timers.isArmed(Timers.RNR) || retry.hasGoneBack()) {
            return;
        }
        if (!retry.tryAgain()) {
            connection.failSend(WcStatus.RETRY_EXC_ERR.code());
            return;
        }
        goBack();
    }

    private void goBack() {
        if (timers.isArmed(Timers.RNR)) {
            return;
        }
        retry.wentBack();
        window.rewind();
        // Armed again with the first packet that asks for an answer.
        timers.disarm(Timers.RETRANSMIT);
    }

    /** Nobody answered in time. */
    void onRetransmitTimeout() {
        sink.answerMissing();
        if (!retry.tryAgain()) {
            connection.failSend(WcStatus.RETRY_EXC_ERR.code());
            return;
        }
        goBack();
    }
}
