package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compare and swap, fetch and add, alone and from many threads. */
@DisplayName("C17 atomics")
@Timeout(60)
class AtomicsC17Test extends FixtureTest {
    private static final int PER_THREAD = 1_500;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Shape shape) {
        pair = fixture.connected(shape.spec());
        local = fixture.local(64, shape.kind());
        remote = fixture.remote(64, shape.kind()).fill(5);
    }

    private WorkSpec swap(long compare, long swap) {
        return WorkSpec.send(1, Opcode.ATOMIC_CMP_AND_SWP).sge(local.address() + 8, 8, local.lkey())
                .remote(remote.address() + 16, remote.rkey()).operands(compare, swap);
    }

    private WorkSpec add(long operand) {
        return WorkSpec.send(2, Opcode.ATOMIC_FETCH_AND_ADD).sge(local.address() + 8, 8, local.lkey())
                .remote(remote.address() + 16, remote.rkey()).operands(operand, 0);
    }

    private Completion run(WorkSpec atomic) {
        local.setLong(8, 0x5555);
        pair.post(atomic);
        return pair.await(WcStatus.SUCCESS);
    }

    private void checkNeighbours() {
        remote.check(0, 16, 5, "bytes before the atomic");
        byte[] behind = remote.bytes(24, 40);
        remote.fill(5);
        assertEquals(Arrays.toString(remote.bytes(24, 40)), Arrays.toString(behind));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void compareAndSwapThatHitsSwapsAndReturnsThePriorValue(Shape shape) {
        prepare(shape);
        long prior = remote.getLong(16);
        Completion done = run(swap(prior, 0x1122_3344_5566_7788L));
        assertEquals(WcOpcode.COMP_SWAP, done.opcode());
        assertEquals(8, done.byteLen());
        assertEquals(prior, local.getLong(8));
        assertEquals(0x1122_3344_5566_7788L, remote.getLong(16));
        checkNeighbours();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void compareAndSwapThatMissesChangesNothing(Shape shape) {
        prepare(shape);
        long prior = remote.getLong(16);
        run(swap(prior + 1, -1));
        assertEquals(prior, local.getLong(8));
        assertEquals(prior, remote.getLong(16));
        checkNeighbours();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void fetchAndAddAddsAndReturnsThePriorValue(Shape shape) {
        prepare(shape);
        long prior = remote.getLong(16);
        Completion done = run(add(41));
        assertEquals(WcOpcode.FETCH_ADD, done.opcode());
        assertEquals(prior, local.getLong(8));
        assertEquals(prior + 41, remote.getLong(16));
        checkNeighbours();
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void fetchAndAddWrapsAround(Shape shape) {
        prepare(shape);
        long prior = remote.getLong(16);
        run(add(-1 - prior));
        assertEquals(-1, remote.getLong(16));
        run(add(3));
        assertEquals(-1, local.getLong(8));
        assertEquals(2, remote.getLong(16));
        assertEquals(PostStatus.OK, pair.qp().postFetchAndAdd(9, local.address() + 8, local.lkey(),
                remote.address() + 16, remote.rkey(), Long.MIN_VALUE, SendFlags.SIGNALED));
        assertEquals(9, pair.await(WcStatus.SUCCESS).wrId());
        assertEquals(2 + Long.MIN_VALUE, remote.getLong(16));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void resultGoesToAnUnalignedBufferToo(Shape shape) {
        prepare(shape);
        long prior = remote.getLong(16);
        pair.post(WorkSpec.send(1, Opcode.ATOMIC_FETCH_AND_ADD).sge(local.address() + 13, 8, local.lkey())
                .remote(remote.address() + 16, remote.rkey()).operands(1, 0));
        pair.await(WcStatus.SUCCESS);
        assertEquals(prior, local.getLong(13));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void atomicSeesTheWriteBeforeItAndReadSeesTheAtomic(Shape shape) {
        prepare(shape);
        for (int i = 0; i < 100; i++) {
            local.setLong(0, i);
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), 8, local.lkey())
                            .remote(remote.address() + 16, remote.rkey()),
                    add(1000),
                    WorkSpec.send(3, Opcode.RDMA_READ).sge(local.address() + 24, 8, local.lkey())
                            .remote(remote.address() + 16, remote.rkey()));
            pair.await(3);
            assertEquals(i, local.getLong(8));
            assertEquals(i + 1000, local.getLong(24));
        }
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED", "AUTO", "GLOBAL"})
    void eightThreadsOnTwoSharedQueuePairsAddUpExactly(MemoryKind kind) {
        prepare(new Shape(Mtu.MTU_1024, Threading.SAFE, kind));
        long start = remote.getLong(16);
        Pair[] pairs = {pair, fixture.connected()};
        AtomicInteger done = new AtomicInteger();
        try (Threads threads = new Threads()) {
            for (int t = 0; t < 8; t++) {
                threads.start("adder" + t, () -> {
                    WorkCompletion completion = new WorkCompletion();
                    for (int i = 0; i < PER_THREAD; i++) {
                        post(pairs[i & 1], completion, done);
                    }
                    while (done.get() < 8 * PER_THREAD) {
                        pollBoth(pairs, completion, done);
                    }
                    return null;
                });
            }
        }
        assertEquals(start + 8 * PER_THREAD, remote.getLong(16));
    }

    private void post(Pair target, WorkCompletion completion, AtomicInteger done) {
        int status = PostStatus.QUEUE_FULL;
        while (status == PostStatus.QUEUE_FULL) {
            status = target.qp().postFetchAndAdd(1, local.address(), local.lkey(), remote.address() + 16,
                    remote.rkey(), 1, SendFlags.SIGNALED);
            pollBoth(new Pair[] {target}, completion, done);
        }
        assertEquals(PostStatus.OK, status);
    }

    private static void pollBoth(Pair[] pairs, WorkCompletion completion, AtomicInteger done) {
        boolean idle = true;
        for (Pair each : pairs) {
            if (each.sendCq().poll(completion) > 0) {
                assertEquals(WcStatus.SUCCESS, completion.status());
                done.incrementAndGet();
                idle = false;
            }
        }
        if (idle) {
            Thread.yield();
        }
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED", "AUTO", "GLOBAL"})
    void swapsFromManySingleThreadedQueuePairsLoseNothing(MemoryKind kind) {
        prepare(new Shape(Mtu.MTU_1024, Threading.SINGLE, kind));
        long start = remote.getLong(16);
        List<Pair> pairs = new ArrayList<>();
        List<Buffer> results = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            pairs.add(fixture.connected(new PairSpec().threading(Threading.SINGLE)));
            results.add(fixture.local(8, kind));
        }
        try (Threads threads = new Threads()) {
            for (int t = 0; t < 4; t++) {
                Pair own = pairs.get(t);
                Buffer result = results.get(t);
                threads.start("swapper" + t, () -> {
                    for (int i = 0; i < 500; i++) {
                        increment(own, result);
                    }
                    return null;
                });
            }
        }
        assertEquals(start + 2000, remote.getLong(16));
    }

    /** Adds 1 by compare and swap. */
    private void increment(Pair own, Buffer result) {
        long seen = 0;
        long expected;
        do {
            expected = seen;
            own.post(WorkSpec.send(1, Opcode.ATOMIC_CMP_AND_SWP).sge(result.address(), 8, result.lkey())
                    .remote(remote.address() + 16, remote.rkey()).operands(expected, expected + 1));
            own.await(WcStatus.SUCCESS);
            seen = result.getLong(0);
        } while (seen != expected);
    }
}
