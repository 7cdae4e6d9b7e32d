package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionChannel;
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
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;

/** One end of a connection: everything from the context to the queue pair, and registered memory of the device. */
final class End implements AutoCloseable {
    static final long BYTES = 1 << 16;
    /** The queue key of datagram queue pairs. */
    static final int QKEY = 0x1111_1111;
    static final int ALL =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;

    final Context context;
    final ProtectionDomain pd;
    final CompletionChannel channel;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final AllocatedMemory memory;
    MemoryRegion region;
    QueuePair qp;
    private final Setup setup;

    End(String device, Setup setup) {
        this.setup = setup;
        context = Devices.open(device);
        pd = context.allocateProtectionDomain();
        channel = setup.events() ? context.createCompletionChannel() : null;
        CompletionQueueConfig config = CompletionQueueConfig.of(setup.cqe()).withThreading(setup.threading());
        sendCq = context.createCompletionQueue(channel == null ? config : config.withChannel(channel));
        recvCq = context.createCompletionQueue(channel == null ? config : config.withChannel(channel));
        memory = context.allocateMemory(BYTES, 64);
        region = pd.register(memory.segment(), ALL);
        open();
    }

    /** Makes a new queue pair in RESET. */
    void open() {
        qp = pd.createQueuePair(QueuePairConfig.rc(sendCq, QueuePairCapabilities.ofDepth(setup.depth()))
                .withRecvCq(recvCq).withThreading(setup.threading()));
    }

    QueuePairEndpoint address(int psn) {
        return new QueuePairEndpoint(context.queryGid(1, 0).gid(), qp.qpNum(), psn);
    }

    /** From RESET to RTS. */
    void connect(QueuePairEndpoint peer, int psn) {
        qp.modify(QueuePairAttributes.init(1, ALL));
        qp.modify(QueuePairAttributes.readyToReceive(peer).minRnrTimer(1));
        qp.modify(QueuePairAttributes.readyToSend(psn).rnrRetry(setup.rnrRetry()).timeout(timeout()));
    }

    /** Packets wait for threads that may have to wait for a core. */
    private int timeout() {
        return setup.deviceA().contains("link=udp") ? 15 : 8;
    }

    void modify(QueuePairState state) {
        qp.modify(QueuePairAttributes.toState(state));
    }

    long at(long offset) {
        return region.address() + offset;
    }

    long get(long offset) {
        return memory.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    void set(long offset, long value) {
        memory.segment().set(ValueLayout.JAVA_LONG, offset, value);
    }

    int send(long wrId, long offset, long length) {
        return qp.postSend(wrId, at(offset), length, region.lkey(), SendFlags.SIGNALED);
    }

    int write(long wrId, long offset, long length, End peer) {
        return qp.postWrite(wrId, at(offset), length, region.lkey(), peer.at(offset), peer.region.rkey(),
                SendFlags.SIGNALED);
    }

    int receive(long wrId, long offset, long length) {
        return qp.postReceive(wrId, at(offset), length, region.lkey());
    }

    /** Waits for the next completion. */
    static WorkCompletion next(CompletionQueue queue) {
        WorkCompletion completion = new WorkCompletion();
        Crew.await("a completion", () -> queue.poll(completion) == 1);
        return completion;
    }

    /** Waits for the next completion, which must be of a certain request and successful. */
    static void expect(CompletionQueue queue, long wrId) {
        WorkCompletion completion = next(queue);
        assertEquals(wrId, completion.wrId(), completion.toString());
        assertEquals(true, completion.isSuccess(), completion.toString());
    }

    static void ok(int status) {
        assertEquals(PostStatus.OK, status, () -> PostStatus.describe(status));
    }

    /** Like {@link #ok}, allocating nothing. */
    static void ok0(int status) {
        if (status != PostStatus.OK) {
            throw new AssertionError(PostStatus.describe(status));
        }
    }

    @Override
    public void close() {
        qp.close();
        region.close();
        memory.close();
        sendCq.close();
        recvCq.close();
        if (channel != null) {
            channel.close();
        }
        pd.close();
        context.close();
    }
}
