package io.verbena;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.memory.Quota;
import io.verbena.async.message.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

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
    static final int UNTAKEN = 6;

    private static final String[] REFUSALS = {
        "", "its quota for this connection (GrantConfig.quotaBytes) leaves not so much",
        "the rights are more than it grants (GrantConfig.maxRights)", "it has not so much memory",
        "there is no such lease any more", "it does not know such a request",
        "its application has not taken what it was told of before (receiveMemory)"
    };
    private static final long USUAL_SECONDS = 5;

    /** What waits for an answer, which brings a token or not; until the answer, whatever becomes of the result. */
    private record Open(RdmaFuture<?> future, int what, long requested, Runnable onOk) {
        boolean bringsToken() {
            return what == ALLOCATE || what == RENEW;
        }

        @SuppressWarnings("unchecked")
        boolean grant(RemoteMemory granted) {
            return ((RdmaFuture<RemoteMemory>) future).finish(granted);
        }
    }

    /** What the peer asks for. */
    private record Asked(int id, MemorySegment request) {}

    /** What the peer holds. */
    private record Held(LocalMemory memory, MemoryLease lease, long bytes) {}

    private final ConnectionCore core;
    private final ControlFrames control;
    private final Quota quota;
    private final AtomicInteger nextId = new AtomicInteger();
    private final AtomicLong nextLease = new AtomicLong();
    private final Map<Integer, Open> open = new ConcurrentHashMap<>();
    private final Map<Long, Held> held = new ConcurrentHashMap<>();
    /** Requests of the peer, which one task of the executor at a time works off. */
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger toDo = new AtomicInteger();
    /** Held while one is worked off. */
    private final ReentrantLock working = new ReentrantLock();
    /** What the request at work has handed back; guarded by {@link #working}. */
    private Held handed;
    private final AtomicInteger atWork = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger untaken = new AtomicInteger();
    private final Mailbox<RemoteMemory> exposed = new Mailbox<>(memory -> untaken.decrementAndGet());
    private final Mailbox<LocalMemory> handedBack;
    private volatile boolean ended;
    private volatile boolean closed;

    MemoryRequests(ConnectionCore core, ControlFrames control) {
        this.core = core;
        this.control = control;
        quota = new Quota(core.config.grants().quotaBytes(), null);
        handedBack = new Mailbox<>(memory -> quota.give(memory.length()));
    }

    // ---- asking

    /** A request with its answer: memory if the request brings a token, else nothing. */
    <T> RdmaFuture<T> ask(int what, int rights, long length, long lease, Duration duration) {
        return ask(what, rights, length, lease, duration, null, () -> { });
    }

    /** Tells of exposed memory. */
    RdmaFuture<Void> tell(byte[] token, Runnable onOk) {
        return ask(EXPOSE, 0, 0, 0, null, token, onOk);
    }

    private <T> RdmaFuture<T> ask(
            int what, int rights, long length, long lease, Duration duration, byte[] token, Runnable onOk) {
        RdmaFuture<T> future = new RdmaFuture<>(core.home, core);
        int refused = core.life.refusal();
        if (refused == OperationStatus.SUCCESS && unanswered.incrementAndGet() > MAX_OPEN) {
            unanswered.decrementAndGet();
            refused = OperationStatus.BACK_PRESSURED;
        }
        future.holdsNothing();
        if (refused != OperationStatus.SUCCESS) {
            future.fail(core.life.exception(refused));
            return future;
        }
        int id = nextId.incrementAndGet();
        open.put(id, new Open(future, what, System.nanoTime(), onOk));
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
        Open mine = open.remove(id);
        if (mine == null) {
            if (!ended) {
                core.life.protocolError("an answer to what was not asked");
            }
            return;
        }
        unanswered.decrementAndGet();
        if (status != OK) {
            mine.future().fail(new PeerRefusedException("the peer refused a request about memory: "
                    + (status > 0 && status < REFUSALS.length ? REFUSALS[status] : "status " + status)));
        } else if (mine.bringsToken() != (length != 4)) {
            core.life.protocolError("an answer of " + length + " bytes to a request of kind " + mine.what());
            mine.future().fail(core.life.exception(OperationStatus.CLOSED));
        } else if (length == 4) {
            mine.onOk().run();
            mine.future().finish(null);
        } else {
            byte[] token = new byte[RemoteMemory.TOKEN_BYTES];
            MemorySegment.copy(frame, ValueLayout.JAVA_BYTE, body + 4, token, 0, token.length);
            try {
                RemoteMemory granted = RemoteMemory.of(token, mine.requested());
                if (!mine.grant(granted) && mine.what() == ALLOCATE) {
                    // Nobody waits for it any more.
                    ask(RELEASE, 0, 0, granted.leaseId(), null);
                }
            } catch (IllegalArgumentException e) {
                mine.future().fail(e);
                core.life.protocolError("a token that is none: " + e.getMessage());
            }
        }
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
            asked.add(new Asked(id, bytes));
            if (toDo.getAndIncrement() == 0) {
                workOff();
            }
        }
    }

    private void workOff() {
        try {
            core.home.executor().execute(() -> forEachAsked(each -> answer(each.id(), each.request())));
        } catch (RejectedExecutionException e) {
            core.node.callbackFailed(e);
            forEachAsked(each -> answer(each.id(), status(NO_MEMORY)));
        }
    }

    private void forEachAsked(Consumer<Asked> work) {
        do {
            work.accept(asked.remove());
        } while (toDo.decrementAndGet() > 0);
    }

    private void answer(int id, MemorySegment request) {
        byte[] answer;
        Held back = null;
        working.lock();
        try {
            answer = ended ? status(NO_MEMORY) : perform(request);
            back = handed;
            handed = null;
        } catch (RuntimeException | Error e) {
            core.node.callbackFailed(e);
            answer = status(NO_MEMORY);
        } finally {
            working.unlock();
        }
        if (back != null) {
            // Without the lock: dependents of whoever waits for it may run here.
            handedBack.put(back.memory());
            if (closed) {
                closeHandedBack();
            }
        }
        answer(id, answer);
    }

    private void answer(int id, byte[] answer) {
        atWork.decrementAndGet();
        control.send(Frame.RESPONSE, id, answer);
    }

    private byte[] exposed(MemorySegment request) {
        if (request.byteSize() == BYTES) {
            return status(NOT_KNOWN);
        }
        if (untaken.get() >= MAX_OPEN) {
            return status(UNTAKEN);
        }
        try {
            RemoteMemory memory = RemoteMemory.of(request.asSlice(BYTES).toArray(ValueLayout.JAVA_BYTE));
            untaken.incrementAndGet();
            exposed.put(memory);
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
            case ALLOCATE -> Frame.getLong(request, 24) <= 0 ? status(NOT_KNOWN)
                    : allocate(Frame.getInt(request, 4), Frame.getLong(request, 8), duration(request));
            case HAND_BACK, RELEASE -> {
                Held given = held.remove(lease);
                if (given == null) {
                    yield status(NO_LEASE);
                }
                given.lease().close();
                if (what == HAND_BACK) {
                    // It counts until this side's application has it: the peer can't pile it up.
                    handed = given;
                } else {
                    given.memory().close();
                    quota.give(given.bytes());
                }
                yield status(OK);
            }
            case RENEW -> {
                Held given = held.get(lease);
                Duration duration = Frame.getLong(request, 24) <= 0 ? null : duration(request);
                yield given != null && duration != null && given.lease().renew(duration)
                        ? token(given.lease().remote()) : status(NO_LEASE);
            }
            default -> status(NOT_KNOWN);
        };
    }

    /** How long a lease is to be, at most what is allowed here; null for without end. The request's is positive. */
    private Duration duration(MemorySegment request) {
        long nanos = Frame.getLong(request, 24);
        Duration most = core.config.grants().maxDuration();
        long limit = most == null ? MonotonicClock.NEVER : Checks.nanos(most);
        long granted = Math.min(nanos, limit);
        return granted == MonotonicClock.NEVER ? null : Duration.ofNanos(granted);
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
            lease = memory.expose(rights, duration, id, () -> leaseEnded(id));
        } catch (RuntimeException | Error e) {
            memory.close();
            quota.give(length);
            throw e;
        }
        held.put(id, new Held(memory, lease, length));
        if (!lease.isActive()) {
            leaseEnded(id);
        }
        return token(lease.remote());
    }

    /** It ended by itself, unless whoever ended it has taken it out before. */
    private void leaseEnded(long id) {
        Held given = held.remove(id);
        if (given != null) {
            given.memory().close();
            quota.give(given.bytes());
        }
    }

    /** No answer comes any more. */
    void end() {
        ended = true;
        open.values().forEach(each -> {
            each.future().fail(core.life.exception(OperationStatus.CLOSED));
        });
        open.clear();
        exposed.end(() -> core.life.exception(OperationStatus.CLOSED));
        handedBack.end(() -> core.life.exception(OperationStatus.CLOSED));
    }

    /** The connection is gone: the peer holds nothing any more. */
    void closed() {
        end();
        working.lock();
        try {
            held.values().forEach(each -> each.memory().close());
        } finally {
            working.unlock();
        }
        closed = true;
        closeHandedBack();
    }

    private void closeHandedBack() {
        handedBack.close(LocalMemory::close);
    }
}
