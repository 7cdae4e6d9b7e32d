package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Windows bound and unbound while everything around them moves: nobody waits for ever, nothing is left held. */
class WindowStressTest {
    private static final int RIGHTS = Access.REMOTE_READ | Access.REMOTE_WRITE;
    private static final int BINDABLE = Access.LOCAL_WRITE | Access.MW_BIND;
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    /** What one thread binds: a region of its own and a window. */
    private static final class Bound implements AutoCloseable {
        final End end;
        final MemoryRegion region;
        final MemoryWindow window;
        private final SendRequests list = new SendRequests(2, 1);

        Bound(End end, Type type) {
            this.end = end;
            region = end.pd.register(end.memory.segment(), BINDABLE);
            window = end.pd.allocateMemoryWindow(type);
        }

        int bindAndInvalidate(int choice) {
            int key = window.rkey(choice);
            list.clear()
                    .add(1, Opcode.BIND_MW, 0).bind(window, key, region, region.address(), 64, RIGHTS)
                    .add(2, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(key);
            return end.qp.postSend(list);
        }

        int rebind(int round) {
            return window.bind(end.qp, 2, region, region.address() + round % 100, 64, RIGHTS, SendFlags.SIGNALED);
        }

        @Override
        public void close() {
            window.close();
            region.close();
        }
    }

    private static boolean isOver(long start, Crew crew) {
        return System.nanoTime() - start > NANOS || crew.hasFailed();
    }

    private static void awaitOne(CompletionQueue queue, WorkCompletion completion, Set<WcStatus> allowed) {
        Crew.await("a completion", () -> queue.poll(completion) == 1);
        assertTrue(allowed.contains(completion.status()), completion.toString());
    }

    @ParameterizedTest
    @EnumSource
    void bothEndsUnbindAtOnceWithoutWaitingForEachOther(Threading threading) {
        Set<WcStatus> success = EnumSet.of(WcStatus.SUCCESS);
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 16))) {
            for (Type type : Type.values()) {
                AtomicInteger rounds = new AtomicInteger();
                try (Bound a = new Bound(ends.a, type); Bound b = new Bound(ends.b, type); Crew crew = new Crew()) {
                    long start = System.nanoTime();
                    for (Bound side : new Bound[] {a, b}) {
                        crew.start("binder", () -> {
                            WorkCompletion completion = new WorkCompletion();
                            for (int round = 0; rounds.get() <= 100 || !isOver(start, crew); round++) {
                                End.ok0(type == Type.TYPE_2 ? side.bindAndInvalidate(round) : side.rebind(round));
                                awaitOne(side.end.sendCq, completion, success);
                                rounds.incrementAndGet();
                            }
                        });
                    }
                }
                assertTrue(rounds.get() > 100, type + ": only " + rounds);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void queuePairConnectedToItselfUnbindsItsWindow(Threading threading) {
        try (End end = new End("soft", Setup.of(threading, 16))) {
            end.connect(end.address(5), 5);
            for (Type type : Type.values()) {
                try (Bound bound = new Bound(end, type)) {
                    for (int round = 0; round < 200; round++) {
                        End.ok(type == Type.TYPE_2 ? bound.bindAndInvalidate(round) : bound.rebind(round));
                        End.expect(end.sendCq, 2);
                    }
                    if (type == Type.TYPE_1) {
                        End.ok(end.qp.postWrite(3, end.at(0), 8, end.region.lkey(), bound.region.address() + 99,
                                bound.window.rkey(), SendFlags.SIGNALED));
                        End.expect(end.sendCq, 3);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void unbindingFromWithinAPollHandlerDoesNotWaitForThePoll(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 16));
                Bound two = new Bound(ends.a, Type.TYPE_2);
                Bound one = new Bound(ends.a, Type.TYPE_1)) {
            AtomicInteger handled = new AtomicInteger();
            End.ok(one.rebind(0));
            Crew.await("two hundred completions", () -> {
                ends.a.sendCq.poll(completion -> {
                    assertEquals(0, completion.statusCode(), completion.toString());
                    int round = handled.incrementAndGet();
                    End.ok0(round % 2 == 0 ? two.bindAndInvalidate(round) : one.rebind(round));
                }, 1);
                return handled.get() >= 200;
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void resetsComeBetween(Threading threading) {
        Set<WcStatus> outcomes =
                EnumSet.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR, WcStatus.MW_BIND_ERR, WcStatus.LOC_QP_OP_ERR);
        for (Type type : Type.values()) {
            try (TwoEnds ends = new TwoEnds(Setup.of(threading, 16));
                    Bound bound = new Bound(ends.a, type);
                    Crew crew = new Crew()) {
                AtomicBoolean stop = new AtomicBoolean();
                crew.start("binder", () -> {
                    WorkCompletion completion = new WorkCompletion();
                    for (int round = 0; !stop.get(); round++) {
                        int status = type == Type.TYPE_2 ? bound.bindAndInvalidate(round) : bound.rebind(round);
                        assertTrue(Set.of(PostStatus.OK, PostStatus.WRONG_STATE, PostStatus.QUEUE_FULL)
                                .contains(status), PostStatus.describe(status));
                        while (ends.a.sendCq.poll(completion) == 1) {
                            assertTrue(outcomes.contains(completion.status()), completion.toString());
                        }
                    }
                });
                long start = System.nanoTime();
                while (!isOver(start, crew)) {
                    ends.reconnect();
                }
                stop.set(true);
                crew.join();
                ends.reconnect();
                settle(ends, bound, type);
            }
        }
    }

    /** After all that the window can be bound and its region closed. */
    private static void settle(TwoEnds ends, Bound bound, Type type) {
        WorkCompletion completion = new WorkCompletion();
        if (type == Type.TYPE_2) {
            // A reset may have come between the bind and the invalidation.
            End.ok(bound.end.qp.postSend(new SendRequests(1, 0).clear()
                    .add(3, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(bound.window.rkey())));
            awaitOne(ends.a.sendCq, completion, EnumSet.of(WcStatus.SUCCESS, WcStatus.LOC_QP_OP_ERR));
            ends.reconnect();
            End.ok(bound.bindAndInvalidate(1));
        } else {
            End.ok(bound.rebind(1));
        }
        End.expect(ends.a.sendCq, 2);
    }

    @ParameterizedTest
    @EnumSource
    void windowsCloseAndRegionsComeAndGoBetween(Threading threading) {
        Set<WcStatus> outcomes =
                EnumSet.of(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR, WcStatus.MW_BIND_ERR, WcStatus.LOC_QP_OP_ERR);
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 16))) {
            long start = System.nanoTime();
            for (int round = 0; System.nanoTime() - start < 2 * NANOS; round++) {
                Type type = Type.values()[round % 2];
                Bound bound = new Bound(ends.a, type);
                try (Crew crew = new Crew()) {
                    AtomicInteger done = new AtomicInteger();
                    crew.start("binder", () -> {
                        WorkCompletion completion = new WorkCompletion();
                        int status = PostStatus.OK;
                        for (int i = 0; status == PostStatus.OK && ends.a.qp.state() != QueuePairState.ERR; i++) {
                            status = type == Type.TYPE_2 ? bound.bindAndInvalidate(i) : bound.rebind(i);
                            if (status == PostStatus.OK) {
                                awaitOne(ends.a.sendCq, completion, outcomes);
                                done.incrementAndGet();
                            }
                        }
                    });
                    int enough = round % 7;
                    Crew.await("some binds", () -> done.get() >= enough || crew.hasFailed());
                    bound.window.close();
                    bound.region.close();
                }
                ends.reconnect();
            }
        }
    }
}
