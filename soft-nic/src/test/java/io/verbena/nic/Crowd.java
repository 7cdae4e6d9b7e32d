package io.verbena.nic;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/** Many pairs of connected queue pairs on one device, each with completion queues of its own or all on one. */
final class Crowd implements AutoCloseable {
    static final int DEPTH = 16;
    private static final int LONG_MESSAGE = 1_000;

    final Context context;
    final ProtectionDomain pd;
    final List<CompletionQueue> queues = new ArrayList<>();
    final List<QueuePair> pairs = new ArrayList<>();
    private final AllocatedMemory memory;
    private final MemoryRegion region;
    private final Threading threading;
    private final WorkCompletion completion = new WorkCompletion();

    Crowd(Threading threading) {
        this("soft", threading);
    }

    Crowd(String device, Threading threading) {
        this.threading = threading;
        context = Devices.open(device);
        pd = context.allocateProtectionDomain();
        memory = context.allocateMemory(4096, 4096);
        region = pd.register(memory.segment(), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    }

    SoftNic nic() {
        return ((SoftContext) context).nic();
    }

    CompletionQueue addQueue(int cqe) {
        CompletionQueue queue =
                context.createCompletionQueue(CompletionQueueConfig.of(cqe).withThreading(threading));
        queues.add(queue);
        return queue;
    }

    /** Makes two queue pairs, connected with each other. */
    void addPair(CompletionQueue queueA, CompletionQueue queueB) {
        QueuePair a = open(queueA);
        QueuePair b = open(queueB);
        connect(a, b, pairs.size());
        connect(b, a, pairs.size());
        pairs.add(a);
        pairs.add(b);
    }

    private QueuePair open(CompletionQueue queue) {
        return pd.createQueuePair(
                QueuePairConfig.rc(queue, QueuePairCapabilities.ofDepth(DEPTH)).withThreading(threading));
    }

    private void connect(QueuePair qp, QueuePair peer, int psn) {
        qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        qp.modify(QueuePairAttributes.readyToReceive(
                new QueuePairEndpoint(context.queryGid(1, 0).gid(), peer.qpNum(), psn)));
        qp.modify(QueuePairAttributes.readyToSend(psn));
    }

    /** Sends through every queue pair a message that travels in its notice and one that does not. */
    void talk() {
        for (int i = 0; i < pairs.size(); i++) {
            QueuePair from = pairs.get(i);
            QueuePair to = pairs.get(i ^ 1);
            for (int length : new int[] {8, LONG_MESSAGE}) {
                End.ok(to.postReceive(i, region.address(), LONG_MESSAGE, region.lkey()));
                End.ok(from.postSend(i, region.address(), length, region.lkey(), SendFlags.SIGNALED));
                expect(from.sendCq(), i);
                expect(to.recvCq(), i);
            }
            End.ok(from.postWrite(i, region.address(), 8, region.lkey(), region.address(), region.rkey(),
                    SendFlags.SIGNALED));
            expect(from.sendCq(), i);
        }
    }

    private void expect(CompletionQueue queue, long wrId) {
        Crew.await("a completion", () -> queue.poll(completion) == 1);
        if (completion.wrId() != wrId || !completion.isSuccess()) {
            throw new AssertionError("wrId " + wrId + " expected, came " + completion);
        }
    }

    void closePairs() {
        pairs.forEach(QueuePair::close);
        pairs.clear();
    }

    @Override
    public void close() {
        closePairs();
        queues.forEach(CompletionQueue::close);
        region.close();
        memory.close();
        pd.close();
        context.close();
    }
}
