package io.verbena;

import io.verbena.async.memory.Grant;
import io.verbena.async.memory.Root;
import io.verbena.async.message.Credits;
import io.verbena.async.message.Frame;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.verbs.Access;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Messages in frames: what fits a receive of the peer goes in one step, the rest is offered and fetched by the peer.
 * Owns the receives, so the application can't forget to post any.
 */
final class Frames implements Inbound {
    /** Receives beyond those for messages of the application. */
    static final int CONTROL_RECEIVES = Credits.CONTROL;

    private static final int ALIGNMENT = 64;

    private final ConnectionCore core;
    private final MessageConfig config;
    private final Credits credits;
    private final LocalMemory headers;
    private final long headerStride;
    private final LocalMemory receives;
    private final MemorySegment receiveBytes;
    private final int slots;
    private final ReceivedMessage[] flyweights;
    private final Inbox inbox;
    private final Offers offers;
    private final ControlFrames control;
    private final Fetches fetches;
    private final MemoryRequests requests;
    /** Messages behind one that is not here yet; the driver's. */
    private final ArrayDeque<ReceivedMessage> unready = new ArrayDeque<>();
    private volatile boolean peerGone;
    private PeerLimits peer;

    Frames(ConnectionCore core) {
        this.core = core;
        config = core.config.messages();
        slots = core.config.queues().receives() + CONTROL_RECEIVES;
        credits = new Credits(slots);
        AllocationOptions aligned = AllocationOptions.DEFAULT.withAlignment(ALIGNMENT);
        long bytes = Frame.HEADER_BYTES + Math.max(config.copyBytes(), Frame.OFFER_BYTES);
        headerStride = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        headers = core.node.memory().allocate(headerStride * core.user.size(), aligned);
        try {
            receives = core.node.memory().allocate((long) slots * config.slotBytes(), aligned);
        } catch (RuntimeException | Error e) {
            headers.close();
            throw e;
        }
        receiveBytes = receives.unchecked();
        flyweights = new ReceivedMessage[slots];
        for (int i = 0; i < slots; i++) {
            flyweights[i] = new ReceivedMessage(this, i);
        }
        offers = new Offers(core);
        try {
            control = new ControlFrames(core, credits);
        } catch (RuntimeException | Error e) {
            headers.close();
            receives.close();
            throw e;
        }
        fetches = new Fetches(core, this, control);
        inbox = new Inbox(core, this::granted, message -> message == flyweights[message.slot()]);
        requests = new MemoryRequests(core, control);
    }

    @Override
    public void prepare() {
        for (int i = 0; i < slots; i++) {
            int posted = postReceive(i);
            if (posted != PostStatus.OK) {
                throw new IllegalStateException("receive " + i + " was refused: " + PostStatus.describe(posted));
            }
        }
    }

    private int postReceive(int slot) {
        return core.queuePair.postReceive((long) Operation.RECEIVE_TABLE << 24 | slot,
                receives.address() + (long) slot * config.slotBytes(), config.slotBytes(), receives.lkey());
    }

    @Override
    public void opened(PeerLimits limits) {
        peer = limits;
        credits.opened(limits.receives() + CONTROL_RECEIVES);
    }

    // ---- sending, any thread

