package io.verbena;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.memory.Quota;
import io.verbena.async.message.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the two ends agree on about memory: one asks, the other does it and answers. Asking is done by any thread;
 * what the peer asks for is done on the node's executor, in order, since it allocates and registers.
 */
final class MemoryRequests {
    /** Requests without an answer at most, in each direction. */
    static final int MAX_OPEN = 64;
    static final int ALLOCATE = 1;
    static final int EXPOSE = 2;
    static final int HAND_BACK = 3;
    static final int RELEASE = 4;
    static final int RENEW = 5;
    /** Bytes of a request: what, rights, length, lease, duration; then a token when memory is exposed. */
    static final int BYTES = 32;

    static final int OK = 0;
    static final int NO_QUOTA = 1;
    static final int NO_RIGHT = 2;
    static final int NO_MEMORY = 3;
    static final int NO_LEASE = 4;
    static final int NOT_KNOWN = 5;

    private static final String[] REFUSALS = {
        "", "its quota for this connection (GrantConfig.quotaBytes) leaves not so much",
        "the rights are more than it grants (GrantConfig.maxRights)", "it has not so much memory",
        "there is no such lease any more", "it does not know this kind of request"
    };
    private static final long USUAL_SECONDS = 5;

    /** What waits for an answer. */
    private record Open(RdmaFuture<RemoteMemory> future, long requested) {}

    /** What the peer holds. */
    private record Held(LocalMemory memory, MemoryLease lease, long bytes) {}

    private final ConnectionCore core;
    private final ControlFrames control;
    private final Quota quota;
    private final AtomicInteger nextId = new AtomicInteger();
    private final AtomicLong nextLease = new AtomicLong();
    private final Map<Integer, Open> open = new ConcurrentHashMap<>();
    private final Map<Long, Held> held = new ConcurrentHashMap<>();
    /** Requests of the peer are worked off one after another. */
    private final ReentrantLock inOrder = new ReentrantLock(true);
    private final AtomicInteger atWork = new AtomicInteger();
    private final Mailbox<RemoteMemory> exposed = new Mailbox<>();
    private final Mailbox<LocalMemory> handedBack = new Mailbox<>();
    private volatile boolean ended;

    MemoryRequests(ConnectionCore core, ControlFrames control) {
        this.core = core;
        this.control = control;
        quota = new Quota(core.config.grants().quotaBytes(), null);
    }

    // ---- asking

    /** A request with its answer; the token is null unless memory is exposed. */
    RdmaFuture<RemoteMemory> ask(int what, int rights, long length, long lease, Duration duration, byte[] token) {
        RdmaFuture<RemoteMemory> future = new RdmaFuture<>(core.home, core);
        int refused = core.life.refusal();
        if (refused == OperationStatus.SUCCESS && open.size() >= MAX_OPEN) {
            refused = OperationStatus.BACK_PRESSURED;
        }
        if (refused != OperationStatus.SUCCESS) {
            future.fail(core.life.exception(refused));
            future.quiesce();
            return future;
        }
        int id = nextId.incrementAndGet();
        open.put(id, new Open(future, System.nanoTime()));
        byte[] body = new byte[BYTES + (token == null ? 0 : token.length)];
        MemorySegment bytes = MemorySegment.ofArray(body);
        Frame.putInt(bytes, 0, what);
        Frame.putInt(bytes, 4, rights);
        Frame.putLong(bytes, 8, length);
        Frame.putLong(bytes, 16, lease);
        Frame.putLong(bytes, 24, duration == null ? MonotonicClock.NEVER : Checks.nanos(duration));
        if (token != null) {
            MemorySegment.copy(token, 0, bytes, ValueLayout.JAVA_BYTE, BYTES, token.length);
        }
        control.send(Frame.REQUEST, id, body);
        Duration limit = core.config.deadline();
        long nanos = limit == null ? TimeUnit.SECONDS.toNanos(USUAL_SECONDS) : Checks.nanos(limit);
        future.expire(nanos, TimeUnit.NANOSECONDS, () -> future.fail(new DeadlineExceededException(
                "the peer did not answer a request about memory in time; does anybody drive its node?")));
        future.whenDone(() -> open.remove(id));
        if (ended) {
            end();
        }
        return future;
    }

    /** The driver's. */
    void answered(int id, MemorySegment frame, long body, int length) {
        if (length != 4 && length != 4 + RemoteMemory.TOKEN_BYTES) {
            core.life.protocolError("an answer of " + length + " bytes to a request");
            return;
        }
        int status = Frame.getInt(frame, body);
        Open asked = open.remove(id);
        if (asked == null) {
            // It came after the deadline; memory that it brings ends with its lease or with the connection.
            return;
        }
        if (status != OK) {
            asked.future().fail(new PeerRefusedException("the peer refused a request about memory: "
                    + (status > 0 && status < REFUSALS.length ? REFUSALS[status] : "status " + status)));
        } else if (length == 4) {
            asked.future().finish(null);
        } else {
            byte[] token = new byte[RemoteMemory.TOKEN_BYTES];
            MemorySegment.copy(frame, ValueLayout.JAVA_BYTE, body + 4, token, 0, token.length);
            try {
                asked.future().finish(RemoteMemory.of(token, asked.requested()));
            } catch (IllegalArgumentException e) {
                asked.future().fail(e);
                core.life.protocolError("a token that is none: " + e.getMessage());
            }
        }
        asked.future().quiesce();
    }

