package io.verbena.nic;

import io.verbena.nic.direct.InlineSource;
import io.verbena.nic.direct.WindowSource;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Supplier;

/** A protection domain: a number that keys and queue pairs must share, and the regions of that number. */
final class SoftProtectionDomain implements ProtectionDomain, InlineSource, WindowSource {
    private final SoftContext context;
    private final int number;
    /** Replaced as a whole, so that inline posts may look through it without a lock. */
    private volatile SoftMemoryRegion[] regions = new SoftMemoryRegion[0];
    private final Set<SoftMemoryWindow> windows = Collections.newSetFromMap(new IdentityHashMap<>());
    private int queuePairs;
    private int sharedReceiveQueues;
    private int addressHandles;
    private boolean closed;

    SoftProtectionDomain(SoftContext context) {
        this.context = context;
        number = context.nic().takeDomain();
    }

    int number() {
        return number;
    }

    SoftContext softContext() {
        return context;
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, int access) {
        RegionChecks.segment(segment);
        return register(segment, segment.address(), access);
    }

    @Override
    public MemoryRegion register(MemorySegment segment, long iova, int access) {
        RegionChecks.all(segment, iova, access);
        return context.control(() -> {
            requireOpen();
            SoftMemoryRegion region =
                    counted(DeviceLimit.MAX_MR, () -> new SoftMemoryRegion(this, segment, iova, access));
            add(region);
            return region;
        });
    }

    void add(SoftMemoryRegion region) {
        SoftMemoryRegion[] current = regions;
        SoftMemoryRegion[] next = Arrays.copyOf(current, current.length + 1);
        next[current.length] = region;
        regions = next;
    }

    void remove(SoftMemoryRegion region) {
        regions = Arrays.stream(regions).filter(other -> other != region).toArray(SoftMemoryRegion[]::new);
    }

    @Override
    public boolean covers(int lkey, long address, long length) {
        for (SoftMemoryRegion region : regions) {
            if (region.lkey() == lkey && region.has(address - region.address(), length)
                    || region.has(address - region.segment().address(), length)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean copy(int lkey, long address, long length, MemorySegment target, long offset) {
        SoftMemoryRegion[] candidates = regions;
        for (SoftMemoryRegion region : candidates) {
            if (region.lkey() == lkey && region.copyOut(address - region.address(), length, target, offset)) {
                return true;
            }
        }
        for (SoftMemoryRegion region : candidates) {
            if (region.copyOut(address - region.segment().address(), length, target, offset)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
        if (type == null) {
            throw VerbsException.invalid("type", null, "TYPE_1 or TYPE_2");
        }
        return context.control(() -> {
            requireOpen();
            SoftMemoryWindow window = counted(DeviceLimit.MAX_MW, () -> new SoftMemoryWindow(this, type));
            windows.add(window);
            return window;
        });
    }

    void windowClosed(SoftMemoryWindow window) {
        windows.remove(window);
        context.nic().counts().remove(DeviceLimit.MAX_MW);
    }

    @Override
    public long window(MemoryWindow window) {
        return window instanceof SoftMemoryWindow soft && soft.type() == MemoryWindow.Type.TYPE_2
                && soft.nic() == context.nic() ? soft.slot() : 0;
    }

    @Override
    public int bindKey(MemoryRegion region) {
        return region instanceof SoftMemoryRegion soft && soft.nic() == context.nic() ? soft.lkey() : 0;
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        if (config == null) {
            throw VerbsException.invalid("config", null, "a QueuePairConfig");
        }
        return context.control(() -> {
            requireOpen();
            QueuePairChecks.config(context, config);
            SoftQueuePair queuePair = counted(DeviceLimit.MAX_QP, () -> new SoftQueuePair(this, config));
            queuePairs++;
            return queuePair;
        });
    }

    /** A queue pair was destroyed: nobody can use or unbind its windows any more. */
    void queuePairClosed(int qpNum) {
        windows.forEach(window -> window.unbindIfOwnedBy(qpNum));
        queuePairs--;
        context.nic().counts().remove(DeviceLimit.MAX_QP);
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueConfig config) {
        if (config == null) {
            throw VerbsException.invalid("config", null, "a SharedReceiveQueueConfig");
        }
        return context.control(() -> {
            requireOpen();
            SoftSharedReceiveQueue.check(config);
            SoftSharedReceiveQueue queue =
                    counted(DeviceLimit.MAX_SRQ, () -> new SoftSharedReceiveQueue(this, config));
            sharedReceiveQueues++;
            return queue;
        });
    }

    void sharedReceiveQueueClosed() {
        sharedReceiveQueues--;
        context.nic().counts().remove(DeviceLimit.MAX_SRQ);
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector vector) {
        SoftAddressHandle.check(context, vector);
        SoftAddressHandle created = context.control(() -> {
            requireOpen();
            SoftAddressHandle handle = counted(DeviceLimit.MAX_AH, () -> new SoftAddressHandle(this, vector));
            addressHandles++;
            return handle;
        });
        if (context.nic().neighbourhood() != null) {
            context.nic().neighbourhood().exchange().prepare(vector.dgid());
        }
        return created;
    }

    void addressHandleClosed() {
        addressHandles--;
        context.nic().counts().remove(DeviceLimit.MAX_AH);
    }

    private <T> T counted(DeviceLimit kind, Supplier<T> maker) {
        return context.nic().counts().make(kind, maker);
    }

    void requireOpen() {
        if (closed) {
            throw VerbsException.closed("protection domain");
        }
    }

    @Override
    public String toString() {
        return "protection domain " + number + " on " + context.device().name();
    }

    @Override
    public void close() {
        context.nic().fabric().controlLock().lock();
        try {
            if (closed) {
                return;
            }
            if (regions.length + windows.size() + queuePairs + sharedReceiveQueues + addressHandles > 0) {
                throw VerbsException.busy("protection domain", regions.length + " memory region(s), "
                        + windows.size() + " memory window(s), " + queuePairs
                        + " queue pair(s), " + sharedReceiveQueues + " shared receive queue(s) and "
                        + addressHandles + " address handle(s)");
            }
            closed = true;
            context.nic().counts().remove(DeviceLimit.MAX_PD);
            context.childClosed(this);
        } finally {
            context.nic().fabric().controlLock().unlock();
        }
    }
}
