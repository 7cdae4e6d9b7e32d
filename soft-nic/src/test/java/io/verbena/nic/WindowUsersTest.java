package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What unbinds a window waits for whoever uses it, a stopped process perhaps; nobody waits for what unbinds it. */
@Timeout(90)
class WindowUsersTest {
    private static final long LIMIT_S = 10;
    /** Long enough for whoever does not wait to be done. */
    private static final int POLLS = 10_000;

    private final TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8));
    private final End a = ends.a;
    private final MemoryRegion region = a.pd.register(a.memory.segment(), Access.LOCAL_WRITE | Access.MW_BIND);
    private final MemoryWindow window = a.pd.allocateMemoryWindow(Type.TYPE_1);
    private final MemoryWindow mine = a.pd.allocateMemoryWindow(Type.TYPE_2);
    private final SendRequests list = new SendRequests(2, 1);
    private final WorkCompletion completion = new WorkCompletion();
    private final Stopped stopped = new Stopped();

    /** A requester of another process that was stopped in the middle of a data call. */
    private static final class Stopped implements ForeignUser {
        volatile boolean busy;
        volatile boolean givenUp;
        volatile long patienceNs = TimeUnit.HOURS.toNanos(1);

        @Override
        public long sample() {
            return busy ? 1 : 2;
        }

        @Override
        public boolean hasEnded(long sample) {
            return (sample & 1) == 0 || !busy;
        }

        @Override
        public int psn() {
            return 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public long patienceNs() {
            return patienceNs;
        }

        @Override
        public void giveUp() {
            givenUp = true;
        }

        @Override
        public void release() {}
    }

    private static void locked(Runnable action) {
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    @BeforeEach
    void bindAndStop() {
        End.ok(bind(64));
        End.expect(a.sendCq, 1);
        locked(() -> Fabric.LOCAL.add(stopped));
        stopped.busy = true;
    }

    @AfterEach
    void close() {
        stopped.busy = false;
        window.close();
        mine.close();
        region.close();
        ends.close();
        locked(() -> Fabric.LOCAL.remove(stopped));
    }

    private int bind(long length) {
        return window.bind(a.qp, 1, region, region.address(), length, Access.REMOTE_WRITE, SendFlags.SIGNALED);
    }

    /** Does something on another thread, which must end though the process is stopped. */
    private void promptly(Runnable action) {
        CompletableFuture<Void> done = CompletableFuture.runAsync(action, Signals.NEW_THREAD);
        try {
            done.get(LIMIT_S, TimeUnit.SECONDS);
        } catch (Exception e) {
            stopped.busy = false; // lets everybody go on, so that the test can end
            throw new AssertionError("it waits for a stopped process, or failed", e);
        }
    }

    private void assertNothingCompletes() {
        for (int i = 0; i < POLLS; i++) {
            assertEquals(0, a.sendCq.poll(completion));
        }
    }

    @Test
    void aQueuedBindAndAResetOfAnotherQueuePairHoldUpNobody() {
        a.qp.modify(QueuePairAttributes.toState(QueuePairState.SQD));
        End.ok(bind(128));
        promptly(() -> a.qp.modify(QueuePairAttributes.toState(QueuePairState.RTS)));
        promptly(() -> ends.b.modify(QueuePairState.RESET));
        promptly(() -> locked(() -> { }));
        assertNothingCompletes();
        stopped.busy = false;
        End.expect(a.sendCq, 1);
    }

    @Test
    void aPostedBindReturnsAndCompletesOnceItsWindowIsNotUsed() {
        promptly(() -> End.ok(bind(128)));
        promptly(() -> End.ok(a.send(2, 0, 8)));
        assertNothingCompletes();
        stopped.busy = false;
        End.expect(a.sendCq, 1);
        End.ok(ends.b.receive(3, 0, 64));
        End.expect(a.sendCq, 2);
        assertTrue(window.toString().contains("bound to 128 bytes"), window.toString());
    }

    @Test
    void bindingToNothingWaitsToo() {
        promptly(() -> End.ok(window.bind(a.qp, 1, null, 0, 0, 0, SendFlags.SIGNALED)));
        assertNothingCompletes();
        stopped.busy = false;
        End.expect(a.sendCq, 1);
        assertTrue(window.toString().endsWith("not bound"), window.toString());
    }

    @Test
    void whoTakesTooLongIsGivenUp() {
        stopped.patienceNs = 1;
        promptly(() -> End.ok(bind(128)));
        Crew.await("giving up", () -> a.sendCq.poll(completion) == 0 && stopped.givenUp);
        stopped.busy = false;
        End.expect(a.sendCq, 1);
    }

    @Test
    void aLocalInvalidateWaitsForNobodyButTheConnectedPeer() {
        int key = mine.rkey(7);
        promptly(() -> End.ok(a.qp.postSend(list.clear()
                .add(4, Opcode.BIND_MW, 0).bind(mine, key, region, region.address(), 64, Access.REMOTE_READ)
                .add(5, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(key))));
        End.expect(a.sendCq, 5);
    }

    @Test
    void aResetWaitsWithoutTheLockAndLeavesTheWindowFree() {
        promptly(() -> End.ok(bind(128)));
        CompletableFuture<Void> reset =
                CompletableFuture.runAsync(() -> a.modify(QueuePairState.RESET), Signals.NEW_THREAD);
        promptly(() -> a.context.allocateProtectionDomain().close());
        assertNothingCompletes();
        assertFalse(reset.isDone());
        stopped.busy = false;
        reset.join();
        ends.b.modify(QueuePairState.RESET);
        ends.connect();
        assertTrue(window.toString().endsWith("not bound"), window.toString());
        End.ok(bind(32));
        End.expect(a.sendCq, 1);
    }

    @Test
    void whatWasBegunBeforeAnErrorEndsAsItWouldHave() {
        promptly(() -> End.ok(bind(128)));
        promptly(() -> End.ok(bind(32)));
        promptly(() -> a.modify(QueuePairState.ERR));
        assertNothingCompletes();
        stopped.busy = false;
        End.expect(a.sendCq, 1);
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(a.sendCq).status());
        assertTrue(window.toString().contains("bound to 128 bytes"), window.toString());
    }

    @Test
    void aWindowClosedInTheMiddleIsUnbound() {
        promptly(() -> End.ok(window.bind(a.qp, 1, null, 0, 0, 0, SendFlags.SIGNALED)));
        CompletableFuture<Void> closing = CompletableFuture.runAsync(window::close, Signals.NEW_THREAD);
        assertNothingCompletes();
        stopped.busy = false;
        closing.join();
        End.expect(a.sendCq, 1);
    }
}
