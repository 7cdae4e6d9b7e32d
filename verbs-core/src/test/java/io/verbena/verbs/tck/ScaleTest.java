package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.QueuePairInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many queue pairs at a time, and many one after another. */
@DisplayName("Scale")
@Timeout(300)
class ScaleTest extends FixtureTest {
    private static final int PAIRS = 1000;
    /** Commands to another process and questions between two take their time, more on a busy machine. */
    private static final long SET_UP_LIMIT_NANOS =
            (Boolean.getBoolean(Fixture.PROCESS_PROPERTY) ? 10 : 3) * 1_000_000_000L;
    private static final long GROWTH_LIMIT_BYTES = 64L << 20;
    private static final int ROUNDS = 4;
    private static final int SETTLED_LOOKS = 20;

    @ParameterizedTest
    @EnumSource(Threading.class)
    void thousandPairsWithQueuesOfTheirOwnWork(Threading threading) {
        long start = System.nanoTime();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            pairs.add(fixture.connected(new PairSpec().threading(threading).depth(8)));
        }
        long took = System.nanoTime() - start;
        assertTrue(took < SET_UP_LIMIT_NANOS, "set-up took " + took / 1_000_000 + " ms");
        for (int i = 0; i < PAIRS; i++) {
            pairs.get(i).postRemoteReceive(WorkSpec.receive(i));
            pairs.get(i).post(WorkSpec.send(i, Opcode.SEND));
        }
        for (int i = PAIRS - 1; i >= 0; i--) {
            assertEquals(i, pairs.get(i).await(WcStatus.SUCCESS).wrId());
            assertEquals(i, pairs.get(i).awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void thousandPairsOnOneQueueWork(Threading threading) {
        long start = System.nanoTime();
        CompletionQueue cq = fixture.a().completionQueue(4 * PAIRS, false, threading);
        int remoteCq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(4 * PAIRS, false, threading));
        QueuePairSpec spec = new QueuePairSpec().threading(threading).depth(8, 8);
        List<QueuePair> here = new ArrayList<>();
        List<QueuePairInfo> there = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            here.add(fixture.a().queuePair(spec, cq, cq));
            there.add(fixture.b().execute(new PeerCommand.CreateQueuePair(spec, remoteCq, remoteCq)));
            connect(here.get(i), there.get(i));
        }
        long took = System.nanoTime() - start;
        assertTrue(took < SET_UP_LIMIT_NANOS, "set-up took " + took / 1_000_000 + " ms");
        for (int i = 0; i < PAIRS; i++) {
            assertEquals(PostStatus.OK, fixture.b().execute(new PeerCommand.PostReceive(there.get(i).handle(),
                    new ArrayList<>(List.of(WorkSpec.receive(i))))));
            assertEquals(PostStatus.OK, here.get(i).postSend(i, 0, 0, 0, SendFlags.SIGNALED));
        }
        expectAll(Waiting.poll(cq, PAIRS, Waiting.LIMIT_NANOS));
        expectAll(fixture.b().execute(new PeerCommand.Poll(remoteCq, PAIRS, Waiting.LIMIT_NANOS)));
    }

    private void connect(QueuePair qp, QueuePairInfo info) {
        LinkSpec link = new LinkSpec();
        QueuePairEndpoint end = new QueuePairEndpoint(fixture.a().gid(), qp.qpNum(), link.psn());
        fixture.b().execute(new PeerCommand.Connect(info.handle(), end.format(), link));
        link.connect(qp, QueuePairEndpoint.parse(
                String.format("0:%x:%x:%s", info.qpNum(), link.psn(), info.gid())));
    }

    private static void expectAll(List<Completion> completions) {
        Set<Long> ids = new HashSet<>();
        for (Completion completion : completions) {
            assertEquals(WcStatus.SUCCESS, completion.status());
            assertTrue(ids.add(completion.wrId()), "twice: " + completion);
        }
        assertEquals(PAIRS, ids.size());
    }

    @Test
    void thousandCyclesLeaveMemoryFlat() {
        cycles(1_000);
    }

    @Test
    @Tag("ci")
    void tenThousandCyclesLeaveMemoryFlat() {
        cycles(10_000);
    }

    private void cycles(int count) {
        staysFlat(count, this::cycle);
        fixture.local(1 << 20, MemoryKind.DEVICE);
        fixture.connected().qp();
    }

    /**
     * Runs something many times; fails when memory grows by it. What leaks grows in every round; what the JVM takes for
     * its own heap, code and allocator comes in some of them only, so the round that grew least counts.
     */
    static void staysFlat(int count, Runnable cycle) {
        repeat(count / 2, cycle);
        long[] heap = new long[ROUNDS];
        long[] resident = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long heapBefore = usedHeap();
            long residentBefore = settledResidentBytes();
            repeat(count / ROUNDS, cycle);
            heap[round] = usedHeap() - heapBefore;
            resident[round] = settledResidentBytes() - residentBefore;
        }
        assertTrue(Arrays.stream(heap).min().orElseThrow() < GROWTH_LIMIT_BYTES / 16 / ROUNDS,
                count + " cycles left bytes of heap by round: " + Arrays.toString(heap));
        assertTrue(Arrays.stream(resident).min().orElseThrow() < GROWTH_LIMIT_BYTES / ROUNDS,
                count + " cycles left resident bytes by round: " + Arrays.toString(resident));
    }

    private static void repeat(int count, Runnable cycle) {
        for (int i = 0; i < count; i++) {
            cycle.run();
        }
    }

    /** Creates, connects, uses and destroys one of everything. */
    private void cycle() {
        PeerCommand<Integer> createCq = new PeerCommand.CreateCompletionQueue(64, true, Threading.SAFE);
        int remoteCq = fixture.b().execute(createCq);
        QueuePairSpec spec = new QueuePairSpec();
        var context = fixture.a().context();
        try (var channel = context.createCompletionChannel();
                var cq = context.createCompletionQueue(
                        CompletionQueueConfig.of(64).withChannel(channel));
                var memory = context.allocateMemory(70_000, 4096);
                MemoryRegion region = fixture.a().domain().register(memory.segment(), Fixture.ALL_ACCESS);
                QueuePair qp = fixture.a().domain().createQueuePair(spec.config(cq, cq))) {
            QueuePairInfo info = fixture.b().execute(new PeerCommand.CreateQueuePair(spec, remoteCq, remoteCq));
            connect(qp, info);
            assertEquals(PostStatus.OK,
                    qp.postSend(1, region.address(), 64, region.lkey(), SendFlags.SIGNALED));
            fixture.b().execute(new PeerCommand.PostReceive(info.handle(),
                    new ArrayList<>(List.of(WorkSpec.receive(1).sge(0, 0, 0)))));
            fixture.b().execute(new PeerCommand.Destroy(info.handle()));
        }
        fixture.b().execute(new PeerCommand.Destroy(remoteCq));
    }

    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    /** Resident memory once a collector that gives memory back behind the program's back is done with it. */
    private static long settledResidentBytes() {
        long least = residentBytes();
        int lasted = 0;
        while (lasted++ < SETTLED_LOOKS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            long now = residentBytes();
            if (now < least) {
                least = now;
                lasted = 0;
            }
        }
        return least;
    }

    /** Resident memory of this process; 0 where the operating system does not tell. */
    private static long residentBytes() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).findFirst().orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
