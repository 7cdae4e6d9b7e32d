package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Changing the capacity of a completion queue. */
@DisplayName("C58 resize")
@Timeout(60)
class ResizeC58Test extends FixtureTest {
    private static final int WINDOW = 64;
    private static final int COUNT = 100_000;

    private Pair pair(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading);
        spec.a().depth(256, 64).cqe(WINDOW, 64);
        return fixture.connected(spec);
    }

    private static void writes(Pair pair, int from, int to) {
        for (int i = from; i < to; i++) {
            pair.post(WorkSpec.send(i, Opcode.RDMA_WRITE));
        }
    }

    private static void expectInOrder(Pair pair, int from, int to) {
        for (int i = from; i < to; i++) {
            assertEquals(i, pair.await(WcStatus.SUCCESS).wrId());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void completionsKeepTheirOrderWhenTheQueueGrowsAndShrinks(Threading threading) {
        Pair pair = pair(threading);
        writes(pair, 0, 40);
        pair.sendCq().resize(300);
        assertTrue(pair.sendCq().capacity() >= 300);
        writes(pair, 40, 200);
        expectInOrder(pair, 0, 190);
        pair.sendCq().resize(16);
        assertTrue(pair.sendCq().capacity() >= 16);
        writes(pair, 200, 206);
        expectInOrder(pair, 190, 206);
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void lessThanTheQueueHoldsIsRefusedAndChangesNothing(Threading threading) {
        Pair pair = pair(threading);
        writes(pair, 0, 50);
        assertTrue(Waiting.until(() -> pair.sendCq().snapshot().waiting() == 50, Waiting.LIMIT_NANOS));
        int before = pair.sendCq().capacity();
        for (int size : new int[] {1, 10, 49}) {
            VerbsException refusal = assertThrows(VerbsException.class, () -> pair.sendCq().resize(size));
            assertEquals(Errno.EINVAL, refusal.errno());
        }
        assertEquals(before, pair.sendCq().capacity());
        pair.sendCq().resize(50);
        expectInOrder(pair, 0, 50);
    }

    @Test
    void sizesOutOfRangeAreRefused() {
        Pair pair = pair(Threading.SAFE);
        int most = (int) fixture.a().context().queryDevice().limit(DeviceLimit.MAX_CQE);
        for (int size : new int[] {0, -1, Integer.MIN_VALUE, most + 1, Integer.MAX_VALUE}) {
            VerbsException refusal = assertThrows(VerbsException.class, () -> pair.sendCq().resize(size));
            assertEquals(Errno.EINVAL, refusal.errno(), "size " + size);
        }
        pair.sendCq().resize(most);
        pair.sendCq().resize(1);
        writes(pair, 0, 1);
        expectInOrder(pair, 0, 1);
    }

    @Test
    void armedQueueStaysArmed() {
        Pair pair = fixture.connected(new PairSpec().events());
        assertEquals(PostStatus.OK, pair.sendCq().arm(false));
        pair.sendCq().resize(1000);
        writes(pair, 0, 1);
        assertEquals(pair.sendCq(), pair.sendCq().channel().get(5_000_000_000L));
        pair.sendCq().acknowledge(1);
    }

    /** One thread posts, one polls, one resizes; the window keeps the queue from overflowing. */
    @Test
    void nothingIsLostWhenTheQueueIsResizedUnderLoad() {
        Pair pair = pair(Threading.SAFE);
        AtomicLong polled = new AtomicLong();
        try (Threads threads = new Threads()) {
            threads.start("poster", () -> post(pair, polled));
            FutureTask<Object> poller = threads.start("poller", () -> poll(pair.sendCq(), polled));
            Random random = new Random(58);
            int resizes = 0;
            while (!poller.isDone()) {
                pair.sendCq().resize(WINDOW + random.nextInt(1000));
                resizes++;
                Waiting.pause(20_000);
            }
            Threads.join(poller);
            assertTrue(resizes > 5, "only " + resizes + " resizes");
        }
        assertEquals(COUNT, polled.get());
        pair.expectNoCompletion();
    }

    private static Object post(Pair pair, AtomicLong polled) {
        for (long posted = 0; posted < COUNT; posted++) {
            long next = posted;
            assertTrue(Waiting.until(() -> next - polled.get() < WINDOW, Waiting.LIMIT_NANOS), "poller stands still");
            assertEquals(PostStatus.OK, pair.qp().postWrite(posted, 0, 0, 0, 0, 0, SendFlags.SIGNALED));
        }
        return null;
    }

    private static Object poll(CompletionQueue cq, AtomicLong polled) {
        WorkCompletion completion = new WorkCompletion();
        while (polled.get() < COUNT) {
            assertTrue(Waiting.until(() -> cq.poll(completion) == 1, Waiting.LIMIT_NANOS),
                    "nothing came after " + polled);
            assertEquals(polled.get(), completion.wrId());
            assertEquals(0, completion.statusCode());
            polled.incrementAndGet();
        }
        return null;
    }

    @Test
    void nothingIsLostWhenPeersFillTheQueueMeanwhile() {
        PairSpec spec = new PairSpec();
        spec.a().depth(64, 1024).cqe(64, 1024);
        Pair pair = fixture.connected(spec);
        for (int i = 0; i < 1024; i++) {
            pair.postReceive(WorkSpec.receive(i));
        }
        WorkCompletion completion = new WorkCompletion();
        try (Threads threads = new Threads()) {
            threads.start("peer", () -> {
                for (int i = 0; i < 64; i++) {
                    pair.postRemote(sends());
                    assertEquals(16, pair.awaitRemoteSends(16).size());
                }
                return null;
            });
            for (int i = 0; i < 1024; i++) {
                assertTrue(Waiting.until(() -> pair.recvCq().poll(completion) == 1, Waiting.LIMIT_NANOS));
                assertEquals(i, completion.wrId());
                pair.recvCq().resize(1024 + i % 7 * 100);
            }
        }
    }

    private static WorkSpec[] sends() {
        WorkSpec[] list = new WorkSpec[16];
        for (int i = 0; i < 16; i++) {
            list[i] = WorkSpec.send(i, Opcode.SEND);
        }
        return list;
    }
}
