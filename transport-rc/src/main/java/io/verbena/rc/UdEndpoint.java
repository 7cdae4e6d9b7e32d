package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;

/**
 * A datagram queue pair (IBA 9.8.3), from RTR until it ends. A datagram is one packet; whatever keeps a receiver from
 * taking it loses it without a word. Inputs, outputs and threads as for {@link RcConnection}; there are no deadlines.
 * To which address a packet goes is known to the owner: it is of the request whose {@link SendSource#buffers} were
 * asked for last.
 */
public final class UdEndpoint {
    /** Bytes of the header area that comes before every datagram in its receive. */
    public static final int HEADER_AREA = 40;
    /** This bit of a queue key asks for the sender's own key instead. */
    private static final int OWN_KEY = Integer.MIN_VALUE;

    private final Host host;
    private final Lifecycle life;
    private final int qpNum;
    private final int mtu;
    private final Buffers source;
    private final Buffers target;
    private final Delivery delivery = new Delivery();
    private int qkey;
    private int sendPsn;
    private long next;

    /**
     * Makes an endpoint in RTR.
     *
     * @param qpNum the own queue pair, 24 bits
     * @param mtuBytes the longest datagram
     * @param qkey the own queue key
     * @param host what the engine works on
     */
    public UdEndpoint(int qpNum, int mtuBytes, int qkey, Host host) {
        this.qpNum = qpNum;
        mtu = mtuBytes;
        this.qkey = qkey;
        this.host = host;
        life = new Lifecycle(host);
        source = new Buffers(host.memory());
        target = new Buffers(host.receiveMemory());
    }

    /** From RTR to RTS: the first packet sequence number, and the first request of the send queue. */
    public void startSending(int firstPsn, long firstSequence) {
        sendPsn = firstPsn & Psn.MASK;
        next = firstSequence;
        life.send();
    }

    /** From RTS to SQD; a datagram is never half sent. */
    public void drain() {
        life.drain();
        life.reportDrained(true);
    }

    /** From SQD or SQE back to RTS. */
    public void resume() {
        life.send();
    }

    /** Changes the queue key. */
    public void update(int newQkey) {
        qkey = newQkey;
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
        host.completions().failed(kind);
        if (sends) {
            flush();
        }
    }

    private void flush() {
        next = life.flush(next);
    }

    /** RTR, RTS, SQD, SQE or ERR. */
    public QueuePairState state() {
        return life.state();
    }

    /** The next packet sequence number to send, 24 bits. */
    public int sendPsn() {
        return sendPsn;
    }

    /**
     * Writes the next packet. The request has ended when this returns; the owner finds its address before its slot is
     * used again.
     *
     * @param writer wrapped over memory for a packet of {@link PacketView#MAX_BYTES}
     * @return false when there is nothing to send now
     */
    public boolean nextPacket(PacketWriter writer) {
        SendSource sends = host.sends();
        while (life.isSending() && next < sends.posted() && sends.opcode(next) == SendSource.NOTHING) {
            end(0, 0);
        }
        if (!life.isSending() || next >= sends.posted()) {
            return false;
        }
        int opcode = sends.opcode(next);
        boolean withImm = opcode == Opcode.SEND_WITH_IMM.code();
        if (opcode != Opcode.SEND.code() && !withImm) {
            return end(WcStatus.LOC_QP_OP_ERR.code(), 0);
        }
        long length = MessagePackets.length(sends, next);
        if (length > mtu) {
            return end(WcStatus.LOC_LEN_ERR.code(), 0);
        }
        writer.begin(withImm ? PacketType.UD_SEND_ONLY_IMM : PacketType.UD_SEND_ONLY,
                (int) sends.remoteAddress(next), sendPsn);
        int wanted = sends.rkey(next);
        writer.deth((wanted & OWN_KEY) != 0 ? qkey : wanted, qpNum);
        if (withImm) {
            writer.imm(sends.imm(next));
        }
        writer.solicited((sends.flags(next) & SendFlags.SOLICITED) != 0);
        source.bind(sends.buffers(next), sends.bufferCount(next));
        if (length > 0 && !source.gather(0, (int) length, writer.payload())) {
            return end(WcStatus.LOC_PROT_ERR.code(), 0);
        }
        writer.finish((int) length);
        sendPsn = Psn.add(sendPsn, 1);
        end(WcStatus.SUCCESS.code(), length);
        return true;
    }

    /** Ends the next request; returns false. */
    private boolean end(int status, long bytes) {
        if (!host.completions().sendEnded(next++, status, bytes)) {
            fail(Kind.QP_FATAL);
        } else if (status != 0) {
            life.failSend();
            flush();
        }
        return false;
    }

    /**
     * A packet came in that is for this queue pair, or for a multicast group it is in: its partition and CRC have been
     * checked.
     *
     * @param view the packet; not used after the call
     * @param header address of the 40 bytes that come before the datagram: an IPv6 header, or 20 bytes and an IPv4 one
     * @return what became of it
     */
    public Verdict onPacket(PacketView view, long header) {
        PacketType type = view.type();
        if (type == PacketType.CNP) {
            return Verdict.CONGESTION;
        }
        if (type.transport() != PacketType.UD) {
            return Verdict.WRONG_TRANSPORT;
        }
        if (life.isFailed()) {
            return Verdict.WRONG_STATE;
        }
        if (view.qkey() != qkey) {
            return Verdict.BAD_QKEY;
        }
        if (view.payloadLength() > mtu) {
            return Verdict.DOES_NOT_FIT;
        }
        return receive(view, header, type);
    }

    private Verdict receive(PacketView view, long header, PacketType type) {
        ReceiveSource receives = host.receives();
        int bytes = HEADER_AREA + view.payloadLength();
        long receive = receives.takeFitting(bytes);
        if (receive < 0) {
            return receive == ReceiveSource.TOO_SHORT ? Verdict.DOES_NOT_FIT : Verdict.NO_RECEIVE;
        }
        target.bind(receives.buffers(receive), receives.bufferCount(receive));
        boolean placed = target.scatter(0, HEADER_AREA, header)
                && target.scatter(HEADER_AREA, view.payloadLength(), view.payload());
        delivery.message(bytes);
        delivery.withHeader(view.sourceQp());
        delivery.solicited(view.isSolicited());
        if (type.hasImm()) {
            delivery.withImm(view.imm());
        }
        int status = placed ? WcStatus.SUCCESS.code() : WcStatus.LOC_PROT_ERR.code();
        if (!host.completions().receiveEnded(receive, status, delivery)) {
            fail(Kind.QP_FATAL);
        } else if (!placed) {
            fail(null);
        }
        return placed ? Verdict.ACCEPTED : Verdict.NOT_ALLOWED;
    }
}
