package io.verbena;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Two connected ends of a {@link ModelActor}, what goes on between them, and what must come of it. */
final class ModelPair {
    private static final int MOST_OPERATIONS = 32;
    private static final int STEPS_WHILE_CLOSING = 12;
    private static final long CLOSE_NANOS = 10_000_000_000L;
    private static final long SETTLE_NANOS = 15_000_000_000L;

    private final ModelActor actor;
    private final ModelWorld world;
    private final Random random;
    private final RdmaConnection left;
    private final RdmaConnection right;
    /** Of the left end, which starts all operations. */
    private final MemoryPool memory;
    private final ModelTarget target;
    private final ModelTalk talk;
    private final ModelCallbacks callbacks;
    private final List<ModelOperation> operations = new ArrayList<>();
    /** It is being closed, or broken off: from now on everything may fail. */
    private volatile boolean mayFail;
    /** Of the operation that is about to be started. */
    private Duration deadline = ModelOperation.USUAL_DEADLINE;
    private boolean byCallback;

    ModelPair(ModelActor actor) throws Exception {
        this.actor = actor;
        world = actor.world;
        random = actor.random;
        int from = random.nextInt(2);
        RdmaConnection[] both = random.nextInt(8) == 0 ? byAddress()
                : RdmaNode.pair(world.nodes[0], world.nodes[1], world.config);
        left = both[from];
        right = both[1 - from];
        memory = world.nodes[from].memory();
        target = new ModelTarget(world.nodes[1 - from]);
        talk = new ModelTalk(right, random, world.config.queues().receives());
        callbacks = new ModelCallbacks(() -> {
            mayFail = true;
            left.closeNow();
        });
    }

    private RdmaConnection[] byAddress() throws Exception {
        var asked = world.nodes[0].connect(actor.server.address(), world.config, HandshakeConfig.DEFAULT);
        var accepted = actor.server.accept();
        await(() -> asked.isDone() && accepted.isDone(), SETTLE_NANOS, "connecting by address");
        return new RdmaConnection[] {asked.get(), accepted.get()};
    }

    /** What an operation is started with, as a future or with a callback. */
    private interface Start {
        RdmaFuture<?> future(OperationOptions options);

        int callback(CompletionCallback callback, long token);
    }

    // ---- steps

    /** A READ or a WRITE of a cell. */
    void oneSided() {
        int cell = room() ? target.takeCell(random) : -1;
        if (cell < 0) {
            return;
        }
        boolean reads = random.nextInt(5) < 2;
        ModelOperation op = newOperation(reads ? ModelOperation.Kind.READ : ModelOperation.Kind.WRITE);
        op.place = cell;
        LocalMemory bytes = random.nextInt(16) > 0 ? memory.allocate(ModelTarget.CELL_BYTES)
                : memory.register(Arena.ofAuto().allocate(ModelTarget.CELL_BYTES));
        op.memory = bytes;
        byte fill = (byte) random.nextInt(0x80);
        bytes.writable().fill(fill);
        op.before = reads ? fill : target.valueOf(cell);
        op.after = reads ? target.valueOf(cell) : fill;
        RemoteMemory remote = target.cell(cell);
        start(op, new Start() {
            @Override
            public RdmaFuture<?> future(OperationOptions options) {
                return reads ? left.read(bytes, remote, options) : left.write(bytes, remote, options);
            }

            @Override
            public int callback(CompletionCallback callback, long token) {
                return reads ? left.read(bytes, remote, callback, token)
                        : left.write(bytes, remote, callback, token);
            }
        });
    }

    /** Swaps or adds to a counter. */
    void atomic() {
        int counter = room() ? target.takeCounter(random) : -1;
        if (counter < 0) {
            return;
        }
        boolean swaps = random.nextBoolean();
        ModelOperation op = newOperation(swaps ? ModelOperation.Kind.SWAP : ModelOperation.Kind.ADD);
        op.place = counter;
        op.before = target.valueOfCounter(counter);
        long number = random.nextLong();
        boolean found = random.nextInt(4) > 0;
        long expected = found ? op.before : op.before + 1;
        op.after = swaps ? found ? number : op.before : op.before + number;
        RemoteMemory remote = target.counter(counter);
        start(op, new Start() {
            @Override
            public RdmaFuture<?> future(OperationOptions options) {
                return swaps ? left.compareAndSwap(remote, expected, number, options)
                        : left.fetchAndAdd(remote, number, options);
            }

            @Override
            public int callback(CompletionCallback callback, long token) {
                return swaps ? left.compareAndSwap(remote, expected, number, callback, token)
                        : left.fetchAndAdd(remote, number, callback, token);
            }
        });
    }

