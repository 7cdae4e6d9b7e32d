package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;

/**
 * An unreliable connection (IBA 9.8), from RTR until it ends. Nothing is acknowledged: a request has ended when its
 * last packet is written, and a message of which any packet is lost or overtaken is dropped as a whole. Inputs,
 * outputs, time and threads as for {@link RcConnection}; there are no deadlines.
 */
public final class UcConnection {
    private static final long MAX_MESSAGE = 1L << 31;
    /**
     * Messages that start so few packets back are copies, or were overtaken; none is taken twice or after a later one.
     * As many packets a forged start can silence, so it is no more than what others may overtake on one way: the
     * packets of 1 MiB at the smallest MTU. What starts further back comes from a peer that has sent on unheard.
     */
    private static final int MAX_LATE = 1 << 12;

    private final Host host;
    private final Lifecycle life;
    private final MessagePackets packets;
    private final InboundMessage message;
    private ConnectionConfig config;
    private int expected;
    private int sendPsn;
    private long sequence;
    /** Packets of the request at {@link #sequence} that were written; it has begun when this is not 0. */
    private int written;

    /**
     * Makes a connection in RTR.
     *
     * @param config both ends, and how requests are served
     * @param host what the engine works on
     */
    public UcConnection(ConnectionConfig config, Host host) {
        this.config = config;
        this.host = host;
        life = new Lifecycle(host);
        packets = new MessagePackets(host, config, PacketType.UC);
        message = new InboundMessage(host, config.mtuBytes());
        expected = config.receivePsn();
    }

    /**
     * From RTR to RTS.
     *
     * @param firstPsn first packet sequence number, 24 bits
     * @param firstSequence of the send queue that belongs to this connection
     */
    public void startSending(int firstPsn, long firstSequence) {
        sendPsn = firstPsn & Psn.MASK;
        sequence = firstSequence;
        life.send();
    }

    /**
     * From RTS to SQD: the request that has begun goes on, others wait; {@link CompletionSink#drained} tells the end.
     */
    public void drain() {
        life.drain();
        reportDrained();
    }

    /** From SQD or SQE back to RTS. */
    public void resume() {
        life.send();
    }

    /**
     * Changes how requests are served.
     *
     * @param responding only the rights matter here
     */
    public void update(ConnectionConfig.Responding responding) {
        config = new ConnectionConfig(
                config.qpNum(), config.remoteQpNum(), config.mtuBytes(), config.receivePsn(), responding);
    }

    /** Work was posted, or receives. */
    public void onWork() {
        if (life.isFlushing()) {
            flush();
        }
    }

    /** To ERR, because the owner says so; the kind is the event to raise, or null. */
    public void fail(Kind kind) {
        if (life.isFailed()) {
            return;
        }
        boolean sends = life.state() != QueuePairState.RTR;
        life.fail();
        message.endReceive(WcStatus.WR_FLUSH_ERR);
        host.completions().failed(kind);
        if (sends) {
            flush();
        }
    }

    private void flush() {
        written = 0;
        sequence = life.flush(sequence);
    }

    /** RTR, RTS, SQD, SQE or ERR. */
    public QueuePairState state() {
        return life.state();
    }

    /** The next packet sequence number to send, 24 bits. */
    public int sendPsn() {
        return sendPsn;
    }

    /** The next packet sequence number awaited, 24 bits. */
    public int receivePsn() {
        return expected;
    }

    // Sending

    /**
     * Writes the next packet.
     *
     * @param writer wrapped over memory for a packet of {@link PacketView#MAX_BYTES}
     * @return false when there is nothing to send now
     */
    public boolean nextPacket(PacketWriter writer) {
        boolean mayBegin = life.isSending();
        while (mayBegin && written == 0 && sequence < host.sends().posted()
                && Requester.isLocal(host.sends().opcode(sequence))) {
            boolean nothing = host.sends().opcode(sequence) == SendSource.NOTHING;
            end(nothing ? 0 : host.sends().executeLocal(sequence), 0);
            mayBegin = life.isSending();
        }
        boolean goesOn = written > 0 && life.isDraining();
        if (!mayBegin && !goesOn || sequence >= host.sends().posted()) {
            return false;
        }
        return write(writer);
    }

