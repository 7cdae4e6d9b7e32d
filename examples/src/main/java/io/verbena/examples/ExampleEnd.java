package io.verbena.examples;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WorkCompletion;

/**
 * One end, as the longer examples use it: an open device, a page of registered memory, a completion queue and a queue
 * pair, RC unless asked for another type.
 */
final class ExampleEnd implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int DEPTH = 64;
    private static final int PEER_MAY = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    final Context context;
    final ProtectionDomain domain;
    final AllocatedMemory memory;
    final MemoryRegion region;
    final CompletionQueue cq;
    final QueuePair qp;

    ExampleEnd(String device) {
        this(device, QueuePairType.RC);
    }

    ExampleEnd(String device, QueuePairType type) {
        context = Devices.open(device);
        domain = context.allocateProtectionDomain();
        memory = context.allocateMemory(PAGE, PAGE);
        region = domain.register(memory.segment(), Access.LOCAL_WRITE | PEER_MAY);
        cq = context.createCompletionQueue(CompletionQueueConfig.of(2 * DEPTH));
        qp = domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(DEPTH)).withType(type));
    }

    /** What the other end must know: GID, queue pair number, first packet number (any 24 bits). */
    QueuePairEndpoint describe() {
        return describe(qp);
    }

    static QueuePairEndpoint describe(QueuePair qp) {
        Context context = qp.protectionDomain().context();
        return new QueuePairEndpoint(context.queryGid(1, 0).gid(), qp.qpNum(), qp.qpNum() * 31 & 0xFF_FFFF);
    }

    void connect(QueuePairEndpoint peer) {
        connect(qp, peer);
    }

    /** Takes an RC queue pair from RESET over INIT and RTR to RTS. */
    static void connect(QueuePair qp, QueuePairEndpoint peer) {
        qp.modify(QueuePairAttributes.init(1, PEER_MAY));
        qp.modify(QueuePairAttributes.readyToReceive(peer));
        qp.modify(QueuePairAttributes.readyToSend(describe(qp).psn()));
    }

    /** Posting returns a code; anything but OK means that nothing was posted. */
    static void check(int status) {
        if (status != PostStatus.OK) {
            throw new IllegalStateException(PostStatus.describe(status));
        }
    }

    /** Polls the next completion, which must be that of a success. */
    WorkCompletion await() {
        return await(cq);
    }

    static WorkCompletion await(CompletionQueue cq) {
        WorkCompletion completion = next(cq);
        if (!completion.isSuccess()) {
            throw new IllegalStateException(completion.toString());
        }
        return completion;
    }

    /** Polls the next completion; a work request that failed is told by its status. */
    static WorkCompletion next(CompletionQueue cq) {
        WorkCompletion completion = new WorkCompletion();
        int polled;
        while ((polled = cq.poll(completion)) == 0) {
            Thread.onSpinWait();
        }
        if (polled < 0) {
            throw new IllegalStateException(PostStatus.describe(polled));
        }
        return completion;
    }

    /** Objects are closed before those they were made from. */
    @Override
    public void close() {
        qp.close();
        cq.close();
        region.close();
        memory.close();
        domain.close();
        context.close();
    }
}
