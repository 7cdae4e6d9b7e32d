package io.verbena;

import io.verbena.async.memory.Loans;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What can be done with a peer, in two forms: one returns an {@link RdmaFuture}, the other tells a {@link
 * CompletionCallback} and allocates nothing. Operations of one thread take effect at the peer in the order in which
 * they were started, but a READ or an atomic may be overtaken by what comes later, unless that has {@link
 * OperationOptions#fence()}. Their results come in order. Local memory is lent to an operation until it is quiesced.
 * Safe from any thread unless {@link NodeConfig#threading()} says otherwise.
 *
 * <p>This is the part of {@link RdmaConnection} that starts operations.
 */
public abstract sealed class RdmaOperations permits RdmaConnection {
    final ConnectionCore core;

    RdmaOperations(ConnectionCore core) {
        this.core = core;
    }

    final <T> RdmaFuture<T> future() {
        return new RdmaFuture<>(core.home, core);
    }

    /** The future of an operation that was started, or that says why it was not. */
    final <T> RdmaFuture<T> started(
            RdmaFuture<T> future, int status, LocalMemory local, RemoteMemory remote, boolean writes) {
        if (status != OperationStatus.SUCCESS) {
            future.fail(refusal(status, local, remote, writes));
            future.quiesce();
        }
        return future;
    }

    private RuntimeException refusal(int status, LocalMemory local, RemoteMemory remote, boolean writes) {
        if (status == OperationStatus.LENGTHS && (local != null || remote != null)) {
            return new IllegalArgumentException(remote == null
                    ? Lengths.ofMessage(local.length(), core.inbound.maxBytes()) : Lengths.ofOneSided(local, remote));
        }
        boolean loan = status == OperationStatus.OWNERSHIP || status == OperationStatus.MEMORY_CLOSED;
        return loan && local != null
                ? local.refusal(status == OperationStatus.OWNERSHIP ? Loans.CONFLICT : Loans.CLOSED, writes)
                : core.life.exception(status);
    }

    private RdmaFuture<Void> vectored(
            int kind, List<LocalMemory> parts, RemoteMemory remote, OperationOptions options) {
        RdmaFuture<Void> future = future();
        int status = core.vectored(kind, parts, remote, options, future);
        if (status != OperationStatus.LENGTHS) {
            return started(future, status, null, null, false);
        }
        future.fail(new IllegalArgumentException(Lengths.ofParts(parts, remote, core.config.queues().maxSge())));
        future.quiesce();
        return future;
    }

    final Frames framed() {
        if (core.inbound instanceof Frames frames) {
            return frames;
        }
        throw new IllegalStateException(OperationStatus.describe(OperationStatus.WRONG_MODE));
    }

    final RawReceives raw() {
        if (core.inbound instanceof RawReceives receives) {
            return receives;
        }
        throw new IllegalStateException(OperationStatus.describe(OperationStatus.WRONG_MODE));
    }

    /**
     * Reads memory of the peer.
     *
     * @param local where the bytes go; needs LOCAL_WRITE
     * @param remote the peer's memory, of equal length
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> read(LocalMemory local, RemoteMemory remote) {
        return read(local, remote, null);
    }

    /**
     * As above, with options.
     *
     * @param local where the bytes go; needs LOCAL_WRITE
     * @param remote the peer's memory, of equal length
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> read(LocalMemory local, RemoteMemory remote, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, core.oneSided(OpCode.READ, local, remote, 0, options, future, 0), local, remote, true);
    }

    /**
     * Reads memory of the peer. Allocates nothing.
     *
     * @param local where the bytes go; needs LOCAL_WRITE
     * @param remote the peer's memory, of equal length
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int read(LocalMemory local, RemoteMemory remote, CompletionCallback callback, long token) {
        return core.oneSided(OpCode.READ, local, remote, 0, null, callback, token);
    }

    /**
     * Writes memory of the peer, which takes no part in it.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> write(LocalMemory local, RemoteMemory remote) {
        return write(local, remote, null);
    }

    /**
     * As above, with options.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> write(LocalMemory local, RemoteMemory remote, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, core.oneSided(OpCode.WRITE, local, remote, 0, options, future, 0), local, remote, false);
    }

    /**
     * Writes memory of the peer, which takes no part in it. Allocates nothing.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int write(LocalMemory local, RemoteMemory remote, CompletionCallback callback, long token) {
        return core.oneSided(OpCode.WRITE, local, remote, 0, null, callback, token);
    }

    /**
     * Writes memory of the peer and lets it know, by {@link RdmaConnection#receiveWriteImm()} there.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @param imm immediate data, which a receive of the peer gets once the bytes are there
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> writeWithImm(LocalMemory local, RemoteMemory remote, int imm) {
        return writeWithImm(local, remote, imm, null);
    }

    /**
     * As above, with options.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @param imm immediate data, which a receive of the peer gets once the bytes are there
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> writeWithImm(LocalMemory local, RemoteMemory remote, int imm, OperationOptions options) {
        RdmaFuture<Void> future = future();
        int status = core.oneSided(OpCode.WRITE_WITH_IMM, local, remote, imm, options, future, 0);
        return started(future, status, local, remote, false);
    }

    /**
     * Writes memory of the peer and lets it know, by {@link RdmaConnection#receiveWriteImm()} there. Allocates nothing.
     *
     * @param local the bytes
     * @param remote the peer's memory, of equal length
     * @param imm immediate data, which a receive of the peer gets once the bytes are there
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int writeWithImm(LocalMemory local, RemoteMemory remote, int imm, CompletionCallback callback, long token) {
        return core.oneSided(OpCode.WRITE_WITH_IMM, local, remote, imm, null, callback, token);
    }

    /**
     * Compares 8 bytes of the peer and swaps them if they are as expected, as one step. The result is the prior
     * value: the swap took place if it equals what was expected.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param expected swap only when the 8 bytes equal this, in the peer's byte order
     * @param newValue what to put there
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Long> compareAndSwap(RemoteMemory remote, long expected, long newValue) {
        return compareAndSwap(remote, expected, newValue, null);
    }

    /**
     * As above, with options.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param expected swap only when the 8 bytes equal this, in the peer's byte order
     * @param newValue what to put there
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Long> compareAndSwap(
            RemoteMemory remote, long expected, long newValue, OperationOptions options) {
        RdmaFuture<Long> future = future();
        int status = core.atomic(OpCode.COMPARE_AND_SWAP, remote, expected, newValue, options, future, 0);
        return started(future, status, null, remote, false);
    }

    /**
     * Compares 8 bytes of the peer and swaps them if they are as expected, as one step. The result is the prior
     * value: the swap took place if it equals what was expected. Allocates nothing.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param expected swap only when the 8 bytes equal this, in the peer's byte order
     * @param newValue what to put there
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int compareAndSwap(
            RemoteMemory remote, long expected, long newValue, CompletionCallback callback, long token) {
        return core.atomic(OpCode.COMPARE_AND_SWAP, remote, expected, newValue, null, callback, token);
    }

    /**
     * Adds to 8 bytes of the peer as one step. The result is the prior value.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param add what to add, modulo 2^64
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Long> fetchAndAdd(RemoteMemory remote, long add) {
        return fetchAndAdd(remote, add, null);
    }

    /**
     * As above, with options.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param add what to add, modulo 2^64
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Long> fetchAndAdd(RemoteMemory remote, long add, OperationOptions options) {
        RdmaFuture<Long> future = future();
        int status = core.atomic(OpCode.FETCH_AND_ADD, remote, add, 0, options, future, 0);
        return started(future, status, null, remote, false);
    }

    /**
     * Adds to 8 bytes of the peer as one step. The result is the prior value. Allocates nothing.
     *
     * @param remote 8 bytes of the peer's memory at a multiple of 8
     * @param add what to add, modulo 2^64
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int fetchAndAdd(RemoteMemory remote, long add, CompletionCallback callback, long token) {
        return core.atomic(OpCode.FETCH_AND_ADD, remote, add, 0, null, callback, token);
    }

    /**
     * Sends a message of any length up to {@link MessageConfig#maxBytes()}, which arrives whole and once.
     *
     * @param message the bytes, 0 or more; may be changed or closed once the future is done
     * @return done when the message has arrived, whether or not the peer's program has received it; a message longer
     *     than a receive ({@link MessageConfig#slotBytes()}) when the peer's node has fetched it. Also tells why it
     *     could not be started
     */
    public RdmaFuture<Void> send(LocalMemory message) {
        return send(message, null);
    }

    /**
     * As above, with options.
     *
     * @param message the bytes, 0 or more; may be changed once the future is done
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> send(LocalMemory message, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, framed().send(message, false, 0, options, future, 0), message, null, false);
    }

    /**
     * Sends a copy of some bytes as a message, for small ones: memory of the node's pool is taken for it until it has
     * been sent. Larger ones are sent from a {@link LocalMemory} without being copied.
     *
     * @param message the bytes, 0 or more; may be changed as soon as this returns
     * @return as {@link #send(LocalMemory)}; fails with {@link MemoryExhaustedException} when the pool has no room
     */
    public RdmaFuture<Void> send(byte[] message) {
        return send(MemorySegment.ofArray(message));
    }

    /**
     * Sends a copy of some bytes as a message; see {@link #send(byte[])}.
     *
     * @param message any segment that this thread may read, of 0 bytes or more; may be changed as soon as this returns
     * @return as {@link #send(LocalMemory)}; fails with {@link MemoryExhaustedException} when the pool has no room
     */
    public RdmaFuture<Void> send(MemorySegment message) {
        long length = message.byteSize();
        long max = framed().maxBytes();
        if (length > max) {
            return RdmaFuture.failed(core.home, core, new IllegalArgumentException(Lengths.ofMessage(length, max)));
        }
        AllocationOptions unzeroed = AllocationOptions.DEFAULT.withZeroed(false);
        // Closed at once: the memory is given back once the message has been sent.
        try (LocalMemory copy = core.node.memory().allocate(Math.max(1, length), unzeroed)) {
            LocalMemory exact = copy.slice(0, length);
            exact.writable().copyFrom(message);
            return send(exact);
        } catch (MemoryExhaustedException e) {
            return RdmaFuture.failed(core.home, core, e);
        }
    }

    /**
     * Sends a message of any length up to {@link MessageConfig#maxBytes()}, which arrives whole and once. Allocates
     * nothing.
     *
     * @param message the bytes, 0 or more; may be changed once the future is done
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int send(LocalMemory message, CompletionCallback callback, long token) {
        return framed().send(message, false, 0, null, callback, token);
    }

    /**
     * Sends a message with immediate data.
     *
     * @param message the bytes, 0 or more; may be changed once the future is done
     * @param imm immediate data
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> sendWithImm(LocalMemory message, int imm) {
        return sendWithImm(message, imm, null);
    }

    /**
     * As above, with options.
     *
     * @param message the bytes, 0 or more; may be changed once the future is done
     * @param imm immediate data
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> sendWithImm(LocalMemory message, int imm, OperationOptions options) {
        RdmaFuture<Void> future = future();
        return started(future, framed().send(message, true, imm, options, future, 0), message, null, false);
    }

    /**
     * Sends a message with immediate data. Allocates nothing.
     *
     * @param message the bytes, 0 or more; may be changed once the future is done
     * @param imm immediate data
     * @param callback told of the end, on the thread that drives
     * @param token comes back there
     * @return {@link OperationStatus#SUCCESS} when it was started, else a code that says why not
     */
    public int sendWithImm(LocalMemory message, int imm, CompletionCallback callback, long token) {
        return framed().send(message, true, imm, null, callback, token);
    }

    /**
     * Reads memory of the peer into several pieces of memory in a row.
     *
     * @param parts where the bytes go, 1 to {@link QueueConfig#maxSge()}; each needs LOCAL_WRITE
     * @param remote the peer's memory, as long as all of them together
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> readVectored(List<LocalMemory> parts, RemoteMemory remote, OperationOptions options) {
        return vectored(OpCode.READ, parts, remote, options);
    }

    /**
     * Writes several pieces of memory in a row into memory of the peer.
     *
     * @param parts the bytes, 1 to {@link QueueConfig#maxSge()} pieces
     * @param remote the peer's memory, as long as all of them together
     * @param options how this one differs, or null
     * @return the result, which also tells why it could not be started
     */
    public RdmaFuture<Void> writeVectored(List<LocalMemory> parts, RemoteMemory remote, OperationOptions options) {
        return vectored(OpCode.WRITE, parts, remote, options);
    }

    /**
     * Waits for everything that was started before, long messages excepted.
     *
     * @return done when all of it has ended
     */
    public RdmaFuture<Void> flush() {
        RdmaFuture<Void> future = future();
        return started(future, flush(future), null, null, false);
    }

    /** A WRITE of nothing behind a fence. */
    private int flush(Object target) {
        int refused = core.life.refusal();
        if (refused != OperationStatus.SUCCESS) {
            return refused;
        }
        Operation op = core.reserve(OpCode.FLUSH);
        if (op == null) {
            return core.noPlace();
        }
        op.local(0, 0, 0);
        op.remote(0, 0);
        return core.start(op, OperationOptions.FENCED, target, 0);
    }

    /**
     * Collects operations that are posted together.
     *
     * @return an empty batch
     */
    public OperationBatch batch() {
        return new OperationBatch(this);
    }
}
