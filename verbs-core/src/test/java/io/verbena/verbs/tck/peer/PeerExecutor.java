package io.verbena.verbs.tck.peer;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.tck.peer.PeerAnswer.QueuePairInfo;
import io.verbena.verbs.tck.peer.PeerAnswer.QueuePairView;
import io.verbena.verbs.tck.peer.PeerAnswer.RegionInfo;
import io.verbena.verbs.tck.peer.PeerCommand.Done;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Carries out the commands of a {@link Peer} on a context of its own. Safe from any thread. */
public final class PeerExecutor implements AutoCloseable {
    private final Station station = new Station();
    private final Map<Integer, Object> objects = new ConcurrentHashMap<>();
    private final SharingExecutor sharing = new SharingExecutor(station, this);
    private final AtomicInteger nextHandle = new AtomicInteger(PeerCommand.OTHER_DOMAIN + 1);

    /** Opens the device under test. */
    public PeerExecutor() {
        objects.put(PeerCommand.DOMAIN, station.domain());
        objects.put(PeerCommand.OTHER_DOMAIN, station.otherDomain());
    }

    /**
     * Carries out one command.
     *
     * @param command what to do
     * @return its answer
     */
    public Serializable execute(PeerCommand<?> command) {
        return switch (command) {
            case PeerCommand.CreateCompletionQueue c ->
                    put(station.completionQueue(c.cqe(), c.events(), c.threading()));
            case PeerCommand.CreateQueuePair c -> create(c);
            case PeerCommand.Connect c -> connect(c);
            case PeerCommand.Modify c -> modify(c);
            case PeerCommand.Query c -> view(get(c.qp(), QueuePair.class).query());
            case PeerCommand.Allocate c -> put(station.allocate(c.bytes(), c.kind()));
            case PeerCommand.Register c -> register(c);
            case PeerCommand.Reregister c -> reregister(c);
            case PeerCommand.AllocateWindow c -> allocateWindow(c);
            case PeerCommand.BindWindow c -> c.bind().bindTypeOne(get(c.qp(), QueuePair.class), objects::get);
            case PeerCommand.WindowKey c -> get(c.window(), MemoryWindow.class).rkey();
            case PeerCommand.Destroy c -> destroy(c);
            case PeerCommand.Fill c -> {
                Pattern.fill(slice(c.memory(), c.offset(), c.bytes()), c.seed());
                yield Done.DONE;
            }
            case PeerCommand.Check c -> Pattern.mismatch(slice(c.memory(), c.offset(), c.bytes()), c.seed());
            case PeerCommand.ReadBytes c -> slice(c.memory(), c.offset(), c.bytes()).toArray(ValueLayout.JAVA_BYTE);
            case PeerCommand.PostReceive c ->
                    get(c.qp(), QueuePair.class).postReceive(WorkSpec.receives(c.receives()));
            case PeerCommand.PostSend c -> get(c.qp(), QueuePair.class).postSend(
                    WorkSpec.sends(c.sends(), objects::get));
            case PeerCommand.Sharing<?> c -> sharing.execute(c);
            case PeerCommand.Poll c -> Waiting.poll(get(c.cq(), CompletionQueue.class), c.count(), c.timeoutNanos());
            case PeerCommand.Arm c -> get(c.cq(), CompletionQueue.class).arm(c.solicitedOnly());
            case PeerCommand.TakeEvent c -> takeEvent(c);
            case PeerCommand.StartService c -> put(station.keep(new PeerService(c.spec(), this)));
            case PeerCommand.StopService c -> get(c.handle(), PeerService.class).end();
            case PeerCommand.Sequence c -> {
                ArrayList<Serializable> answers = new ArrayList<>();
                c.commands().forEach(each -> answers.add(execute(each)));
                yield answers;
            }
        };
    }

    int put(Object object) {
        int handle = nextHandle.getAndIncrement();
        objects.put(handle, object);
        return handle;
    }

    <T> T get(int handle, Class<T> type) {
        Object object = objects.get(handle);
        if (!type.isInstance(object)) {
            throw new VerbsException(Errno.ENOENT, "handle", "handle " + handle + " is " + object + ", not a " + type);
        }
        return type.cast(object);
    }

    private MemorySegment slice(int memory, long offset, long bytes) {
        return get(memory, GuardedMemory.class).segment().asSlice(offset, bytes);
    }

    private QueuePairInfo create(PeerCommand.CreateQueuePair c) {
        QueuePair qp = station.queuePair(c.spec(), get(c.sendCq(), CompletionQueue.class),
                get(c.recvCq(), CompletionQueue.class));
        return new QueuePairInfo(put(qp), qp.qpNum(), station.gid().toHex());
    }

    private Done connect(PeerCommand.Connect c) {
        c.link().connect(get(c.qp(), QueuePair.class), QueuePairEndpoint.parse(c.endpoint()));
        return Done.DONE;
    }

    private Done modify(PeerCommand.Modify c) {
        QueuePairAttributes attributes = new QueuePairAttributes();
        if (c.state() != null) {
            attributes.state(c.state());
        }
        if (c.access() >= 0) {
            attributes.accessFlags(c.access());
        }
        get(c.qp(), QueuePair.class).modify(attributes);
        return Done.DONE;
    }

    private static QueuePairView view(QueuePairAttributes now) {
        return new QueuePairView(now.state(), now.sqPsn(), now.rqPsn(), now.toString());
    }

    private RegionInfo register(PeerCommand.Register c) {
        ProtectionDomain domain = get(c.domain(), ProtectionDomain.class);
        MemoryRegion region = domain.register(slice(c.memory(), c.offset(), c.bytes()), c.access());
        return info(put(station.keep(region)), region);
    }

    private RegionInfo reregister(PeerCommand.Reregister c) {
        MemoryRegion region = get(c.region(), MemoryRegion.class);
        region.reregister(c.flags(), get(c.domain(), ProtectionDomain.class),
                get(c.memory(), GuardedMemory.class).segment(), c.access());
        return info(c.region(), region);
    }

    private PeerAnswer.WindowInfo allocateWindow(PeerCommand.AllocateWindow c) {
        MemoryWindow window = station.keep(get(c.domain(), ProtectionDomain.class).allocateMemoryWindow(c.type()));
        return new PeerAnswer.WindowInfo(put(window), window.rkey());
    }

    private static RegionInfo info(int handle, MemoryRegion region) {
        return new RegionInfo(handle, region.address(), region.length(), region.lkey(), region.rkey());
    }

    private Done destroy(PeerCommand.Destroy c) {
        AutoCloseable object = get(c.handle(), AutoCloseable.class);
        try {
            object.close();
            if (object instanceof CompletionQueue cq && cq.channel() != null) {
                cq.channel().close();
                station.forget(cq.channel());
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        station.forget(object);
        objects.remove(c.handle());
        return Done.DONE;
    }

    private PeerAnswer.Event takeEvent(PeerCommand.TakeEvent c) {
        if (c.cq() < 0) {
            return station.takeAsyncEvent(c.timeoutNanos());
        }
        CompletionQueue cq = get(c.cq(), CompletionQueue.class);
        CompletionQueue reported = cq.channel().get(c.timeoutNanos());
        if (reported == null) {
            return PeerAnswer.Event.NONE;
        }
        reported.acknowledge(1);
        return new PeerAnswer.Event("COMPLETION", c.cq());
    }

    @Override
    public void close() {
        station.close();
    }
}