    /** Sends a message, short or long or empty. */
    void send() {
        if (!room()) {
            return;
        }
        ModelMessage message = talk.next();
        ModelOperation op = newOperation(ModelOperation.Kind.SEND);
        op.message = message;
        op.memory = memory.allocate(Math.max(1, message.length));
        op.memory.writable().fill(message.fill());
        LocalMemory bytes = op.memory.slice(0, message.length);
        start(op, new Start() {
            @Override
            public RdmaFuture<?> future(OperationOptions options) {
                return left.sendWithImm(bytes, message.number, options);
            }

            @Override
            public int callback(CompletionCallback callback, long token) {
                return left.sendWithImm(bytes, message.number, callback, token);
            }
        });
    }

    void receive() {
        talk.receive();
    }

    void flush() {
        ModelOperation op = newOperation(ModelOperation.Kind.FLUSH);
        op.future = left.flush();
        operations.add(op);
    }

    /** Asks the other node for memory. */
    void request() {
        ModelOperation op = newOperation(ModelOperation.Kind.REQUEST);
        op.future = left.requestMemory(1 + random.nextInt(5_000), Ends.REMOTE, random.nextBoolean() ? null
                : Duration.ofSeconds(20));
        operations.add(op);
        if (random.nextInt(4) == 0) {
            op.future.cancel(false);
        }
    }

    /** Stops waiting for something, in one of several ways. */
    void giveUp() {
        talk.giveUp();
        if (operations.isEmpty()) {
            return;
        }
        RdmaFuture<?> future = operations.get(random.nextInt(operations.size())).future;
        if (future == null) {
            return;
        }
        int how = random.nextInt(60);
        if (how == 0) {
            mayFail = true;
            future.abort();
        } else if (how < 30) {
            future.cancel(random.nextBoolean());
        } else {
            future.orTimeout(random.nextInt(2_000), TimeUnit.MICROSECONDS);
        }
    }

    private boolean room() {
        return operations.size() < MOST_OPERATIONS;
    }

    private Duration someDeadline() {
        return switch (random.nextInt(6)) {
            case 0 -> Duration.ofNanos(1 + random.nextInt(1_000));
            case 1 -> Duration.ofNanos(1 + random.nextInt(100_000));
            case 2 -> Duration.ofMillis(1 + random.nextInt(5));
            case 3 -> Duration.ofSeconds(1);
            default -> ModelOperation.USUAL_DEADLINE;
        };
    }

    private ModelOperation newOperation(ModelOperation.Kind kind) {
        boolean simple = kind == ModelOperation.Kind.FLUSH || kind == ModelOperation.Kind.REQUEST;
        byCallback = !simple && random.nextInt(5) < 2;
        deadline = byCallback || simple ? ModelOperation.USUAL_DEADLINE : someDeadline();
        return new ModelOperation(world, kind, deadline);
    }

    private void start(ModelOperation op, Start start) {
        if (byCallback) {
            boolean closes = random.nextInt(1_000) == 0;
            int status = callbacks.start(op, closes, start::callback);
            if (status != OperationStatus.SUCCESS) {
                ModelWorld.check(status == OperationStatus.BACK_PRESSURED || mayFail,
                        () -> op + " was refused: " + OperationStatus.describe(status));
                notStarted(op);
                return;
            }
        } else {
            OperationOptions options =
                    OperationOptions.DEFAULT.withDeadline(deadline).withFence(random.nextInt(8) == 0);
            if (random.nextInt(500) == 0) {
                mayFail = true;
                options = options.withAbortOnDeadline(true);
            }
            op.future = start.future(options);
            if (op.future.isCompletedExceptionally() && op.future.quiesced().isDone()
                    && op.future.exceptionNow() instanceof BackPressureException) {
                notStarted(op);
                return;
            }
        }
        operations.add(op);
        if (op.message != null) {
            talk.sent(op.message);
        }
        if (op.memory != null && random.nextInt(4) == 0) {
            op.memory.close();
            op.memoryClosed = true;
        }
    }

