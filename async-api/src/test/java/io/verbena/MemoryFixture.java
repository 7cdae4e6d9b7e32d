package io.verbena;

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
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A pool of one device, and a peer on another that reaches for its memory by bare verbs. */
final class MemoryFixture implements AutoCloseable {
    private static final int REMOTE = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    private static final long DEADLINE_NANOS = 30_000_000_000L;
    private static final int PEER_BYTES = 8_192;

    final Side owner;
    final Side peer;
    final MemoryPool pool;

    /** One open device. */
    static final class Side implements AutoCloseable {
        final Context context;
        final ProtectionDomain domain;
        final AllocatedMemory memory;
        final MemoryRegion region;
        final CompletionQueue cq;
        QueuePair qp;

        Side(String device, int end) {
            context = Devices.open(TestDevices.device(end, device));
            domain = context.allocateProtectionDomain();
            memory = context.allocateMemory(PEER_BYTES, 4_096);
            region = domain.register(memory.segment(), Access.LOCAL_WRITE | REMOTE);
            cq = context.createCompletionQueue(CompletionQueueConfig.of(64));
        }

        void create() {
            if (qp != null) {
                qp.close();
            }
            qp = domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(16)));
        }

        QueuePairEndpoint endpoint() {
            return new QueuePairEndpoint(context.queryGid(1, 0).gid(), qp.qpNum(), qp.qpNum() * 31 & 0xFF_FFFF);
        }

        void connect(QueuePairEndpoint other) {
            qp.modify(QueuePairAttributes.init(1, REMOTE));
            qp.modify(QueuePairAttributes.readyToReceive(other));
            qp.modify(QueuePairAttributes.readyToSend(endpoint().psn()));
        }

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

    MemoryFixture(String device) {
        this(device, PoolConfig.DEFAULT);
    }

    MemoryFixture(String device, PoolConfig config) {
        owner = new Side(device, 0);
        peer = new Side(device, 1);
        pool = new MemoryPool(owner.domain, config, false);
        connect();
    }

    /** Connects anew, as is needed after an error. */
    void connect() {
        owner.create();
        peer.create();
        owner.connect(peer.endpoint());
        peer.connect(owner.endpoint());
    }

    MemorySegment peerBytes() {
        return peer.memory.segment();
    }

    /** The peer WRITEs so many bytes of a value to an address under a key. */
    WcStatus write(long address, int rkey, long length, int value) {
        peerBytes().asSlice(0, length).fill((byte) value);
        return end(peer.qp.postWrite(1, peer.region.address(), length, peer.region.lkey(), address, rkey,
                SendFlags.SIGNALED));
    }

    WcStatus write(RemoteMemory target, int value) {
        return write(target.address(), target.rkey(), target.length(), value);
    }

    /** The peer READs into the start of its own bytes. */
    WcStatus read(RemoteMemory source) {
        return end(peer.qp.postRead(1, peer.region.address(), source.length(), peer.region.lkey(), source.address(),
                source.rkey(), SendFlags.SIGNALED));
    }

    /** The owner READs the peer's first bytes into its memory; {@link #next} of the owner tells the end. */
    void readIntoOwn(LocalMemory target) {
        posted(owner.qp.postRead(1, target.address(), target.length(), target.lkey(), peer.region.address(),
                peer.region.rkey(), SendFlags.SIGNALED));
    }

    private WcStatus end(int posted) {
        posted(posted);
        return next(peer);
    }

    private static void posted(int status) {
        if (status != PostStatus.OK) {
            throw new AssertionError(PostStatus.describe(status));
        }
    }

    /** The next completion of one side, while both make progress. */
    WcStatus next(Side side) {
        Side other = side == owner ? peer : owner;
        WorkCompletion completion = new WorkCompletion();
        long start = System.nanoTime();
        while (side.cq.poll(completion) == 0) {
            if (System.nanoTime() - start > DEADLINE_NANOS) {
                throw new AssertionError("no completion in " + DEADLINE_NANOS + " ns");
            }
            other.cq.poll(new WorkCompletion());
            Thread.onSpinWait();
        }
        return completion.status();
    }

    /** Whether all bytes have a value. */
    static boolean holds(MemorySegment bytes, int value) {
        for (long i = 0; i < bytes.byteSize(); i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != (byte) value) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        pool.close();
        peer.close();
        owner.close();
    }
}
