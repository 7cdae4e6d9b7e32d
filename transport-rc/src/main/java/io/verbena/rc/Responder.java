package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Syndrome;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.WcStatus;
import org.agrona.UnsafeApi;

/**
 * Serves the peer's requests: each once and in order, with every check in the order of the specification (IBA 9.7.4,
 * 9.9.3). What was executed before is answered again, never executed again.
 */
final class Responder {
    private static final long MAX_MESSAGE = 1L << 31;

    private final RcConnection connection;
    private ConnectionConfig config;
    private final HostMemory memory;
    private final CompletionSink sink;
    private final InboundMessage message;
    private final Replay replay;
    private final Answers answers;
    private long expected;
    private int messages;
    private boolean nakSent;
    private boolean afterMessage;

    Responder(RcConnection connection, Host host) {
        this.connection = connection;
        config = connection.config();
        memory = host.memory();
        sink = host.completions();
        message = new InboundMessage(host, config.mtuBytes());
        replay = new Replay(Math.max(1, config.responding().maxReads()));
        answers = new Answers(connection, host, replay);
        // One turn round the circle ahead, so that no position is negative.
        expected = config.receivePsn() + Psn.MASK + 1L;
    }

    Answers answers() {
        return answers;
    }

    /** Serves otherwise from now on. */
    void update(ConnectionConfig newConfig) {
        config = newConfig;
        answers.update(newConfig);
        int places = newConfig.responding().maxReads();
        if (places > replay.capacity()) {
            answers.grow(places);
        }
    }

    /** The next packet sequence number of the peer, 24 bits. */
    int expectedPsn() {
        return Psn.wire(expected);
    }

    /** Takes a request. */
    Verdict onRequest(PacketView view, long now) {
        long position = Psn.position(expected, view.psn());
        if (position > expected) {
            return ahead();
        }
        if (position < expected) {
            return duplicate(view, position);
        }
        nakSent = false;
        PacketType type = view.type();
        if (type.isSend() || type.isWrite()) {
            return message(view, now);
        }
        if (message.isUnderWay()) {
            return refuse(Syndrome.NAK_INVALID_REQUEST);
        }
        if (type.isRead()) {
            return read(view);
        }
        return type.isAtomic() ? atomic(view, type) : placement(view, type);
    }

    /** Ends the receive of a message that will never be whole. */
    void abandon() {
        message.endReceive(WcStatus.WR_FLUSH_ERR);
    }

    // Out of order

    private Verdict ahead() {
        if (!nakSent) {
            nakSent = true;
            answers.reportGap(expected, messages, afterMessage);
        }
        return Verdict.OUT_OF_SEQUENCE;
    }

    private Verdict duplicate(PacketView view, long position) {
        PacketType type = view.type();
        if (type.isSend() || type.isWrite()) {
            answers.acknowledgeAgain(expected - 1, messages);
            return Verdict.DUPLICATE;
        }
        int place = replay.find(position);
        if (place == Replay.NONE || replay.type(place) != type) {
            return Verdict.FORGOTTEN;
        }
        if (!type.isRead()) {
            answers.answer(place, position, position);
            return Verdict.DUPLICATE;
        }
        long offset = (position - replay.first(place)) * config.mtuBytes();
        boolean inside = view.rkey() == replay.rkey(place)
                && replay.covers(place, view.remoteAddress(), view.remoteLength())
                && view.remoteAddress() == replay.address(place) + offset;
        if (!inside) {
            return Verdict.FORGOTTEN;
        }
        long end = position + Psn.packets(view.remoteLength(), config.mtuBytes()) - 1;
        // A part that ends earlier ends off a packet's border, unless it is the rest.
        if (end != replay.last(place) || view.remoteLength() != replay.length(place) - offset) {
            return Verdict.FORGOTTEN;
        }
        answers.answer(place, position, end);
        return Verdict.DUPLICATE;
    }

    // In order

    private Verdict message(PacketView view, long now) {
        switch (message.take(view, config.responding().accessFlags())) {
            case PLACED -> advance(view, false, now);
            case COMPLETE -> advance(view, true, now);
            case NO_RECEIVE -> {
                nakSent = true;
                sink.notReady();
                answers.refuse(Syndrome.RNR | config.responding().rnrTimer(), expected, messages);
            }
            case WRONG_ORDER, NOT_SERVED, WRONG_LENGTH -> refuse(Syndrome.NAK_INVALID_REQUEST);
            case NOT_ALLOWED -> refuse(Syndrome.NAK_REMOTE_ACCESS);
            case RECEIVE_TOO_SHORT -> refuseReceive(WcStatus.LOC_LEN_ERR, Syndrome.NAK_INVALID_REQUEST);
            case RECEIVE_FAULT -> refuseReceive(WcStatus.LOC_PROT_ERR, Syndrome.NAK_REMOTE_OPERATION);
            case NOT_INVALIDATED -> {
                // The data has arrived and is acknowledged; only the receiver learns (error class J).
                answers.refuse(Syndrome.ACK | Syndrome.UNLIMITED, expected, messages + 1);
                answers.close();
                message.endReceive(WcStatus.REM_INV_REQ_ERR);
                connection.failReceive(null);
            }
            case OVERFLOW -> {
                answers.refuse(Syndrome.NAK_REMOTE_OPERATION, expected, messages);
                answers.close();
                connection.failReceive(Kind.QP_FATAL);
            }
        }
        return Verdict.ACCEPTED;
    }

