package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/**
 * The SEND or WRITE that is coming in, packet by packet in order, with every check in the order of the specification
 * (IBA 9.7.4.1). Says what became of a packet; what that means for the connection is its owner's to decide. A packet
 * that is refused has changed nothing.
 */
final class InboundMessage {
    /** What became of a packet. */
    enum Outcome {
        /** Placed; more packets follow. */
        PLACED,
        /** Placed, and the message is complete and reported. */
        COMPLETE,
        /** It does not continue what is under way. */
        WRONG_ORDER,
        /** Its kind of request is not served here. */
        NOT_SERVED,
        /** There is no receive for it. */
        NO_RECEIVE,
        /** Its length does not fit its place or the message. */
        WRONG_LENGTH,
        /** The message does not fit its receive. */
        RECEIVE_TOO_SHORT,
        /** The receive's buffers may not be written. */
        RECEIVE_FAULT,
        /** The memory it names may not be written. */
        NOT_ALLOWED,
        /** Complete, but the key it names could not be invalidated. */
        NOT_INVALIDATED,
        /** Complete, but the completion queue is full. */
        OVERFLOW
    }

    private static final long MAX_MESSAGE = 1L << 31;

    private final HostMemory memory;
    private final ReceiveSource receives;
    private final CompletionSink sink;
    private final Delivery delivery = new Delivery();
    private final Buffers buffers;
    private final int mtu;
    private boolean underWay;
    private boolean isSend;
    private long receive = ReceiveSource.NONE;
    private long done;
    private long length;
    private long address;
    private int rkey;

    InboundMessage(Host host, int mtu) {
        memory = host.memory();
        receives = host.receives();
        sink = host.completions();
        buffers = new Buffers(host.receiveMemory());
        this.mtu = mtu;
    }

    /** Whether a message has begun and not ended. */
    boolean isUnderWay() {
        return underWay;
    }

    /** The receive that was taken and has no completion yet, or {@link ReceiveSource#NONE}. */
    long heldReceive() {
        return receive;
    }

    /** Forgets the message, but keeps a receive that it took for the next one. */
    void abandon() {
        underWay = false;
    }

    /** Ends the receive that was taken, if any; false when the completion queue is full. */
    boolean endReceive(WcStatus status) {
        underWay = false;
        if (receive == ReceiveSource.NONE) {
            return true;
        }
        long ended = receive;
        receive = ReceiveSource.NONE;
        return sink.receiveEnded(ended, status.code(), delivery);
    }

    /** Takes the next packet in order, of a SEND or WRITE. */
    Outcome take(PacketView view, int accessFlags) {
        PacketType type = view.type();
        if (type.isStart() == underWay || underWay && type.isSend() != isSend) {
            return Outcome.WRONG_ORDER;
        }
        return type.isSend() ? send(view, type) : write(view, type, accessFlags);
    }

    private boolean hasWrongPlaceLength(PacketType type, int payload) {
        if (!type.isEnd()) {
            return payload != mtu;
        }
        return payload > mtu || payload == 0 && !type.isStart();
    }

    private Outcome send(PacketView view, PacketType type) {
        if (type.isStart()) {
            if (receive == ReceiveSource.NONE) {
                receive = receives.take();
            }
            if (receive == ReceiveSource.NONE) {
                return Outcome.NO_RECEIVE;
            }
            done = 0;
            buffers.bind(receives.buffers(receive), receives.bufferCount(receive));
        }
        int payload = view.payloadLength();
        if (hasWrongPlaceLength(type, payload)) {
            return Outcome.WRONG_LENGTH;
        }
        if (payload > receives.totalBytes(receive) - done) {
            return Outcome.RECEIVE_TOO_SHORT;
        }
        if (payload > 0 && !buffers.scatter(done, payload, view.payload())) {
            return Outcome.RECEIVE_FAULT;
        }
        done += payload;
        isSend = true;
        underWay = !type.isEnd();
        if (underWay) {
            return Outcome.PLACED;
        }
        if (type.hasInvalidate() && !memory.invalidate(view.invalidatedKey())) {
            return Outcome.NOT_INVALIDATED;
        }
        delivery.message(done);
        return deliver(view, type);
    }

    private Outcome write(PacketView view, PacketType type, int accessFlags) {
        int payload = view.payloadLength();
        boolean starts = type.isStart();
        if (starts && (accessFlags & Access.REMOTE_WRITE) == 0) {
            return Outcome.NOT_SERVED;
        }
        if (type.hasImm() && receive == ReceiveSource.NONE && !receives.hasReceive()) {
            return Outcome.NO_RECEIVE;
        }
        long total = starts ? view.remoteLength() : length;
        long before = starts ? 0 : done;
        if (hasWrongPlaceLength(type, payload) || total > MAX_MESSAGE || payload > total - before
                || type.isEnd() != (payload == total - before)) {
            return Outcome.WRONG_LENGTH;
        }
        long to = starts ? view.remoteAddress() : address;
        int key = starts ? view.rkey() : rkey;
        if (starts && !memory.allows(key, to, total, Access.REMOTE_WRITE)) {
            return Outcome.NOT_ALLOWED;
        }
        if (type.hasImm() && !takeReceive()) {
            return Outcome.NO_RECEIVE;
        }
        if (!memory.write(key, to + before, payload, view.payload())) {
            return Outcome.NOT_ALLOWED;
        }
        isSend = false;
        address = to;
        rkey = key;
        length = total;
        done = before + payload;
        underWay = !type.isEnd();
        if (!type.hasImm()) {
            return underWay ? Outcome.PLACED : Outcome.COMPLETE;
        }
        delivery.write(total);
        return deliver(view, type);
    }

    private boolean takeReceive() {
        if (receive == ReceiveSource.NONE) {
            receive = receives.take();
        }
        return receive != ReceiveSource.NONE;
    }

    private Outcome deliver(PacketView view, PacketType type) {
        if (type.hasImm()) {
            delivery.withImm(view.imm());
        } else if (type.hasInvalidate()) {
            delivery.withInvalidate(view.invalidatedKey());
        }
        delivery.solicited(view.isSolicited());
        return endReceive(WcStatus.SUCCESS) ? Outcome.COMPLETE : Outcome.OVERFLOW;
    }
}