    /** Starts a message; a code of {@link OperationStatus}. */
    int send(LocalMemory message, boolean withImm, int imm, OperationOptions options, Object target, long token) {
        int refused = core.life.refusal();
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        if (message.length() > maxBytes()) {
            return OperationStatus.LENGTHS;
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
        return lent == OperationStatus.SUCCESS ? core.start(op, options, target, token) : lent;
    }

    @Override
    public boolean takeCredit() {
        return credits.takeMessage();
    }

    @Override
    public void returnCredit() {
        credits.giveBack();
    }

    @Override
    public int post(Operation op) {
        long at = headerStride * op.index();
        MemorySegment memory = headers.unchecked();
        int length = (int) op.length;
        op.flags &= ~SendFlags.INLINE;
        if (length > peer.slotBytes() - Frame.HEADER_BYTES) {
            return postOffer(op, memory, at);
        }
        Frame.write(memory, at, Frame.DATA, credits.advertise(), 0, length);
        boolean copied = length <= config.copyBytes();
        if (copied && length > 0) {
            MemorySegment from = ((Root) op.lent).segment();
            MemorySegment.copy(from, op.address - from.address(), memory, at + Frame.HEADER_BYTES, length);
        }
        int bytes = Frame.HEADER_BYTES + (copied ? length : 0);
        return core.poster.postFrame(op, headers.address() + at, bytes, headers.lkey(), !copied);
    }

    private int postOffer(Operation op, MemorySegment memory, long at) {
        Root root = (Root) op.lent;
        Grant grant;
        try {
            grant = root.grants().openForOperation(root, op.address - root.segment().address(), op.length);
        } catch (VerbsException e) {
            // The device has no more regions: other offers have to end first.
            return PostStatus.QUEUE_FULL;
        }
        if (grant == null) {
            return PostStatus.CLOSED;
        }
        offers.begin(op.index(), grant);
        Frame.write(memory, at, Frame.OFFER, credits.advertise(), 0, Frame.OFFER_BYTES);
        long body = at + Frame.HEADER_BYTES;
        Frame.putLong(memory, body, op.wrId());
        Frame.putLong(memory, body + 8, grant.address());
        Frame.putLong(memory, body + 16, grant.length());
        Frame.putInt(memory, body + 24, grant.rkey());
        int posted = core.poster.postFrame(op, headers.address() + at,
                Frame.HEADER_BYTES + Frame.OFFER_BYTES, headers.lkey(), false);
        if (posted != PostStatus.OK) {
            offers.undo(op.index());
        }
        return posted;
    }

    @Override
    public boolean endsLater(Operation op, int status) {
        return offers.completed(op, status);
    }

    // ---- arriving, the driver

    @Override
    public void received(Receipt receipt) {
        if (receipt.status != 0) {
            return;
        }
        if (credits.arrived()) {
            control.owe();
        }
        if (credits.isOverrun()) {
            core.life.protocolError("more than it was granted receives for");
            return;
        }
        int slot = (int) receipt.wrId & 0xFF_FFFF;
        if (receipt.isWrite) {
            // The peer may send another in its place once the application has got it.
            postReceive(slot);
            inbox.immediateArrived(receipt.imm);
            return;
        }
        long at = (long) slot * config.slotBytes();
        int length = receipt.bytes < Frame.HEADER_BYTES ? -1 : Frame.length(receiveBytes, at);
        if (length < 0 || length != receipt.bytes - Frame.HEADER_BYTES
                || !credits.granted(Frame.credits(receiveBytes, at))) {
            core.life.protocolError("a frame of " + receipt.bytes + " bytes that says " + length);
            return;
        }
        long body = at + Frame.HEADER_BYTES;
        switch (Frame.type(receiveBytes, at)) {
            case Frame.DATA -> {
                ReceivedMessage message = inbox.hasHandler() && unready.isEmpty() ? flyweights[slot]
                        : new ReceivedMessage(this, slot);
                deliver(message.fill(receives, receiveBytes, body, length).imm(receipt.hasImm, receipt.imm));
            }
            case Frame.OFFER -> offered(slot, body, length, receipt);
            default -> {
                controlFrame(at, length);
                repost(slot);
            }
        }
    }

    private void controlFrame(long at, int length) {
        long body = at + Frame.HEADER_BYTES;
        switch (Frame.type(receiveBytes, at)) {
            case Frame.CREDIT -> { }
            case Frame.DISCONNECT -> {
                peerGone = true;
                core.life.closedByPeer();
                control.disconnect();
            }
            case Frame.DONE -> {
                if (length != Frame.DONE_BYTES) {
                    core.life.protocolError("an answer of " + length + " bytes");
                    return;
                }
                if (!offers.answered(Frame.getLong(receiveBytes, body), Frame.getInt(receiveBytes, body + 8))) {
                    core.life.protocolError("an answer to a message that was not offered");
                }
            }
            case Frame.REQUEST -> requests.requested(Frame.id(receiveBytes, at), receiveBytes, body, length);
            case Frame.RESPONSE -> requests.answered(Frame.id(receiveBytes, at), receiveBytes, body, length);
            default -> core.life.protocolError("a frame of type " + Frame.type(receiveBytes, at));
        }
    }

    private void offered(int slot, long body, int length, Receipt receipt) {
        if (length != Frame.OFFER_BYTES) {
            core.life.protocolError("an offer of " + length + " bytes");
            return;
        }
        long bytes = Frame.getLong(receiveBytes, body + 16);
        if (bytes < 1 || bytes > config.maxBytes()) {
            core.life.protocolError("an offer of " + bytes + " bytes, at most " + config.maxBytes());
            return;
        }
        ReceivedMessage message = new ReceivedMessage(this, slot);
        RemoteMemory there = new RemoteMemory(Frame.getLong(receiveBytes, body + 8), bytes,
                Frame.getInt(receiveBytes, body + 24), Access.REMOTE_READ, Long.MAX_VALUE, 0);
        // Before it is begun: it may fail there, and is taken out then.
        unready.add(message.imm(receipt.hasImm, receipt.imm));
        fetches.begin(message, there, Frame.getLong(receiveBytes, body));
    }

    /** A message can't be fetched for want of memory, which its sender is told; those behind it don't wait for it. */
    void refused(ReceivedMessage message) {
        unready.remove(message);
        repost(message.slot());
        handOverReady();
    }

    /** A fetched message is here, or can't be had any more. */
    void fetched(ReceivedMessage message, LocalMemory memory) {
        if (memory == null) {
            unready.remove(message);
        } else {
            boolean hasImm = message.hasImmediate();
            int imm = message.immediate();
            message.fill(memory, memory.unchecked(), 0, memory.length()).imm(hasImm, imm);
        }
        handOverReady();
    }

    private void handOverReady() {
        while (!unready.isEmpty() && unready.peek().isReady()) {
            inbox.arrived(unready.poll());
        }
    }

    private void deliver(ReceivedMessage message) {
        if (unready.isEmpty()) {
            inbox.arrived(message);
        } else {
            unready.add(message);
        }
    }

    /** A message was closed; any thread. */
    void release(ReceivedMessage message) {
        message.giveBack();
        if (message.memory() != receives) {
            message.memory().close();
            fetches.released(message.length());
        }
        repost(message.slot());
    }

    private void repost(int slot) {
        if (postReceive(slot) == PostStatus.OK) {
            granted();
        }
    }

    private void granted() {
        if (credits.grant()) {
            control.owe();
        }
    }

    Inbox inbox() {
        return inbox;
    }

    MemoryRequests requests() {
        return requests;
    }

    // ---- life, the driver

    @Override
    public void sent(Operation op, int status) {
        if (op.kind == OpCode.READ) {
            fetches.ended(op, status);
        } else {
            op.free();
        }
        turn();
    }

    @Override
    public void turn() {
        fetches.turn();
        control.turn();
    }

    @Override
    public boolean disconnect() {
        return control.disconnect();
    }

    @Override
    public long maxBytes() {
        PeerLimits limits = peer;
        return limits == null ? config.maxBytes() : Math.min(config.maxBytes(), limits.maxBytes());
    }

    @Override
    public boolean isPeerGone() {
        return peerGone;
    }

    @Override
    public void failed() {
        offers.failed();
        inbox.end();
        requests.end();
    }

    @Override
    public void closed() {
        offers.closed();
        inbox.closed();
        requests.closed();
        fetches.closed();
        control.closed();
        headers.close();
        receives.close();
    }
}