    private boolean write(PacketWriter writer) {
        if (!MessagePackets.isMessage(host.sends().opcode(sequence))
                || host.sends().opcode(sequence) == Opcode.SEND_WITH_INV.code()) {
            end(WcStatus.LOC_QP_OP_ERR.code(), 0);
            return false;
        }
        long length = MessagePackets.length(host.sends(), sequence);
        if (length > MAX_MESSAGE) {
            end(WcStatus.LOC_LEN_ERR.code(), 0);
            return false;
        }
        int count = Psn.packets(length, config.mtuBytes());
        if (!packets.write(writer, sequence, length, written, count, sendPsn)) {
            end(WcStatus.LOC_PROT_ERR.code(), 0);
            return false;
        }
        sendPsn = Psn.add(sendPsn, 1);
        if (++written == count) {
            end(WcStatus.SUCCESS.code(), length);
            reportDrained();
        }
        return true;
    }

    private void end(int status, long bytes) {
        written = 0;
        boolean reported = host.completions().sendEnded(sequence++, status, bytes);
        if (!reported) {
            fail(Kind.QP_FATAL);
        } else if (status != 0) {
            life.failSend();
            flush();
        }
    }

    private void reportDrained() {
        life.reportDrained(written == 0);
    }

    // Receiving

    /**
     * A packet came in that is for this connection: its address, partition and CRC have been checked.
     *
     * @param view the packet; not used after the call
     * @return what became of it
     */
    public Verdict onPacket(PacketView view) {
        PacketType type = view.type();
        if (type == PacketType.CNP) {
            return Verdict.CONGESTION;
        }
        if (type.transport() != PacketType.UC) {
            return Verdict.WRONG_TRANSPORT;
        }
        if (life.isFailed()) {
            return Verdict.WRONG_STATE;
        }
        int ahead = Psn.diff(view.psn(), expected);
        if (ahead < 0 && ahead >= -MAX_LATE) {
            return Verdict.DUPLICATE;
        }
        if (ahead != 0 && !type.isStart()) {
            return Verdict.BROKEN_MESSAGE;
        }
        Verdict verdict = take(view);
        if (verdict == Verdict.ACCEPTED) {
            // Only what was taken moves it: whatever else carries a number is perhaps not the peer's.
            expected = Psn.add(view.psn(), 1);
        }
        life.served(verdict);
        return verdict;
    }

    private Verdict take(PacketView view) {
        if (view.type().isStart()) {
            message.abandon();
        }
        InboundMessage.Outcome outcome = message.take(view, config.responding().accessFlags());
        return switch (outcome) {
            case PLACED, COMPLETE -> Verdict.ACCEPTED;
            case NO_RECEIVE -> lose(Verdict.NO_RECEIVE);
            case WRONG_ORDER, WRONG_LENGTH -> lose(Verdict.BROKEN_MESSAGE);
            case RECEIVE_TOO_SHORT -> lose(Verdict.DOES_NOT_FIT);
            case NOT_SERVED, NOT_ALLOWED, NOT_INVALIDATED -> lose(Verdict.NOT_ALLOWED);
            case RECEIVE_FAULT -> {
                boolean reported = message.endReceive(WcStatus.LOC_PROT_ERR);
                fail(reported ? null : Kind.QP_FATAL);
                yield Verdict.NOT_ALLOWED;
            }
            case OVERFLOW -> {
                fail(Kind.QP_FATAL);
                yield Verdict.ACCEPTED;
            }
        };
    }

    /** The rest of the message is dropped too. */
    private Verdict lose(Verdict why) {
        message.abandon();
        return why;
    }
}
