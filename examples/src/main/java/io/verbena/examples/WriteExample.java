package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.MemorySegment;

/**
 * The shortest whole RDMA program: one end writes into the memory of the other. Both ends are in this process; between
 * processes each would do its half, and they would exchange the endpoints, the address and the rkey over a socket.
 */
public final class WriteExample {
    private WriteExample() {}

    /**
     * Prints what arrived.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println("the target now holds: " + run(args.length > 0 ? args[0] : "soft"));
    }

    /**
     * Writes a text into the target's memory and reads it there.
     *
     * @param device what {@link Devices#open(String)} takes
     * @return the text found in the target's memory
     */
    static String run(String device) {
        // Everything is made from an open device, and closed in reverse order.
        try (Context context = Devices.open(device);
                ProtectionDomain domain = context.allocateProtectionDomain();
                AllocatedMemory memory = context.allocateMemory(8192, 4096);
                // The NIC touches registered memory only. The first page is ours, the second one the target's.
                MemoryRegion source = domain.register(memory.segment().asSlice(0, 4096), 0);
                MemoryRegion target = domain.register(memory.segment().asSlice(4096, 4096),
                        Access.LOCAL_WRITE | Access.REMOTE_WRITE);
                CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(16));
                QueuePair writer = domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(16)));
                QueuePair owner = domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(16)))) {
            // Connect: each end must know the other's GID, queue pair number and first packet number.
            Gid gid = context.queryGid(1, 0).gid();
            connect(writer, 1000, new QueuePairEndpoint(gid, owner.qpNum(), 2000));
            connect(owner, 2000, new QueuePairEndpoint(gid, writer.qpNum(), 1000));

            // Post one WRITE and poll its completion. The owner of the target does nothing.
            source.segment().setString(0, "Hello, RDMA");
            int status = writer.postWrite(1, source.address(), 64, source.lkey(), target.address(), target.rkey(),
                    SendFlags.SIGNALED);
            if (status != PostStatus.OK) {
                throw new IllegalStateException(PostStatus.describe(status));
            }
            WorkCompletion completion = new WorkCompletion();
            while (cq.poll(completion) == 0) {
                Thread.onSpinWait();
            }
            if (!completion.isSuccess()) {
                throw new IllegalStateException(completion.toString());
            }
            MemorySegment arrived = target.segment();
            return arrived.getString(0);
        }
    }

    /** Takes a queue pair from RESET over INIT and RTR to RTS. */
    private static void connect(QueuePair qp, int psn, QueuePairEndpoint peer) {
        qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        qp.modify(QueuePairAttributes.readyToReceive(peer));
        qp.modify(QueuePairAttributes.readyToSend(psn));
    }
}
