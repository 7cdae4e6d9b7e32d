package io.verbena.verbs.tck.peer;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Gid;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.io.Serializable;

/** Carries out the commands about shared receive queues, address handles and groups. Safe from any thread. */
final class SharingExecutor {
    private static final PeerCommand.Done DONE = PeerCommand.Done.DONE;

    private final Station station;
    private final PeerExecutor objects;

    SharingExecutor(Station station, PeerExecutor objects) {
        this.station = station;
        this.objects = objects;
    }

    Serializable execute(PeerCommand.Sharing<?> command) {
        return switch (command) {
            case SharingCommand.CreateSharedQueue c -> objects.put(station.keep(domain(c.domain())
                    .createSharedReceiveQueue(new SharedReceiveQueueConfig(c.maxWr(), c.maxSge(), Threading.SAFE))));
            case SharingCommand.CreateQueuePairOn c -> create(c);
            case SharingCommand.PostShared c -> queue(c.srq()).postReceive(WorkSpec.receives(c.receives()));
            case SharingCommand.SetLimit c -> {
                queue(c.srq()).setLimit(c.limit());
                yield DONE;
            }
            case SharingCommand.ResizeShared c -> {
                queue(c.srq()).resize(c.maxWr());
                yield DONE;
            }
            case SharingCommand.QueryShared c -> view(queue(c.srq()));
            case SharingCommand.CreateHandle c -> objects.put(station.keep(
                    domain(c.domain()).createAddressHandle(AddressVector.to(Gid.ofHex(c.gid())))));
            case SharingCommand.CreateReplyHandle c -> reply(c);
            case SharingCommand.Group c -> group(c);
            case SharingCommand.ChangeQueueKey c -> {
                qp(c.qp()).modify(new QueuePairAttributes().qkey(c.qkey()));
                yield DONE;
            }
            case SharingCommand.StartSink c -> objects.put(station.keep(new SharedSink(c, objects)));
            case SharingCommand.AskSink c -> objects.get(c.sink(), SharedSink.class).report();
            case SharingCommand.StopSink c -> {
                objects.get(c.sink(), SharedSink.class).close();
                yield objects.get(c.sink(), SharedSink.class).report();
            }
        };
    }

    private ProtectionDomain domain(int handle) {
        return objects.get(handle, ProtectionDomain.class);
    }

    private SharedReceiveQueue queue(int handle) {
        return objects.get(handle, SharedReceiveQueue.class);
    }

    private QueuePair qp(int handle) {
        return objects.get(handle, QueuePair.class);
    }

    private static SharingCommand.SharedView view(SharedReceiveQueue queue) {
        return new SharingCommand.SharedView(queue.capacity(), queue.maxSge(), queue.limit());
    }

    private PeerAnswer.QueuePairInfo create(SharingCommand.CreateQueuePairOn c) {
        CompletionQueue sendCq = objects.get(c.sendCq(), CompletionQueue.class);
        CompletionQueue recvCq = objects.get(c.recvCq(), CompletionQueue.class);
        QueuePair made = station.keep(
                station.domain().createQueuePair(c.spec().config(sendCq, recvCq).withSrq(queue(c.srq()))));
        return new PeerAnswer.QueuePairInfo(objects.put(made), made.qpNum(), station.gid().toHex());
    }

    private int reply(SharingCommand.CreateReplyHandle c) {
        Completion values = c.completion();
        WorkCompletion completion = new WorkCompletion();
        completion.setOutcome(values.wrId(), values.qpNum(), values.status().code(), 0);
        if (values.opcode() != null) {
            completion.setDetail(values.opcode().code(), values.byteLen(), values.flags(), values.imm(),
                    values.srcQp());
        }
        AddressHandle handle = station.domain().createAddressHandle(completion,
                objects.get(c.memory(), GuardedMemory.class).segment().asSlice(c.offset()), 1);
        return objects.put(station.keep(handle));
    }

    private PeerCommand.Done group(SharingCommand.Group c) {
        Gid gid = Gid.ofHex(c.gid());
        if (c.join()) {
            qp(c.qp()).attachMulticast(gid);
        } else {
            qp(c.qp()).detachMulticast(gid);
        }
        return DONE;
    }
}