    void receiveExposed(RdmaFuture<RemoteMemory> future) {
        exposed.take(future);
    }

    void receiveHandedBack(RdmaFuture<LocalMemory> future) {
        handedBack.take(future);
    }

    // ---- doing

    /** A request of the peer; the driver's. */
    void requested(int id, MemorySegment frame, long body, int length) {
        if (length != BYTES && length != BYTES + RemoteMemory.TOKEN_BYTES || atWork.get() >= MAX_OPEN) {
            core.life.protocolError("a request of " + length + " bytes, or more than " + MAX_OPEN + " at a time");
            return;
        }
        byte[] copy = new byte[length];
        MemorySegment.copy(frame, ValueLayout.JAVA_BYTE, body, copy, 0, length);
        atWork.incrementAndGet();
        MemorySegment bytes = MemorySegment.ofArray(copy);
        if (Frame.getInt(bytes, 0) == EXPOSE) {
            answer(id, exposed(bytes));
        } else {
            core.home.executor().execute(() -> answer(id, bytes));
        }
    }

    private void answer(int id, MemorySegment request) {
        byte[] answer;
        inOrder.lock();
        try {
            answer = ended ? status(NO_MEMORY) : perform(request);
        } catch (RuntimeException e) {
            core.node.callbackFailed(e);
            answer = status(NO_MEMORY);
        } finally {
            inOrder.unlock();
        }
        answer(id, answer);
    }

    private void answer(int id, byte[] answer) {
        atWork.decrementAndGet();
        control.send(Frame.RESPONSE, id, answer);
    }

    private byte[] exposed(MemorySegment request) {
        try {
            exposed.put(RemoteMemory.of(request.asSlice(BYTES).toArray(ValueLayout.JAVA_BYTE)));
            return status(OK);
        } catch (IllegalArgumentException e) {
            return status(NOT_KNOWN);
        }
    }

    private static byte[] status(int status) {
        byte[] bytes = new byte[4];
        Frame.putInt(MemorySegment.ofArray(bytes), 0, status);
        return bytes;
    }

    private static byte[] token(RemoteMemory memory) {
        byte[] bytes = new byte[4 + RemoteMemory.TOKEN_BYTES];
        System.arraycopy(memory.toBytes(), 0, bytes, 4, RemoteMemory.TOKEN_BYTES);
        return bytes;
    }

    private byte[] perform(MemorySegment request) {
        int what = Frame.getInt(request, 0);
        long lease = Frame.getLong(request, 16);
        return switch (what) {
            case ALLOCATE -> allocate(Frame.getInt(request, 4), Frame.getLong(request, 8), duration(request));
            case HAND_BACK, RELEASE -> {
                Held given = held.remove(lease);
                if (given == null) {
                    yield status(NO_LEASE);
                }
                given.lease().close();
                if (what == HAND_BACK) {
                    handedBack.put(given.memory());
                } else {
                    given.memory().close();
                }
                yield status(OK);
            }
            case RENEW -> {
                Held given = held.get(lease);
                Duration duration = duration(request);
                yield given != null && duration != null && given.lease().renew(duration)
                        ? token(given.lease().remote()) : status(NO_LEASE);
            }
            default -> status(NOT_KNOWN);
        };
    }

    private Duration duration(MemorySegment request) {
        long nanos = Frame.getLong(request, 24);
        Duration most = core.config.grants().maxDuration();
        long limit = most == null ? MonotonicClock.NEVER : Checks.nanos(most);
        long granted = Math.min(nanos, limit);
        return granted <= 0 || granted == MonotonicClock.NEVER ? null : Duration.ofNanos(granted);
    }

    private byte[] allocate(int rights, long length, Duration duration) {
        if (rights == 0 || (rights & ~core.config.grants().maxRights()) != 0) {
            return status(NO_RIGHT);
        }
        if (length < 1 || !quota.take(length)) {
            return status(NO_QUOTA);
        }
        LocalMemory memory;
        try {
            memory = core.node.memory().allocate(length);
        } catch (MemoryExhaustedException e) {
            quota.give(length);
            return status(NO_MEMORY);
        }
        long id = nextLease.incrementAndGet();
        MemoryLease lease;
        try {
            lease = memory.expose(rights, duration, id, () -> leaseEnded(id, length));
        } catch (RuntimeException | Error e) {
            memory.close();
            quota.give(length);
            throw e;
        }
        held.put(id, new Held(memory, lease, length));
        if (!lease.isActive()) {
            leaseEnded(id, 0);
        }
        return token(lease.remote());
    }

    /** However it ended: memory that was not handed back is closed. */
    private void leaseEnded(long id, long bytes) {
        quota.give(bytes);
        Held given = held.remove(id);
        if (given != null) {
            given.memory().close();
        }
    }

    /** No answer comes any more. */
    void end() {
        ended = true;
        open.values().forEach(each -> {
            each.future().fail(core.life.exception(OperationStatus.CLOSED));
            each.future().quiesce();
        });
        open.clear();
        exposed.end(() -> core.life.exception(OperationStatus.CLOSED));
        handedBack.end(() -> core.life.exception(OperationStatus.CLOSED));
    }

    /** The connection is gone: the peer holds nothing any more. */
    void closed() {
        end();
        inOrder.lock();
        try {
            held.values().forEach(each -> each.memory().close());
        } finally {
            inOrder.unlock();
        }
        for (LocalMemory each = handedBack.poll(); each != null; each = handedBack.poll()) {
            each.close();
        }
    }
}
