package io.verbena;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.async.op.Operation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The result of an operation, and apart from it the time when the NIC can't touch its memory any more:
 * {@link #quiesced()}. Usually both come together. After a deadline, an {@link #orTimeout} or a {@link #cancel} the
 * result is there at once, but the operation may still take place, and its memory stays lent until it is quiesced.
 *
 * <p><b>Waiting.</b> {@link #join()} and {@link #get()} drive completions on the calling thread unless another thread
 * does, and park when that takes long; a virtual thread drives for a few microseconds only. They may be called inside
 * callbacks. {@link #isDone()} and {@link #getNow} drive nothing.
 *
 * <p><b>Dependents</b> run on the node's executor, those of {@link #thenApply} and the like too, so that they can't
 * stall other completions; with {@link DeliveryConfig#inlineDependents()} the latter run on the thread that drives, or
 * on a worker's. Unless {@link DeliveryConfig#executor()} names another, each runs on a virtual thread of its own, so
 * it may block. The futures that these methods return are plain ones: cancelling them cancels nothing here, and waiting
 * for them drives nothing, so a node with {@link PollerMode#MANUAL} needs somebody else who drives.
 *
 * <p><b>Nobody else completes it:</b> {@link #complete}, {@link #completeExceptionally}, the obtrude methods and
 * {@link #completeAsync} throw UnsupportedOperationException. Safe from any thread.
 *
 * @param <T> the result
 */
public final class RdmaFuture<T> extends CompletableFuture<T> {
    private static final Object QUIESCED = new Object();
    private static final VarHandle LINK;
    private static final VarHandle QUIET;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LINK = lookup.findVarHandle(RdmaFuture.class, "link", FutureLink.class);
            QUIET = lookup.findVarHandle(RdmaFuture.class, "quiet", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final FutureHome home;
    private final ConnectionCore core;
    private volatile FutureLink link;
    /** Null, {@link #QUIESCED}, or the future that is completed then. */
    private volatile Object quiet;
    private Operation waiting;
    private int waitingGeneration;
    private boolean holdsNothing;

    RdmaFuture(FutureHome home, ConnectionCore core) {
        this.home = home;
        this.core = core;
    }

    /** A future that has failed before anything was started. */
    static <T> RdmaFuture<T> failed(FutureHome home, ConnectionCore core, Throwable cause) {
        RdmaFuture<T> future = new RdmaFuture<>(home, core);
        future.holdsNothing();
        future.fail(cause);
        return future;
    }

    /** It stands for a wait alone: quiesced as soon as it is done. Before anybody else knows of it. */
    void holdsNothing() {
        holdsNothing = true;
    }

    /** Gives the result; false when there is one already. */
    boolean finish(T value) {
        boolean first = super.complete(value);
        ended();
        return first;
    }

    boolean fail(Throwable cause) {
        boolean first = super.completeExceptionally(cause);
        ended();
        return first;
    }

    /** Says that the NIC has let go. */
    void quiesce() {
        if (!QUIET.compareAndSet(this, null, QUIESCED) && quiet instanceof RdmaFuture<?> waiter) {
            waiter.finish(null);
        }
    }

    private void ended() {
        FutureLink waits = link;
        if (waits != null) {
            waits.wake();
        }
        if (holdsNothing) {
            quiesce();
        }
    }

    /** Notes where it stands in line, so that cancel can take it out. */
    void waitsAt(Operation place, int generation) {
        waitingGeneration = generation;
        waiting = place;
    }

    /**
     * The time when the NIC can't touch the operation's memory any more, however it ended. It never fails.
     *
     * @return done then; {@link #join()} on it drives like here
     */
    public RdmaFuture<Void> quiesced() {
        if (quiet == null) {
            RdmaFuture<Void> made = new RdmaFuture<>(home, null);
            if (QUIET.compareAndSet(this, null, made)) {
                return made;
            }
        }
        if (quiet == QUIESCED) {
            RdmaFuture<Void> done = new RdmaFuture<>(home, null);
            done.finish(null);
            return done;
        }
        @SuppressWarnings("unchecked")
        RdmaFuture<Void> made = (RdmaFuture<Void>) quiet;
        return made;
    }

    /**
     * Cancels the result. An operation that waits in line ({@link BackPressure#queue}) is taken out; one that was
     * posted goes on, and its memory stays lent until it is quiesced. A cancelled receive takes no message.
     *
     * @param mayInterruptIfRunning ignored
     * @return whether it is cancelled now
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (super.cancel(mayInterruptIfRunning)) {
            ended();
            if (core != null) {
                core.cancelled(this, waiting, waitingGeneration);
            }
        }
        return isCancelled();
    }

    /**
     * Breaks the connection, as the only way to make sure that an operation that was posted does not take place later:
     * this and everything else on the connection fails, and is quiesced soon.
     */
    public void abort() {
        if (core != null) {
            core.life.abort("RdmaFuture.abort was called");
        }
    }

    @Override
    public T join() {
        try {
            await(Operation.NEVER);
        } catch (InterruptedException e) {
            joinUninterrupted();
        }
        return super.join();
    }

    // As CompletableFuture.join does it: an interrupt does not end the wait, but is not lost.
    private void joinUninterrupted() {
        while (true) {
            try {
                await(Operation.NEVER);
                Thread.currentThread().interrupt();
                return;
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        await(Operation.NEVER);
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long nanos = Math.max(0, unit.toNanos(timeout));
        if (!await(MonotonicClock.end(MonotonicClock.nanos(), nanos))) {
            throw new TimeoutException("no result within " + timeout + " " + unit);
        }
        return super.get();
    }

    private boolean await(long deadline) throws InterruptedException {
        if (isDone()) {
            return true;
        }
        // Often there is nothing else: one completion, and no look for more.
        home.poller().drive(1);
        if (isDone()) {
            return true;
        }
        if (link == null) {
            LINK.compareAndSet(this, null, new FutureLink(this));
        }
        return home.poller().await(link, deadline);
    }

    /**
     * Fails the result with a TimeoutException when there is none in time; the operation goes on, see above. Works
     * whether or not anybody drives.
     */
    @Override
    public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
        return expire(timeout, unit, () -> fail(new TimeoutException("no result within " + timeout + " " + unit)));
    }

    /** Gives a result when there is none in time; the operation goes on, see above. */
    @Override
    public CompletableFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
        return expire(timeout, unit, () -> finish(value));
    }

    /** Does something once there is a result, on the thread that gives it. */
    void whenDone(Runnable act) {
        super.whenComplete((value, cause) -> act.run());
    }

    CompletableFuture<T> expire(long timeout, TimeUnit unit, Runnable act) {
        if (!isDone()) {
            CompletableFuture<Void> timer = new CompletableFuture<Void>().completeOnTimeout(null, timeout, unit);
            timer.thenRun(act);
            super.whenComplete((value, cause) -> timer.cancel(false));
        }
        return this;
    }

    private static UnsupportedOperationException refuse() {
        return new UnsupportedOperationException("only the operation completes its future; to stop waiting use cancel,"
                + " orTimeout or completeOnTimeout, or complete a copy()");
    }

    /** Refused. */
    @Override
    public boolean complete(T value) {
        throw refuse();
    }

    /** Refused. */
    @Override
    public boolean completeExceptionally(Throwable cause) {
        throw refuse();
    }

    /** Refused. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        throw refuse();
    }

    /** Refused. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        throw refuse();
    }

    /** Refused. */
    @Override
    public void obtrudeValue(T value) {
        throw refuse();
    }

    /** Refused. */
    @Override
    public void obtrudeException(Throwable cause) {
        throw refuse();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Dependent<>(home.executor());
    }

    @Override
    public Executor defaultExecutor() {
        return home.executor();
    }

    @Override
    public <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> fn) {
        return home.inline() ? super.thenApply(fn) : super.thenApplyAsync(fn, home.executor());
    }

    @Override
    public CompletableFuture<Void> thenAccept(Consumer<? super T> action) {
        return home.inline() ? super.thenAccept(action) : super.thenAcceptAsync(action, home.executor());
    }

    @Override
    public CompletableFuture<Void> thenRun(Runnable action) {
        return home.inline() ? super.thenRun(action) : super.thenRunAsync(action, home.executor());
    }

    @Override
    public <U, V> CompletableFuture<V> thenCombine(
            CompletionStage<? extends U> other, BiFunction<? super T, ? super U, ? extends V> fn) {
        return home.inline() ? super.thenCombine(other, fn) : super.thenCombineAsync(other, fn, home.executor());
    }

    @Override
    public <U> CompletableFuture<Void> thenAcceptBoth(
            CompletionStage<? extends U> other, BiConsumer<? super T, ? super U> action) {
        return home.inline() ? super.thenAcceptBoth(other, action)
                : super.thenAcceptBothAsync(other, action, home.executor());
    }

    @Override
    public CompletableFuture<Void> runAfterBoth(CompletionStage<?> other, Runnable action) {
        return home.inline() ? super.runAfterBoth(other, action)
                : super.runAfterBothAsync(other, action, home.executor());
    }

    @Override
    public <U> CompletableFuture<U> applyToEither(CompletionStage<? extends T> other, Function<? super T, U> fn) {
        return home.inline() ? super.applyToEither(other, fn) : super.applyToEitherAsync(other, fn, home.executor());
    }

    @Override
    public CompletableFuture<Void> acceptEither(CompletionStage<? extends T> other, Consumer<? super T> action) {
        return home.inline() ? super.acceptEither(other, action)
                : super.acceptEitherAsync(other, action, home.executor());
    }

    @Override
    public CompletableFuture<Void> runAfterEither(CompletionStage<?> other, Runnable action) {
        return home.inline() ? super.runAfterEither(other, action)
                : super.runAfterEitherAsync(other, action, home.executor());
    }

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> fn) {
        return home.inline() ? super.thenCompose(fn) : super.thenComposeAsync(fn, home.executor());
    }

    @Override
    public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> action) {
        return home.inline() ? super.whenComplete(action) : super.whenCompleteAsync(action, home.executor());
    }

    @Override
    public <U> CompletableFuture<U> handle(BiFunction<? super T, Throwable, ? extends U> fn) {
        return home.inline() ? super.handle(fn) : super.handleAsync(fn, home.executor());
    }

    @Override
    public CompletableFuture<T> exceptionally(Function<Throwable, ? extends T> fn) {
        return home.inline() ? super.exceptionally(fn) : super.exceptionallyAsync(fn, home.executor());
    }

    @Override
    public CompletableFuture<T> exceptionallyCompose(Function<Throwable, ? extends CompletionStage<T>> fn) {
        return home.inline() ? super.exceptionallyCompose(fn) : super.exceptionallyComposeAsync(fn, home.executor());
    }

    /** What depends on it: plain, but for where its own dependents run by default. */
    private static final class Dependent<T> extends CompletableFuture<T> {
        private final Executor executor;

        Dependent(Executor executor) {
            this.executor = executor;
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
            return new Dependent<>(executor);
        }

        @Override
        public Executor defaultExecutor() {
            return executor;
        }
    }
}
