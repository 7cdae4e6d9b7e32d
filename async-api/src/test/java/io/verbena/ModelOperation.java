package io.verbena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

/** One operation of a {@link ModelPair}: what it may do, until when, and what has become of it. */
final class ModelOperation {
    /** What operations have that say nothing else, and requests about memory. */
    static final Duration USUAL_DEADLINE = Duration.ofSeconds(3);
    private static final long GRACE_NANOS = 1_000_000_000;

    /** What it does. */
    enum Kind { READ, WRITE, SWAP, ADD, SEND, FLUSH, REQUEST }

    /** How it ended; UNKNOWN for one that was given up: it may take place or not. */
    enum End { NONE, SUCCESS, UNKNOWN }

    final Kind kind;
    private final ModelWorld world;
    private final long started = System.nanoTime();
    private final long stalledBefore;
    private final long limitNanos;
    /** The cell or counter that it has for itself. */
    int place = -1;
    /** What was in the place, and will be if it takes place; of a READ the same about the memory on this side. */
    long before;
    long after;
    LocalMemory memory;
    boolean memoryClosed;
    /** Null for one that tells a callback. */
    RdmaFuture<?> future;
    End end = End.NONE;
    ModelMessage message;
    /** The connection that it was started on is closed: nothing of it can still happen. */
    boolean swept;

    ModelOperation(ModelWorld world, Kind kind, Duration deadline) {
        this.world = world;
        this.kind = kind;
        limitNanos = deadline.toNanos();
        stalledBefore = world.stalledNanos();
    }

    /** Notes the result of a future that has one; how far failures are allowed is the pair's to say. */
    void look(boolean failuresAllowed) {
        if (end == End.NONE && future != null && future.isDone()) {
            if (future.state() == Future.State.SUCCESS) {
                ended(OperationStatus.SUCCESS, future.resultNow() instanceof Long prior ? prior : 0);
            } else {
                Throwable cause = future.state() == Future.State.CANCELLED ? null : future.exceptionNow();
                boolean usual = cause == null || cause instanceof DeadlineExceededException
                        || cause instanceof BackPressureException || cause instanceof TimeoutException;
                if (!usual && !failuresAllowed) {
                    throw new AssertionError(this + " has failed", cause);
                }
                end = End.UNKNOWN;
            }
        }
        if (end == End.NONE) {
            long late = System.nanoTime() - started - limitNanos - (world.stalledNanos() - stalledBefore);
            ModelWorld.check(late < GRACE_NANOS,
                    () -> this + " hangs: no end " + late / 1_000_000 + " ms after its deadline");
        }
    }

    /** It has ended with a status of {@link OperationStatus}, or of a completion. */
    void ended(int status, long value) {
        ModelWorld.check(end == End.NONE, () -> this + " has ended twice");
        end = status == OperationStatus.SUCCESS ? End.SUCCESS : End.UNKNOWN;
        if (end == End.SUCCESS && (kind == Kind.SWAP || kind == Kind.ADD)) {
            ModelWorld.check(value == before, () -> this + " has found " + value);
        }
    }

    /** Whether the NIC can't touch anything any more; only once it has ended. */
    boolean isQuiesced() {
        if (swept || end == End.SUCCESS && future == null) {
            return true;
        }
        if (future != null) {
            return future.quiesced().isDone();
        }
        // A callback that was told of the deadline is not told again; the memory shows it.
        return memory != null && memory.inUse() == 0;
    }

    /** Looks at the bytes on this side, and gives the memory back. */
    void release() {
        if (memory == null || memoryClosed) {
            return;
        }
        ModelWorld.check(memory.inUse() == 0, () -> this + " is quiesced, but its memory is lent");
        if (kind == Kind.READ) {
            boolean changed = holds(memory.writable(), (byte) after);
            ModelWorld.check(end == End.SUCCESS ? changed : isMix(memory.unchecked(), (byte) before, (byte) after),
                    () -> this + " has read something else");
        }
        memory.close();
        memoryClosed = true;
    }

    static boolean holds(MemorySegment bytes, byte value) {
        return isMix(bytes, value, value);
    }

    static boolean isMix(MemorySegment bytes, byte one, byte other) {
        for (long i = 0; i < bytes.byteSize(); i++) {
            byte now = bytes.get(ValueLayout.JAVA_BYTE, i);
            if (now != one && now != other) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return kind + (future == null ? " by callback" : " by future") + " at place " + place + ", " + before + " to "
                + after + ", limit " + limitNanos / 1_000 + " us, end " + end + (memoryClosed ? ", memory closed" : "")
                + (message == null ? "" : ", " + message);
    }
}