    private void advance(PacketView view, boolean ends, long now) {
        answers.accepted();
        afterMessage = true;
        long position = expected++;
        messages += ends ? 1 : 0;
        if (view.isAckRequested()) {
            answers.acknowledge(position, messages, now);
        }
    }

    private void refuseReceive(WcStatus ours, int syndrome) {
        answers.refuse(syndrome, expected, messages);
        answers.close();
        boolean delivered = message.endReceive(ours);
        connection.failReceive(delivered ? null : Kind.QP_FATAL);
    }

    /** Refuses a request: the connection fails, and the peer is told as the last word. */
    private Verdict refuse(int syndrome) {
        Kind event = syndrome == Syndrome.NAK_REMOTE_ACCESS ? Kind.QP_ACCESS_ERR
                : syndrome == Syndrome.NAK_INVALID_REQUEST ? Kind.QP_REQ_ERR : Kind.QP_FATAL;
        answers.refuse(syndrome, expected, messages);
        answers.close();
        connection.failReceive(event);
        return Verdict.ACCEPTED;
    }

    private boolean serves(int right) {
        return (config.responding().accessFlags() & right) == right && config.responding().maxReads() > 0;
    }

    private Verdict read(PacketView view) {
        long length = view.remoteLength();
        if (!serves(Access.REMOTE_READ) || length > MAX_MESSAGE) {
            return refuse(Syndrome.NAK_INVALID_REQUEST);
        }
        if (!memory.allows(view.rkey(), view.remoteAddress(), length, Access.REMOTE_READ)) {
            return refuse(Syndrome.NAK_REMOTE_ACCESS);
        }
        int place = remember(PacketType.RC_READ_REQUEST, Psn.packets(length, config.mtuBytes()));
        replay.memory(place, view.remoteAddress(), view.rkey(), length);
        return Verdict.ACCEPTED;
    }

    private Verdict atomic(PacketView view, PacketType type) {
        if (!serves(Access.REMOTE_ATOMIC)) {
            return refuse(Syndrome.NAK_INVALID_REQUEST);
        }
        if (!memory.locateAtomic(view.atomicRkey(), view.atomicAddress(), Access.REMOTE_ATOMIC)) {
            return refuse(Syndrome.NAK_REMOTE_ACCESS);
        }
        if ((view.atomicAddress() & Long.BYTES - 1) != 0 || !memory.isAligned()) {
            return refuse(Syndrome.NAK_INVALID_REQUEST);
        }
        boolean there = type == PacketType.RC_COMPARE_SWAP
                ? memory.compareSwap(view.compare(), view.swapOrAdd()) : memory.fetchAdd(view.swapOrAdd());
        if (!there) {
            return refuse(Syndrome.NAK_REMOTE_ACCESS);
        }
        replay.value(remember(type, 1), memory.prior());
        return Verdict.ACCEPTED;
    }

    /** ATOMIC_WRITE or FLUSH. */
    private Verdict placement(PacketView view, PacketType type) {
        int status = type == PacketType.RC_FLUSH ? flush(view) : atomicWrite(view);
        if (status != Syndrome.ACK) {
            return refuse(status);
        }
        remember(type, 1);
        return Verdict.ACCEPTED;
    }

    private int atomicWrite(PacketView view) {
        if (!serves(Access.REMOTE_WRITE) || view.payloadLength() != Long.BYTES || view.remoteLength() != Long.BYTES) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        if (!memory.locateAtomic(view.rkey(), view.remoteAddress(), Access.REMOTE_WRITE)) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        if ((view.remoteAddress() & Long.BYTES - 1) != 0 || !memory.isAligned()) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        long value = UnsafeApi.getLongUnaligned(null, view.payload());
        return memory.atomicWrite(value) ? Syndrome.ACK : Syndrome.NAK_REMOTE_ACCESS;
    }

    private int flush(PacketView view) {
        int bits = view.flushBits();
        int rights = FlushBits.rights(bits);
        if (rights == 0 || (config.responding().accessFlags() & rights) != rights) {
            return Syndrome.NAK_INVALID_REQUEST;
        }
        boolean whole = FlushBits.isWhole(bits);
        long length = view.remoteLength();
        if (!memory.allowsFlush(view.rkey(), whole, view.remoteAddress(), length, rights)) {
            return Syndrome.NAK_REMOTE_ACCESS;
        }
        // Earlier writes of the connection are in memory already; persistent placement goes further.
        boolean done = !FlushBits.isPersistent(bits) || memory.persist(whole, view.remoteAddress(), length);
        return done ? Syndrome.ACK : Syndrome.NAK_REMOTE_OPERATION;
    }

    /** Notes an executed request that is answered by data, and has it answered. */
    private int remember(PacketType type, int packets) {
        answers.accepted();
        afterMessage = false;
        messages++;
        answers.forget(replay.nextPlace());
        int place = replay.save(type, expected, expected + packets - 1, messages);
        answers.answer(place, expected, expected + packets - 1);
        expected += packets;
        return place;
    }
}
