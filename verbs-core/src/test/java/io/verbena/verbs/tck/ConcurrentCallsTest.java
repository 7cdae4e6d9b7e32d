package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.BitSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Data path calls of several threads at a time, and control calls in the middle of them. */
@DisplayName("Threads")
@Timeout(180)
class ConcurrentCallsTest extends FixtureTest {
    private static final int THREADS = 4;
    private static final int PER_THREAD = 20_000;
    private static final Set<Integer> AFTER_THE_END = Set.of(PostStatus.CLOSED, PostStatus.WRONG_STATE);

    @Test
    void postsAndPollsOfManyThreadsLoseAndDoubleNothing() {
        Pair pair = fixture.connected(new PairSpec().depth(128));
        BitSet seen = new BitSet();
        AtomicInteger done = new AtomicInteger();
        try (Threads threads = new Threads()) {
            for (int t = 0; t < THREADS; t++) {
                int base = t * PER_THREAD;
                threads.start("poster" + t, () -> {
                    WorkCompletion completion = new WorkCompletion();
                    for (int i = 0; i < PER_THREAD; i++) {
                        int wrId = base + i;
                        while (pair.qp().postWrite(wrId, 0, 0, 0, 0, 0, SendFlags.SIGNALED) != PostStatus.OK) {
                            take(pair.sendCq(), completion, seen, done);
                        }
                    }
                    assertTrue(Waiting.until(() -> {
                        take(pair.sendCq(), completion, seen, done);
                        return done.get() == THREADS * PER_THREAD;
                    }, Waiting.LIMIT_NANOS), () -> "only " + done + " completions");
                    return null;
                });
            }
        }
        assertEquals(THREADS * PER_THREAD, seen.cardinality());
    }

    private static void take(CompletionQueue cq, WorkCompletion completion, BitSet seen, AtomicInteger done) {
        if (cq.poll(completion) == 1) {
            assertEquals(0, completion.statusCode(), completion::toString);
            synchronized (seen) {
                assertTrue(!seen.get((int) completion.wrId()), "twice: " + completion);
                seen.set((int) completion.wrId());
            }
            done.incrementAndGet();
        }
    }

    @Test
    void messagesOfManyThreadsArriveOnce() {
        Pair pair = fixture.connected(new PairSpec().depth(64));
        Pair back = fixture.connected(new PairSpec().depth(64));
        try (Threads threads = new Threads()) {
            for (Pair each : new Pair[] {pair, back}) {
                threads.start("sender", () -> {
                    for (int i = 0; i < 300; i++) {
                        each.postRemote(WorkSpec.send(i, Opcode.SEND));
                        each.awaitRemoteSends(1);
                    }
                    return null;
                });
                threads.start("receiver", () -> {
                    for (int i = 0; i < 300; i++) {
                        each.postReceive(WorkSpec.receive(i));
                        assertEquals(i, each.awaitReceive().wrId());
                    }
                    return null;
                });
            }
        }
    }

    /** Threads post, receive and poll while the queue pair goes through states and is closed at last. */
    private void churn(Threading threading, int rounds) {
        Random random = new Random(7);
        for (int round = 0; round < rounds; round++) {
            Pair pair = fixture.connected(new PairSpec().threading(threading).depth(16).quickRetry());
            Buffer local = fixture.local(4096, MemoryKind.DEVICE);
            RemoteBuffer remote = fixture.remote(4096, MemoryKind.DEVICE);
            AtomicBoolean stop = new AtomicBoolean();
            try (Threads threads = new Threads()) {
                threads.start("sender", () -> {
                    while (!stop.get()) {
                        post(pair.qp(), local, remote);
                    }
                    return null;
                });
                threads.start("poller", () -> {
                    pollUntil(stop, pair.sendCq(), pair.recvCq());
                    return null;
                });
                threads.start("receiver", () -> {
                    while (!stop.get()) {
                        legal(pair.qp().postReceive(1, local.address(), 64, local.lkey()));
                    }
                    return null;
                });
                change(pair, random);
                pair.qp().close();
                stop.set(true);
            }
            pair.sendCq().close();
            pair.recvCq().close();
        }
    }

    private static void change(Pair pair, Random random) {
        for (int i = 0; i < 6; i++) {
            Waiting.pause(random.nextInt(300_000));
            try {
                switch (random.nextInt(4)) {
                    case 0 -> pair.modify(QueuePairState.ERR);
                    case 1 -> pair.modify(QueuePairState.SQD);
                    case 2 -> pair.modify(QueuePairState.RTS);
                    default -> pair.reconnect();
                }
            } catch (VerbsException notAllowedFromHere) {
                assertTrue(notAllowedFromHere.getMessage().length() > 10);
            }
        }
    }

    private static void post(QueuePair qp, Buffer local, RemoteBuffer remote) {
        legal(qp.postWrite(1, local.address(), 4096, local.lkey(), remote.address(), remote.rkey(),
                SendFlags.SIGNALED));
        legal(qp.postRead(1, local.address(), 64, local.lkey(), remote.address(), remote.rkey(), 0));
        legal(qp.postSend(1, local.address(), 64, local.lkey(), SendFlags.SIGNALED));
    }

    private static void legal(int code) {
        assertTrue(code == PostStatus.OK || code == PostStatus.QUEUE_FULL || AFTER_THE_END.contains(code),
                () -> "code " + code);
    }

    private static void pollUntil(AtomicBoolean stop, CompletionQueue... cqs) {
        WorkCompletion completion = new WorkCompletion();
        while (!stop.get()) {
            for (CompletionQueue cq : cqs) {
                int code = cq.poll(completion);
                assertTrue(code >= 0 || code == PostStatus.CLOSED || code == PostStatus.CQ_ERROR, "code " + code);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void stateChangesAndCloseInTheMiddleOfTrafficDoNoHarm(Threading threading) {
        churn(threading, 60);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @Tag("ci")
    void manyStateChangesAndClosesInTheMiddleOfTrafficDoNoHarm(Threading threading) {
        churn(threading, 3_000);
    }

    /** Regions come and go while other regions are in use by other queue pairs. */
    @Test
    void registrationsInTheMiddleOfTrafficDoNotDisturbIt() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        AtomicBoolean stop = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            threads.start("registrar", () -> {
                var memory = fixture.a().allocate(4096, MemoryKind.SHARED);
                while (!stop.get()) {
                    try (MemoryRegion region =
                            fixture.a().domain().register(memory.segment(), Fixture.ALL_ACCESS)) {
                        assertTrue(region.lkey() != 0);
                    }
                }
                return null;
            });
            WorkCompletion completion = new WorkCompletion();
            for (int i = 0; i < 50_000; i++) {
                assertEquals(PostStatus.OK, pair.qp().postWrite(i, local.address(), 64, local.lkey(),
                        remote.address(), remote.rkey(), SendFlags.SIGNALED));
                assertTrue(Waiting.until(() -> pair.sendCq().poll(completion) == 1, Waiting.LIMIT_NANOS));
                assertEquals(0, completion.statusCode(), completion::toString);
            }
            stop.set(true);
        }
        remote.check(0, 64, 1, "B's memory");
    }
}
