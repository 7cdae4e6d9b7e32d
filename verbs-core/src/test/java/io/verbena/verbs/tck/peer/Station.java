package io.verbena.verbs.tck.peer;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Threading;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One side's context with two protection domains and everything made from them. Closing it closes all that is still
 * open in reverse order, and fails when an object can't be closed or a guard byte has changed. Safe from any thread.
 */
public final class Station implements AutoCloseable {
    /**
     * System property that names the device under test, as Devices.open takes it. In it {@link #PROCESS} stands for two
     * parts of an IPv4 address that each process has for itself, as in {@code soft?link=udp&bind=127.{pid}.1}.
     */
    public static final String DEVICE_PROPERTY = "verbena.tck.device";
    /** See {@link #DEVICE_PROPERTY}. */
    public static final String PROCESS = "{pid}";
    private static final int PARTS = 250;

    private final Context context;
    private final ProtectionDomain domain;
    private final ProtectionDomain otherDomain;
    private final Deque<AutoCloseable> objects = new ArrayDeque<>();
    private final Deque<AutoCloseable> memories = new ArrayDeque<>();

    /** Opens the device under test. */
    public Station() {
        context = Devices.open(device());
        domain = keep(context.allocateProtectionDomain());
        otherDomain = keep(context.allocateProtectionDomain());
    }

    /**
     * The device under test.
     *
     * @return a specification for Devices.open
     */
    public static String device() {
        long pid = ProcessHandle.current().pid();
        return System.getProperty(DEVICE_PROPERTY, "soft")
                .replace(PROCESS, (1 + pid / PARTS % PARTS) + "." + (1 + pid % PARTS));
    }

    /** Whether the device under test loses packets on purpose, so that every few rounds wait for a timer. */
    public static boolean isLossy() {
        return device().contains("faults=");
    }

    /**
     * Remembers an object to close it with the station.
     *
     * @param object anything
     * @param <T> its type
     * @return object
     */
    public <T extends AutoCloseable> T keep(T object) {
        synchronized (objects) {
            objects.push(object);
        }
        return object;
    }

    /**
     * Forgets an object that was closed, so that long runs do not pile up closed objects.
     *
     * @param object kept before
     */
    void forget(AutoCloseable object) {
        synchronized (objects) {
            objects.removeFirstOccurrence(object);
            memories.removeFirstOccurrence(object);
        }
    }

    /**
     * The context.
     *
     * @return never null
     */
    public Context context() {
        return context;
    }

    /**
     * The domain that queue pairs belong to.
     *
     * @return never null
     */
    public ProtectionDomain domain() {
        return domain;
    }

    /**
     * A domain without queue pairs.
     *
     * @return never null
     */
    public ProtectionDomain otherDomain() {
        return otherDomain;
    }

    /**
     * The GID that queue pairs send from.
     *
     * @return entry 0 of port 1
     */
    public Gid gid() {
        return context.queryGid(1, 0).gid();
    }

    /**
     * Creates a completion queue.
     *
     * @param cqe its size
     * @param events whether it has a channel of its own
     * @param threading who may poll
     * @return the queue
     */
    public CompletionQueue completionQueue(int cqe, boolean events, Threading threading) {
        CompletionChannel channel = events ? keep(context.createCompletionChannel()) : null;
        CompletionQueueConfig config = CompletionQueueConfig.of(cqe).withThreading(threading).withChannel(channel);
        return keep(context.createCompletionQueue(config));
    }

    /**
     * Creates a queue pair in RESET.
     *
     * @param spec its type and sizes
     * @param sendCq for sends
     * @param recvCq for receives
     * @return the queue pair
     */
    public QueuePair queuePair(QueuePairSpec spec, CompletionQueue sendCq, CompletionQueue recvCq) {
        return keep(domain.createQueuePair(spec.config(sendCq, recvCq)));
    }

    /**
     * Allocates memory with guards.
     *
     * @param bytes without the guards
     * @param kind where from
     * @return the memory
     */
    public GuardedMemory allocate(long bytes, MemoryKind kind) {
        GuardedMemory memory = new GuardedMemory(context, bytes, kind);
        synchronized (objects) {
            memories.push(memory);
        }
        return memory;
    }

    /**
     * Registers memory in the first domain.
     *
     * @param memory all of it
     * @param access rights
     * @return the region
     */
    public MemoryRegion register(GuardedMemory memory, int access) {
        return keep(domain.register(memory.segment(), access));
    }

    /**
     * Takes and acknowledges the oldest asynchronous event.
     *
     * @param timeoutNanos how long to wait
     * @return what happened to which queue pair; NONE when nothing did
     */
    public PeerAnswer.Event takeAsyncEvent(long timeoutNanos) {
        AsyncEvent event = context.getAsyncEvent(timeoutNanos);
        if (event == null) {
            return PeerAnswer.Event.NONE;
        }
        context.acknowledge(event);
        return switch (event) {
            case AsyncEvent.QueuePairEvent e -> new PeerAnswer.Event(e.kind().name(), e.queuePair().qpNum());
            case AsyncEvent.CompletionQueueError e -> new PeerAnswer.Event("CQ_ERR", -1);
            case AsyncEvent.SharedReceiveQueueEvent e ->
                    new PeerAnswer.Event(e.limitReached() ? "SRQ_LIMIT_REACHED" : "SRQ_ERR", -1);
            case AsyncEvent.PortEvent e -> new PeerAnswer.Event(e.kind().name(), -1);
            case AsyncEvent.DeviceFatal e -> new PeerAnswer.Event("DEVICE_FATAL", -1);
        };
    }

    /** The next object to close: memory after the regions that may have moved to it, the context last. */
    private AutoCloseable next() {
        synchronized (objects) {
            return !objects.isEmpty() ? objects.pop() : memories.poll();
        }
    }

    @Override
    public void close() {
        AssertionError failure = null;
        for (AutoCloseable object = next(); object != null; object = next()) {
            failure = close(object, failure);
        }
        failure = close(context, failure);
        if (failure != null) {
            throw failure;
        }
    }

    private static AssertionError close(AutoCloseable object, AssertionError before) {
        try {
            object.close();
            return before;
        } catch (Exception | AssertionError e) {
            AssertionError failure =
                    before == null ? new AssertionError("closing at the end failed: " + e, e) : before;
            failure.addSuppressed(e);
            return failure;
        }
    }
}
