package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Small scenarios, each of which once went wrong or easily could. */
class RegressionTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Test
    void keyZeroOpensNothingAfterAnotherKeyWasRemembered() {
        for (Threading threading : Threading.values()) {
            try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8))) {
                End.ok(ends.a.write(1, 0, 64, ends.b));
                End.expect(ends.a.sendCq, 1);
                // Any registration makes data calls forget the keys they remember.
                ends.b.pd.register(ends.b.memory.segment(), End.ALL).close();
                ends.a.set(0, 77);
                End.ok(ends.a.qp.postWrite(2, ends.a.at(0), 64, ends.a.region.lkey(), ends.b.at(0), 0,
                        SendFlags.SIGNALED));
                assertEquals(WcStatus.REM_ACCESS_ERR, End.next(ends.a.sendCq).status());
                assertEquals(0, ends.b.get(0));
            }
        }
    }

    @Test
    void emptyListsOnClosedObjectsAreRefusedLikeOthers() {
        SharedReceiveQueueConfig config = new SharedReceiveQueueConfig(1, 1, Threading.SAFE);
        for (Threading threading : Threading.values()) {
            try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8))) {
                SharedReceiveQueue srq = ends.a.pd.createSharedReceiveQueue(config);
                assertEquals(PostStatus.OK, ends.a.qp.postSend(new SendRequests(1, 1)));
                assertEquals(PostStatus.OK, ends.a.qp.postAll(new SendRequests(1, 1)));
                assertEquals(PostStatus.OK, srq.postReceive(new ReceiveRequests(1, 1)));
                ends.a.qp.close();
                srq.close();
                assertEquals(PostStatus.CLOSED, ends.a.qp.postSend(new SendRequests(1, 1)));
                assertEquals(PostStatus.CLOSED, ends.a.qp.postAll(new SendRequests(1, 1)));
                assertEquals(PostStatus.CLOSED, ends.a.qp.postReceive(new ReceiveRequests(1, 1)));
                assertEquals(PostStatus.CLOSED, srq.postReceive(new ReceiveRequests(1, 1)));
            }
        }
    }

    @Test
    void completionQueueThatHasOverflowedTakesNothingNew() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withCqe(2))) {
            for (int i = 0; i < 3; i++) {
                End.ok(ends.a.write(i, 0, 8, ends.b));
            }
            assertTrue(ends.a.sendCq.snapshot().failed());
            refusedAfterOverflow(() -> ends.a.sendCq.resize(100));
            refusedAfterOverflow(() -> ends.a.pd.createQueuePair(
                    QueuePairConfig.rc(ends.a.sendCq, QueuePairCapabilities.ofDepth(1))));
            refusedAfterOverflow(() -> ends.a.pd.createQueuePair(
                    QueuePairConfig.rc(ends.a.recvCq, QueuePairCapabilities.ofDepth(1)).withRecvCq(ends.a.sendCq)));
        }
    }

    private static void refusedAfterOverflow(Executable call) {
        VerbsException e = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EIO, e.errno());
        assertTrue(e.getMessage().contains("create a larger one"), e.getMessage());
    }

    @Test
    void localKeyZeroOpensNothingAfterAnotherKeyWasRemembered() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, 8))) {
            End.ok(ends.a.write(1, 0, 64, ends.b));
            End.expect(ends.a.sendCq, 1);
            ends.b.pd.register(ends.b.memory.segment(), End.ALL).close();
            End.ok(ends.a.qp.postWrite(2, ends.a.at(0), 64, 0, ends.b.at(0), ends.b.region.rkey(),
                    SendFlags.SIGNALED));
            assertEquals(WcStatus.LOC_PROT_ERR, End.next(ends.a.sendCq).status());
        }
    }

    @Test
    void droppedCompletionsNoLongerCountAgainstTheirQueueAfterReset() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withCqe(7))) {
            for (int round = 0; round < 5; round++) {
                postWrites(ends, 5);
                ends.reconnect();
            }
            postWrites(ends, 5);
            for (int i = 0; i < 5; i++) {
                End.expect(ends.a.sendCq, i);
            }
        }
    }

    @Test
    void droppedCompletionsNoLongerCountAgainstTheirQueueAfterClose() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withCqe(4))) {
            for (int round = 0; round < 5; round++) {
                postWrites(ends, 3);
                ends.reopen();
            }
            postWrites(ends, 3);
            for (int i = 0; i < 3; i++) {
                End.expect(ends.a.sendCq, i);
            }
        }
    }

    private static void postWrites(TwoEnds ends, int count) {
        for (int i = 0; i < count; i++) {
            End.ok(ends.a.write(i, 0, 64, ends.b));
        }
    }

    @Test
    void pollIntoNothingLeavesTheQueueUsable() {
        for (Threading threading : Threading.values()) {
            TwoEnds ends = new TwoEnds(Setup.of(threading, 8));
            End.ok(ends.a.write(1, 0, 64, ends.b));
            assertThrows(RuntimeException.class, () -> ends.a.sendCq.poll((WorkCompletion) null));
            assertThrows(RuntimeException.class, () -> ends.a.sendCq.poll(new WorkCompletion[2]));
            End.expect(ends.a.sendCq, 1);
            assertTimeoutPreemptively(LIMIT, ends::close);
        }
    }

    @Test
    void interruptedCloseOfCompletionQueueCanBeRepeated() throws InterruptedException {
        TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withEvents());
        End a = ends.a;
        End.ok(a.sendCq.arm(false));
        End.ok(a.write(1, 0, 64, ends.b));
        assertEquals(a.sendCq, a.channel.get(LIMIT.toNanos()));
        a.qp.close();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread closer = new Thread(() -> {
            try {
                a.sendCq.close();
            } catch (VerbsException e) {
                thrown.set(e);
            }
        });
        closer.start();
        closer.interrupt();
        closer.join(LIMIT);
        assertTrue(thrown.get() instanceof VerbsException e && e.errno() == Errno.EINTR, "thrown: " + thrown.get());
        a.sendCq.acknowledge(1);
        ends.close();
    }

    @Test
    void longListsAreWorkedOffThoughOthersDriveProgressMeanwhile() {
        int count = 512;
        AtomicBoolean over = new AtomicBoolean();
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, count)); Crew crew = new Crew()) {
            SendRequests list = new SendRequests(count, 1);
            for (int i = 0; i < count; i++) {
                list.add(i, Opcode.RDMA_WRITE, SendFlags.SIGNALED).sge(ends.a.at(0), 8, ends.a.region.lkey())
                        .remote(ends.b.at(0), ends.b.region.rkey());
            }
            crew.start("driver", () -> {
                WorkCompletion none = new WorkCompletion();
                while (!over.get()) {
                    assertEquals(0, ends.b.sendCq.poll(none));
                }
            });
            try {
                for (int round = 0; round < 500; round++) {
                    End.ok(ends.a.qp.postAll(list));
                    for (int i = 0; i < count; i++) {
                        End.expect(ends.a.sendCq, i);
                    }
                }
            } finally {
                over.set(true);
            }
        }
    }

    @Test
    void inlineDataComesFromAnyRegionThatStillCoversIt() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, 8))) {
            MemoryRegion second = ends.a.pd.register(ends.a.memory.segment(), End.ALL);
            second.close();
            End.ok(ends.b.receive(1, 0, 64));
            int status = ends.a.qp.postSend(2, ends.a.at(0), 8, 12345, SendFlags.SIGNALED | SendFlags.INLINE);
            assertEquals(PostStatus.OK, status, PostStatus.describe(status));
            End.expect(ends.a.sendCq, 2);
        }
    }

    @Test
    void aListRefusedWhileAnEarlierRequestWaitsTakesNoSlots() {
        int depth = 64;
        for (Threading threading : Threading.values()) {
            try (TwoEnds ends = new TwoEnds(Setup.of(threading, depth))) {
                SendRequests list = new SendRequests(2 * depth, 1);
                End.ok(ends.a.send(100, 0, 8)); // no receive is posted: it waits
                addWrites(list, depth - 2, ends).add(9, Opcode.RDMA_WRITE, SendFlags.INLINE).sge(1 << 20, 8, 12345)
                        .remote(ends.b.at(0), ends.b.region.rkey());
                assertEquals(PostStatus.INLINE_NOT_REGISTERED, ends.a.qp.postAll(list));
                assertEquals(depth - 2, list.refusedIndex());
                End.ok(ends.a.qp.postAll(addWrites(list.clear(), depth - 1, ends)));
                assertEquals(PostStatus.QUEUE_FULL, ends.a.qp.postAll(addWrites(list.clear(), 1, ends)));
                End.ok(ends.b.receive(1, 4_096, 64));
                End.expect(ends.a.sendCq, 100);
                for (int i = 0; i < depth - 1; i++) {
                    End.expect(ends.a.sendCq, i);
                }
            }
        }
    }

    private static SendRequests addWrites(SendRequests list, int count, TwoEnds ends) {
        for (int i = 0; i < count; i++) {
            list.add(i, Opcode.RDMA_WRITE, SendFlags.SIGNALED).sge(ends.a.at(0), 8, ends.a.region.lkey())
                    .remote(ends.b.at(8L * i), ends.b.region.rkey());
        }
        return list;
    }
}
