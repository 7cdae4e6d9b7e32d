package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which sends of UC and UD complete, in which order, and in which order messages arrive there and on shared queues. */
@DisplayName("C20 signalling, C22 completion order: UC, UD, shared receive queues")
@Timeout(60)
class UnreliableOrderTest extends FixtureTest {
    private static final int DEPTH = 16;
    private static final int TOTAL = 1000;
    private static final int ROOM = 2_000;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;
    private RemoteSrq srq;

    private void prepare(PairSpec spec) {
        pair = fixture.connected(spec);
        local = fixture.local(ROOM, MemoryKind.DEVICE);
        remote = fixture.remote(ROOM, MemoryKind.DEVICE);
    }

    private void prepare(QueuePairType type, Threading threading) {
        prepare(new PairSpec().type(type).threading(threading).depth(DEPTH));
    }

    private WorkSpec send(long wrId, int flags) {
        return WorkSpec.send(wrId, Opcode.SEND).sge(local.address(), 64, local.lkey()).flags(flags);
    }

    private void receive(long wrId) {
        WorkSpec work = WorkSpec.receive(wrId).sge(remote.address(), ROOM, remote.lkey());
        if (srq == null) {
            pair.postRemoteReceive(work);
        } else {
            srq.post(work);
        }
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void onlySignalledSendsCompleteAndPlacesAreRecycled(QueuePairType type, Threading threading) {
        prepare(type, threading);
        for (int every : new int[] {1, 2, 3, 8, DEPTH}) {
            for (int i = 0; i < 50 * every; i++) {
                boolean signalled = i % every == every - 1;
                local.fill(i);
                receive(i);
                pair.post(send(i, signalled ? SendFlags.SIGNALED : 0));
                if (signalled) {
                    assertEquals(i, pair.await(WcStatus.SUCCESS).wrId(), "one in " + every);
                }
                assertEquals(i, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
                remote.check(pair.spec().header(), 64, i, "message " + i);
            }
        }
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void queuePairThatSignalsAllCompletesEverything(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading).depth(DEPTH);
        spec.a().signalAll();
        prepare(spec);
        for (int i = 0; i < DEPTH; i++) {
            pair.post(send(i, i % 2 == 0 ? 0 : SendFlags.SIGNALED));
        }
        assertEquals(LongStream.range(0, DEPTH).boxed().toList(),
                pair.await(DEPTH).stream().map(Completion::wrId).toList());
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void failureOfAnUnsignalledSendCompletes(QueuePairType type, Threading threading) {
        prepare(type, threading);
        pair.post(send(1, 0), WorkSpec.send(2, Opcode.SEND).sge(8, 8, 1).flags(0), send(3, 0));
        assertEquals(2, pair.await(WcStatus.LOC_PROT_ERR).wrId());
        assertEquals(3, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void sendsThatAreLostFreeTheirPlacesToo(QueuePairType type, Threading threading) {
        prepare(type, threading);
        for (int i = 0; i < 10 * DEPTH; i++) {
            boolean last = i % DEPTH == DEPTH - 1;
            pair.post(send(i, last ? SendFlags.SIGNALED : 0));
            if (last) {
                assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
            }
        }
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void unsignalledSendBehindAnUnpolledCompletionHoldsItsPlace(QueuePairType type, Threading threading) {
        prepare(type, threading);
        int granted = pair.qp().capabilities().maxSendWr();
        pair.post(send(0, SendFlags.SIGNALED));
        for (int i = 1; i < granted; i++) {
            pair.post(send(i, 0));
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(send(99, 0)));
        assertEquals(0, pair.await().wrId());
        pair.post(send(granted, SendFlags.SIGNALED));
        assertEquals(granted, pair.await().wrId());
    }

    // Order

    @ParameterizedTest
    @CsvSource({"UC, SAFE, false", "UC, SINGLE, false", "UD, SAFE, false", "UD, SINGLE, false", "UD, SAFE, true",
        "UD, SINGLE, true", "RC, SAFE, true", "RC, SINGLE, true"})
    void thousandMixedRequestsCompleteInPostingOrder(QueuePairType type, Threading threading, boolean shared) {
        srq = shared ? RemoteSrq.create(fixture, 64, 1) : null;
        PairSpec spec = new PairSpec().type(type).threading(threading);
        prepare(shared ? spec.remoteSrq(srq) : spec);
        Random random = new Random(22);
        Deque<Long> expected = new ArrayDeque<>();
        List<Integer> sent = new ArrayList<>();
        int taken = 0;
        for (long posted = 0; posted < TOTAL; ) {
            List<WorkSpec> list = new ArrayList<>();
            int length = 1 + random.nextInt(16);
            for (int i = 0; i < length && posted < TOTAL; i++, posted++) {
                boolean signalled = i == length - 1 || posted == TOTAL - 1 || random.nextInt(4) != 0;
                list.add(next(posted, signalled, random, type, sent));
                if (signalled) {
                    expected.add(posted);
                }
            }
            pair.post(list.toArray(WorkSpec[]::new));
            for (Completion each : pair.await(expected.size())) {
                assertEquals(WcStatus.SUCCESS, each.status());
                assertEquals(expected.poll(), each.wrId(), "order of sends");
            }
            for (Completion each : pair.awaitRemoteReceives(sent.size() - taken)) {
                assertEquals(WcStatus.SUCCESS, each.status());
                assertEquals(taken, each.wrId(), "order of receives");
                assertEquals(sent.get(taken++), each.imm(), "order of messages");
            }
        }
        pair.expectNoCompletion();
        pair.expectNoRemoteReceive();
    }

    /** Any request; those that take a receive carry their number, which is noted. */
    private WorkSpec next(long wrId, boolean signalled, Random random, QueuePairType type, List<Integer> sent) {
        int size = random.nextInt(6) == 0 ? random.nextInt(1_500) : random.nextInt(120);
        Opcode opcode = Opcode.SEND_WITH_IMM;
        if (type != QueuePairType.UD && random.nextInt(2) == 0) {
            opcode = random.nextBoolean() ? Opcode.RDMA_WRITE : Opcode.RDMA_WRITE_WITH_IMM;
        }
        if (opcode != Opcode.RDMA_WRITE) {
            receive(sent.size());
            sent.add((int) wrId);
        }
        return WorkSpec.send(wrId, opcode).sge(local.address(), size, local.lkey())
                .remote(remote.address(), remote.rkey()).imm((int) wrId).flags(signalled ? SendFlags.SIGNALED : 0);
    }

    /** On one queue pair of its own completions stay in order although the queue is resized in between. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void orderOfEachQueuePairSurvivesResizesOfItsSharedQueue(Threading threading) {
        srq = RemoteSrq.create(fixture, 8, 1);
        int cq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(512, false, Threading.SAFE));
        prepare(new PairSpec().threading(threading).remoteSrq(srq).remoteRecvCq(cq));
        Pair other = fixture.connected(new PairSpec().threading(threading).remoteSrq(srq).remoteRecvCq(cq));
        int capacity = 8;
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < capacity; i++) {
                receive(i);
            }
            for (int i = 0; i < capacity; i++) {
                Pair from = i % 3 == 0 ? other : pair;
                from.post(WorkSpec.send(i, Opcode.SEND_WITH_IMM).imm(i));
                from.await(WcStatus.SUCCESS);
                if (i == capacity / 2) {
                    srq.resize(capacity + 1 + round * 7 % 50);
                }
            }
            List<Completion> received = pair.awaitRemoteReceives(capacity);
            for (Pair from : List.of(pair, other)) {
                List<Integer> numbers = received.stream().filter(each -> each.qpNum() == from.remoteQpNum())
                        .map(Completion::imm).toList();
                assertEquals(numbers.stream().sorted().toList(), numbers);
            }
            capacity = 8 + round % 5;
            srq.resize(capacity);
        }
    }
}
