package io.verbena.nic;

import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A context of a software NIC: the parent of everything an application makes. */
final class SoftContext implements Context {
    private static final long MAX_ALLOCATION = 1L << 46;
    private static final long MAX_ALIGNMENT = 4096;

    private final SoftNic nic;
    private final EventQueue events;
    private final Map<Object, String> children = new IdentityHashMap<>();
    private volatile boolean closed;

    SoftContext(SoftNic nic) {
        this.nic = nic;
        events = new EventQueue(nic.counters());
    }

    SoftNic nic() {
        return nic;
    }

    EventQueue events() {
        return events;
    }

    /** Does something with the control lock held, on an open context. */
    <T> T control(Supplier<T> action) {
        nic.fabric().controlLock().lock();
        try {
            if (closed) {
                throw VerbsException.closed("context");
            }
            return action.get();
        } finally {
            nic.fabric().controlLock().unlock();
        }
    }

    private <T> T child(String kind, T child) {
        children.put(child, kind);
        return child;
    }

    void childClosed(Object child) {
        children.remove(child);
    }

    /** Waits, without the control lock, until every event taken about an object was acknowledged. */
    void awaitAcknowledged(Object subject) {
        events.forget(subject);
        nic.waiting().await(() -> events.settled(subject), -1, events.waiters());
    }

    @Override
    public Device device() {
        return nic.device();
    }

    @Override
    public DeviceAttributes queryDevice() {
        return NicLimits.device(nic.device(), nic.wire() == null);
    }

    @Override
    public PortAttributes queryPort(int port) {
        checkPort(port);
        return nic.port();
    }

    private static void checkPort(int port) {
        if (port != NicLimits.PORT) {
            throw VerbsException.invalid("port", port, "1");
        }
    }

    @Override
    public GidEntry queryGid(int port, int index) {
        int length = queryPort(port).gidTableLength();
        if (index < 0 || index >= length) {
            throw VerbsException.invalid("gid index", index, "0 to " + (length - 1));
        }
        if (index != nic.gid().index()) {
            throw new VerbsException(Errno.ENODATA, "gid index",
                    "gid index " + index + " is empty; index " + nic.gid().index() + " is filled");
        }
        return nic.gid();
    }

    @Override
    public List<GidEntry> queryGidTable() {
        return List.of(nic.gid());
    }

    @Override
    public int queryPkey(int port, int index) {
        checkPort(port);
        if (index != 0) {
            throw VerbsException.invalid("pkey index", index, "0");
        }
        return NicLimits.DEFAULT_PKEY;
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return control(() -> child("protection domain",
                nic.counts().make(DeviceLimit.MAX_PD, () -> new SoftProtectionDomain(this))));
    }

    @Override
    public AllocatedMemory allocateMemory(long bytes, long alignment) {
        if (bytes < 1 || bytes > MAX_ALLOCATION) {
            throw VerbsException.invalid("bytes", bytes, "1 to " + MAX_ALLOCATION);
        }
        if (alignment < 1 || alignment > MAX_ALIGNMENT || Long.bitCount(alignment) != 1) {
            throw VerbsException.invalid("alignment", alignment, "a power of two, 1 to " + MAX_ALIGNMENT);
        }
        return control(() -> {
            try {
                SoftAllocatedMemory memory = child("memory block", new SoftAllocatedMemory(this, bytes, alignment));
                nic.allocations().add(memory);
                return memory;
            } catch (OutOfMemoryError e) {
                throw new VerbsException(Errno.ENOMEM, "bytes", "no " + bytes + " bytes of native memory are to be had;"
                        + " raise -XX:MaxDirectMemorySize or ask for less");
            }
        });
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return control(() -> child("completion channel", new SoftCompletionChannel(this)));
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueConfig config) {
        if (config == null) {
            throw VerbsException.invalid("config", null, "a CompletionQueueConfig");
        }
        return control(() -> {
            SoftCompletionQueue.check(this, config);
            return child("completion queue",
                    nic.counts().make(DeviceLimit.MAX_CQ, () -> new SoftCompletionQueue(this, config)));
        });
    }

    @Override
    public AsyncEvent getAsyncEvent(long timeoutNanos) {
        if (closed) {
            throw VerbsException.closed("context");
        }
        return nic.waiting().await(this::takeEvent, timeoutNanos, events.waiters());
    }

    private AsyncEvent takeEvent() {
        AsyncEvent event = events.take();
        if (event == null && closed) {
            throw VerbsException.closed("context");
        }
        return event;
    }

    @Override
    public void acknowledge(AsyncEvent event) {
        if (event == null || !events.acknowledge(event)) {
            throw VerbsException.invalid("event", event, "an event taken from this context and not acknowledged yet");
        }
    }

    @Override
    public String toString() {
        return (closed ? "closed " : "") + "context of " + nic.device().name();
    }

    @Override
    public void close() {
        nic.fabric().controlLock().lock();
        try {
            if (closed) {
                return;
            }
            if (!children.isEmpty()) {
                throw VerbsException.busy("context", children.values().stream()
                        .collect(Collectors.groupingBy(kind -> kind, TreeMap::new, Collectors.counting()))
                        .entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey() + "(s)")
                        .collect(Collectors.joining(", ")));
            }
            closed = true;
            events.waiters().wakeAll();
            nic.contextClosed(this);
        } finally {
            nic.fabric().controlLock().unlock();
        }
    }
}