    private void notStarted(ModelOperation op) {
        if (op.place >= 0) {
            target.giveBack(op);
        }
        if (op.memory != null) {
            ModelWorld.check(op.memory.inUse() == 0, () -> op + " was not started, and has its memory");
            op.memory.close();
        }
    }

    // ---- looking

    /** Looks at what has ended. */
    void look() {
        for (RdmaConnection each : new RdmaConnection[] {left, right}) {
            RdmaException failure = each.failure();
            if (failure != null && !mayFail) {
                throw new AssertionError(this + " has failed", failure);
            }
        }
        callbacks.look(mayFail);
        talk.look(mayFail);
        for (Iterator<ModelOperation> all = operations.iterator(); all.hasNext();) {
            ModelOperation op = all.next();
            op.look(mayFail);
            if (op.end == ModelOperation.End.NONE) {
                continue;
            }
            if (op.message != null) {
                op.message.ended(op.end == ModelOperation.End.SUCCESS);
            }
            // What this end knows to be over, may still take place at the other one until that is closed as well.
            boolean over = op.end == ModelOperation.End.SUCCESS || op.swept || !mayFail;
            if (over && op.isQuiesced()) {
                finish(op);
                all.remove();
            }
        }
    }

    private void finish(ModelOperation op) {
        callbacks.forget(op);
        op.release();
        if (op.place >= 0) {
            target.settle(op);
        }
        if (op.kind == ModelOperation.Kind.FLUSH && op.end == ModelOperation.End.SUCCESS) {
            checkFlushed(op);
        }
    }

    private void checkFlushed(ModelOperation flush) {
        for (ModelOperation each : operations.subList(0, operations.indexOf(flush))) {
            boolean oneSided = each.place >= 0 && each.future != null;
            ModelWorld.check(!oneSided || each.future.isDone(), () -> "flushed before the end of " + each);
        }
    }

    // ---- the end

    /** Closes it, sometimes in order and sometimes not, by whatever thread, while other things go on. */
    void end() throws Exception {
        if (!mayFail && random.nextBoolean()) {
            await(() -> operations.isEmpty() && talk.isComplete(), SETTLE_NANOS, "everything to end");
        }
        mayFail = true;
        List<CompletableFuture<?>> closing = new ArrayList<>();
        boolean leftFirst = random.nextBoolean();
        closing.add(close(leftFirst ? left : right));
        for (int i = 0; i < STEPS_WHILE_CLOSING; i++) {
            oneSided();
            send();
            receive();
            world.drive();
        }
        closing.add(close(leftFirst ? right : left));
        await(() -> closing.stream().allMatch(CompletableFuture::isDone), CLOSE_NANOS, "close");
        for (CompletableFuture<?> each : closing) {
            each.get();
        }
        ModelWorld.check(left.state() == ConnectionState.CLOSED && right.state() == ConnectionState.CLOSED,
                () -> left + ", " + right);
        allHasEnded();
        target.close();
    }

    private CompletableFuture<?> close(RdmaConnection end) {
        Duration patience = Duration.ofMillis(1 + random.nextInt(100));
        Runnable closing = random.nextBoolean() ? end::closeNow : () -> end.close(patience);
        if (random.nextBoolean()) {
            return CompletableFuture.runAsync(closing, world.others);
        }
        closing.run();
        return CompletableFuture.completedFuture(null);
    }

    private void allHasEnded() {
        callbacks.look(true);
        for (ModelOperation op : operations) {
            op.look(true);
            ModelWorld.check(op.end != ModelOperation.End.NONE, () -> "closed, but there is no end of " + op);
            ModelWorld.check(op.future == null || op.future.quiesced().isDone(),
                    () -> "closed, but not quiesced: " + op);
            op.swept = true;
        }
        look();
        ModelWorld.check(operations.isEmpty(), () -> "left: " + operations);
        callbacks.none();
        talk.end();
    }

    private void await(BooleanSupplier condition, long nanos, String what) {
        long start = System.nanoTime();
        long stalled = world.stalledNanos();
        while (!condition.getAsBoolean()) {
            world.drive();
            if (callbacks != null) {
                look();
                if (!mayFail) {
                    talk.receive();
                }
            }
            ModelWorld.check(System.nanoTime() - start - (world.stalledNanos() - stalled) < nanos,
                    () -> "waited for " + what + ": " + left + ", " + right + ", " + operations + ", " + talk);
        }
    }

    @Override
    public String toString() {
        return left + " to " + right;
    }
}
