package io.verbena;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.RnrTimer;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * A reliable connection with one peer. Made by {@link RdmaNode#connect(java.net.InetSocketAddress)}, {@link
 * RdmaServer#accept}, {@link PreparedConnection#connect} or, for trying out, {@link RdmaNode#pair(ConnectionConfig)}.
 *
 * <p><b>When it fails</b>, the first cause is {@link #failure()}; whatever was under way fails with it as the cause. A
 * failed connection takes no operations, keeps what has arrived, and is to be closed.
 */
public final class RdmaConnection extends RdmaOperations implements AutoCloseable {
    private static final Duration USUAL_CLOSE = Duration.ofSeconds(1);

    private final QueuePairEndpoint peer;
    private volatile Introduction introduction = Introduction.NONE;

    RdmaConnection(ConnectionCore core, QueuePairEndpoint peer) {
        super(core);
        this.peer = peer;
    }

    /**
     * The next message of the peer. Messages come in the order in which they were sent, each to one receive, in the
     * order of the receives. A receive that was cancelled or whose time is over takes no message.
     *
     * <p>When the connection has ended, what has arrived can still be received; after that a receive fails with
     * {@link PeerClosedException} if the peer has closed it in order, and with another {@link
     * ConnectionClosedException} if not.
     *
     * @return the message, to be closed when it was read
     */
    public RdmaFuture<ReceivedMessage> receive() {
        RdmaFuture<ReceivedMessage> future = future();
        framed().inbox().receive(future);
        return future;
    }

    /**
     * Hands every message to a handler from now on, those that have arrived already too; allocates nothing for one that
     * fits a receive. {@link #receive()} gets none meanwhile.
     *
     * @param handler called on the thread that drives, or on a worker's ({@link DeliveryConfig#workers()}), which may
     *     be in the middle of a call when another thread ends it; null to end it
     * @throws IllegalStateException when a callback of the node has not returned for half a minute, or 60 handlers that
     *     were set before have not begun since the worker does not come to them
     */
    public void onMessage(MessageHandler handler) {
        framed().inbox().onMessage(handler);
    }

    /**
     * The immediate data of the peer's next {@link #writeWithImm}, whose bytes are in place then.
     *
     * @return 32 bits as the peer gave them
     */
    public RdmaFuture<Integer> receiveWriteImm() {
        RdmaFuture<Integer> future = future();
        framed().inbox().receiveImmediate(future);
        return future;
    }

    /**
     * Tells a callback of every WRITE with immediate data from now on: its value is the immediate data, 0 to 2^32 - 1.
     *
     * @param callback called on the thread that drives, or on a worker's; null to end it
     * @throws IllegalStateException as {@link #onMessage}
     */
    public void onWriteImm(CompletionCallback callback) {
        framed().inbox().onImmediate(callback);
    }

    /**
     * Sends without a frame; see {@link #sendRaw(LocalMemory, OperationOptions)}.
     *
     * @param message the bytes
     * @return done when the peer's NIC has it
     * @throws IllegalStateException when the connection has frames
     */
    public RdmaFuture<Void> sendRaw(LocalMemory message) {
        return sendRaw(message, null);
    }

    /**
     * Sends without a frame, on a connection made with {@link MessageConfig#raw()}. The peer must have posted a receive
     * that is long enough.
     *
     * @param message the bytes
     * @param options how this one differs, or null
     * @return done when the peer's NIC has it
     * @throws IllegalStateException when the connection has frames
     */
    public RdmaFuture<Void> sendRaw(LocalMemory message, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, raw().send(message, false, 0, options, future), message, null, false);
    }

    /**
     * Sends with immediate data and without a frame; see {@link #sendRaw(LocalMemory, OperationOptions)}.
     *
     * @param message the bytes
     * @param imm immediate data
     * @param options how this one differs, or null
     * @return done when the peer's NIC has it
     * @throws IllegalStateException when the connection has frames
     */
    public RdmaFuture<Void> sendRawWithImm(LocalMemory message, int imm, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, raw().send(message, true, imm, options, future), message, null, false);
    }

    /**
     * Posts a receive, on a connection made with {@link MessageConfig#raw()}. Its memory is lent until a message has
     * come or the connection ends; cancelling the future does not take the receive back.
     *
     * @param into where the bytes go; needs LOCAL_WRITE
     * @return how many bytes came, and the immediate data
     * @throws IllegalStateException when the connection has frames
     */
    public RdmaFuture<RawMessage> receiveRaw(LocalMemory into) {
        RdmaFuture<RawMessage> future = future();
        return started(future, raw().receive(into, future), into, null, true);
    }

    /**
     * Asks the peer for memory: its node allocates, within its {@link GrantConfig}, and lets this side reach it. Its
     * program takes no part. All bytes are 0.
     *
     * @param length bytes, 1 or more
     * @param rights some of REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC
     * @param duration how long, or null for as long as the connection; the peer may grant less
     * @return the memory; fails with {@link PeerRefusedException} when the peer does not grant it, with {@link
     *     BackPressureException} while 64 requests about memory have no answer, and, as all requests about memory, with
     *     {@link DeadlineExceededException} when there is no answer within {@link ConnectionConfig#deadline()}, or 5
     *     seconds if that is null. Memory that comes after the result was given up is released
     */
    public RdmaFuture<RemoteMemory> requestMemory(long length, int rights, Duration duration) {
        Checks.range("length", length, 1, Long.MAX_VALUE);
        AllocationOptions.checkRemote("rights", rights);
        Checks.duration("duration", duration);
        return framed().requests().ask(MemoryRequests.ALLOCATE, rights, length, 0, duration);
    }

    /**
     * Lets a lease of memory that was requested last for a duration from now.
     *
     * @param memory what {@link #requestMemory} gave
     * @param duration more than 0; the peer may grant less
     * @return the memory under the new lease; fails with {@link PeerRefusedException} when the lease has ended
     */
    public RdmaFuture<RemoteMemory> renewMemory(RemoteMemory memory, Duration duration) {
        Checks.duration("duration", Checks.present("duration", duration));
        return framed().requests().ask(MemoryRequests.RENEW, 0, 0, memory.leaseId(), duration);
    }

    /**
     * Gives memory that was requested back; nobody reaches it any more when this is done.
     *
     * @param memory what {@link #requestMemory} gave
     * @return done then; fails with {@link PeerRefusedException} when the lease has ended before
     */
    public RdmaFuture<Void> releaseMemory(RemoteMemory memory) {
        return framed().requests().ask(MemoryRequests.RELEASE, 0, 0, memory.leaseId(), null);
    }

    /**
     * Hands memory that was requested, with what was written there, over to the peer's application, which gets it by
     * {@link #receiveHandedBack()}. This side reaches it no longer. Memory that came by {@link #receiveMemory()} can't
     * be handed back: the peer's application has it all the time.
     *
     * @param memory what {@link #requestMemory} gave
     * @return done when the peer's node has it; fails with {@link PeerRefusedException} when there is no
     *     such lease (any more)
     */
    public RdmaFuture<Void> handBackMemory(RemoteMemory memory) {
        return framed().requests().ask(MemoryRequests.HAND_BACK, 0, 0, memory.leaseId(), null);
    }

    /**
     * Memory that the peer requested, filled and handed back. It counts no longer for the peer's quota.
     *
     * @return this side's own memory, to be closed
     */
    public RdmaFuture<LocalMemory> receiveHandedBack() {
        RdmaFuture<LocalMemory> future = future();
        framed().requests().receiveHandedBack(future);
        return future;
    }

    /**
     * Tells the peer of memory of this side that it may reach; it gets it by {@link #receiveMemory()}.
     *
     * @param lease what {@link LocalMemory#expose} gave, which this side keeps and closes; once the peer knows it lasts
     *     for as long from then as it would have from now, since the peer counts from when it was told
     * @return done when the peer's node knows; fails with {@link PeerRefusedException} when the peer's application has
     *     left 64 of them untaken
     * @throws IllegalArgumentException when the memory is another node's
     */
    public RdmaFuture<Void> sendMemory(MemoryLease lease) {
        if (!lease.memory().isOf(core.node.memory().grants())) {
            throw new IllegalArgumentException(OperationStatus.describe(OperationStatus.FOREIGN_MEMORY));
        }
        Runnable confirmed = lease.onConfirmed();
        return framed().requests().tell(lease.remote().toBytes(), confirmed);
    }

    /**
     * Memory that the peer lets this side reach.
     *
     * @return what the peer gave to {@link #sendMemory}
     */
    public RdmaFuture<RemoteMemory> receiveMemory() {
        RdmaFuture<RemoteMemory> future = future();
        framed().requests().receiveExposed(future);
        return future;
    }

    /**
     * Where the connection is in its life.
     *
     * @return never stale
     */
    public ConnectionState state() {
        return core.life.state();
    }

    /**
     * Why the connection ended.
     *
     * @return the first cause; null as long as there is none
     */
    public RdmaException failure() {
        return core.life.failure();
    }

    /**
     * The other end.
     *
     * @return as given when connecting
     */
    public QueuePairEndpoint peer() {
        return peer;
    }

    /** Notes who the peer is; before anybody else knows of the connection. */
    void introduce(Introduction who) {
        introduction = who;
    }

    /**
     * Where the peer's end of the handshake is.
     *
     * @return its TCP address; empty when this connection was not made by address
     */
    public Optional<SocketAddress> peerAddress() {
        return Optional.ofNullable(introduction.address());
    }

    /**
     * What the peer's program said when connecting: its {@link HandshakeConfig#privateData()}.
     *
     * @return a copy; empty when it said nothing, or this connection was not made by address
     */
    public byte[] peerPrivateData() {
        return introduction.privateData().clone();
    }

    /**
     * What it was made from.
     *
     * @return never null
     */
    public ConnectionConfig config() {
        return core.config;
    }

    /**
     * Its number at the device.
     *
     * @return 24 bits
     */
    public int qpNum() {
        return core.queuePair.qpNum();
    }

    /**
     * How long the NIC waits for an answer before it tries again, after rounding up.
     *
     * @return one of the durations that the transport knows
     */
    public Duration effectiveAckTimeout() {
        QueuePairAttributes now = core.queuePair.query();
        return Duration.ofNanos(RnrTimer.ackTimeoutNanos(now.timeout()));
    }

    /**
     * How long the NIC asks a peer to wait that found no receive, after rounding up.
     *
     * @return one of the durations that the transport knows
     */
    public Duration effectiveMinRnrTimer() {
        return Duration.ofNanos(RnrTimer.nanos(core.queuePair.query().minRnrTimer()));
    }

    /** Breaks the connection: what is under way fails, and is quiesced soon. It is still to be closed. */
    public void abort() {
        core.life.abort("abort was called");
    }

    /** Closes it as {@link #close(Duration)} does, within a second. */
    @Override
    public void close() {
        close(USUAL_CLOSE);
    }

    /**
     * Takes no more operations, lets those that were started end, tells the peer, waits for its answer, and closes.
     * What has not ended in time is broken off. May be called in any state, by any thread, inside callbacks, and
     * again.
     *
     * @param deadline how long to wait at most, more than 0
     * @throws IllegalStateException when a callback of the node has not returned for half a minute; nothing is closed
     *     then
     */
    public void close(Duration deadline) {
        Checks.duration("deadline", Checks.present("deadline", deadline));
        core.life.close(Checks.nanos(deadline));
    }

    /**
     * Closes without waiting for what is under way, which fails. Returns once the NIC has let go of all memory. All
     * callbacks have been told by then, unless the node has workers: they are told of what is left afterwards.
     *
     * @throws IllegalStateException when a callback of the node has not returned for half a minute; nothing is closed
     *     then
     */
    public void closeNow() {
        core.life.closeNow("closed");
    }

    @Override
    public String toString() {
        return "connection 0x" + Integer.toHexString(qpNum()) + " with " + peer.gid() + ", " + state()
                + (failure() == null ? "" : ": " + failure().getMessage());
    }
}
