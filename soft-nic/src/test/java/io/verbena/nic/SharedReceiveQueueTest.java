package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEvent.QueuePairEvent;
import io.verbena.verbs.AsyncEvent.SharedReceiveQueueEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shared receive queues (C59): who takes what, limit, last work request, resize, and that no buffer gets lost. */
class SharedReceiveQueueTest {
    private static final int DEPTH = 64;
    private static final long STRIDE = 64;

    private final End a = new End("soft", Setup.of(Threading.SAFE, DEPTH));
    private final End b = new End("soft", Setup.of(Threading.SAFE, DEPTH));
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private SharedReceiveQueue srq = b.pd.createSharedReceiveQueue(
            new SharedReceiveQueueConfig(16, 1, Threading.SAFE));

    @AfterEach
    void close() {
        queuePairs.forEach(QueuePair::close);
        srq.close();
        a.close();
        b.close();
    }

    /** A queue pair of A connected to one of B that draws from the shared queue; returns A's, B's is the next. */
    private QueuePair connect() {
        QueuePair from = a.pd.createQueuePair(
                QueuePairConfig.rc(a.sendCq, QueuePairCapabilities.ofDepth(DEPTH)).withRecvCq(a.recvCq));
        QueuePair to = b.pd.createQueuePair(QueuePairConfig.rc(b.sendCq, QueuePairCapabilities.ofDepth(DEPTH))
                .withRecvCq(b.recvCq).withSrq(srq));
        queuePairs.add(from);
        queuePairs.add(to);
        join(from, to);
        return from;
    }

    private void join(QueuePair from, QueuePair to) {
        bringUp(from, new QueuePairEndpoint(b.context.queryGid(1, 0).gid(), to.qpNum(), 7));
        bringUp(to, new QueuePairEndpoint(a.context.queryGid(1, 0).gid(), from.qpNum(), 7));
    }

    private static void bringUp(QueuePair qp, QueuePairEndpoint peer) {
        qp.modify(QueuePairAttributes.init(1, End.ALL));
        qp.modify(QueuePairAttributes.readyToReceive(peer).minRnrTimer(1));
        qp.modify(QueuePairAttributes.readyToSend(7).rnrRetry(7).timeout(8));
    }

    private QueuePair lastOfB() {
        return queuePairs.getLast();
    }

    private int send(QueuePair qp, long wrId, long value) {
        a.set(0, value);
        return qp.postSend(wrId, a.at(0), Long.BYTES, a.region.lkey(), SendFlags.SIGNALED | SendFlags.INLINE);
    }

    private int post(long wrId) {
        return srq.postReceive(wrId, b.at(wrId * STRIDE), STRIDE, b.region.lkey());
    }

    @Test
    void twoQueuePairsDrawInPostingOrder() {
        QueuePair first = connect();
        QueuePair second = connect();
        for (int i = 0; i < 6; i++) {
            End.ok(post(i));
        }
        for (int i = 0; i < 6; i++) {
            End.ok(send(i % 2 == 0 ? first : second, i, 100 + i));
            End.expect(a.sendCq, i);
        }
        for (int i = 0; i < 6; i++) {
            WorkCompletion completion = End.next(b.recvCq);
            assertEquals(i, completion.wrId());
            assertEquals(queuePairs.get(i % 2 == 0 ? 1 : 3).qpNum(), completion.qpNum());
            assertEquals(Long.BYTES, completion.byteLen());
            assertEquals(100 + i, b.get(i * STRIDE));
        }
    }

    @Test
    void receivesArePostedOnlyToTheSharedQueue() {
        connect();
        assertEquals(PostStatus.HAS_SRQ, lastOfB().postReceive(1, b.at(0), 8, b.region.lkey()));
        assertEquals(srq, lastOfB().sharedReceiveQueue());
        for (int i = 0; i < 16; i++) {
            End.ok(post(i));
        }
        assertEquals(PostStatus.QUEUE_FULL, post(16));
    }

    @Test
    void aPlaceIsFreeOnceItsCompletionIsPolled() {
        QueuePair qp = connect();
        for (int i = 0; i < 16; i++) {
            End.ok(post(i));
        }
        End.ok(send(qp, 1, 1));
        End.expect(a.sendCq, 1);
        assertEquals(PostStatus.QUEUE_FULL, post(16));
        End.expect(b.recvCq, 0);
        End.ok(post(16));
    }

    @Test
    void senderWaitsWhileNoReceiveIsPosted() {
        QueuePair qp = connect();
        End.ok(send(qp, 5, 55));
        assertEquals(0, a.sendCq.poll(new WorkCompletion()));
        End.ok(post(3));
        End.expect(a.sendCq, 5);
        End.expect(b.recvCq, 3);
        assertEquals(55, b.get(3 * STRIDE));
    }

    @Test
    void writeWithImmediateTakesAReceiveAndLeavesItsBuffer() {
        QueuePair qp = connect();
        b.set(2 * STRIDE, -1);
        End.ok(post(2));
        a.set(0, 77);
        SendRequests requests = new SendRequests(1, 1);
        requests.add(9, Opcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED).sge(a.at(0), 8, a.region.lkey())
                .remote(b.at(4_096), b.region.rkey()).imm(0xABCD);
        End.ok(qp.postSend(requests));
        End.expect(a.sendCq, 9);
        WorkCompletion completion = End.next(b.recvCq);
        assertEquals(2, completion.wrId());
        assertEquals(0xABCD, completion.imm());
        assertEquals(-1, b.get(2 * STRIDE));
        assertEquals(77, b.get(4_096));
    }

    /** Neither moves a receive behind the others nor lets the limit event come early. */
    @Test
    void writeWithImmediateToABadKeyTakesNoReceive() {
        QueuePair bad = connect();
        QueuePair good = connect();
        for (int i = 0; i < 3; i++) {
            End.ok(post(i));
        }
        srq.setLimit(3);
        SendRequests requests = new SendRequests(1, 1);
        requests.add(9, Opcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED).sge(a.at(0), 8, a.region.lkey())
                .remote(b.at(4_096), b.region.rkey() + 1).imm(5);
        End.ok(bad.postSend(requests));
        assertEquals(WcStatus.REM_ACCESS_ERR, End.next(a.sendCq).status());
        AsyncEvent event = b.context.getAsyncEvent(1_000_000_000L);
        b.context.acknowledge(event);
        assertEquals(QueuePairEvent.Kind.QP_ACCESS_ERR, assertInstanceOf(QueuePairEvent.class, event).kind());
        assertEquals(3, srq.limit());
        srq.setLimit(0);
        for (int i = 0; i < 3; i++) {
            End.ok(send(good, i, i));
            End.expect(a.sendCq, i);
            End.expect(b.recvCq, i);
        }
        b.context.acknowledge(b.context.getAsyncEvent(1_000_000_000L));
    }

    @Test
    void limitFiresOnceWhenFewerAreLeft() {
        QueuePair qp = connect();
        for (int i = 0; i < 10; i++) {
            End.ok(post(i));
        }
        srq.setLimit(7);
        for (int i = 0; i < 3; i++) {
            End.ok(send(qp, i, i));
        }
        assertEquals(7, srq.limit());
        assertNull(b.context.getAsyncEvent(0));
        End.ok(send(qp, 3, 3));
        SharedReceiveQueueEvent event = assertInstanceOf(
                SharedReceiveQueueEvent.class, b.context.getAsyncEvent(1_000_000_000L));
        assertTrue(event.limitReached());
        assertEquals(srq, event.sharedReceiveQueue());
        b.context.acknowledge(event);
        assertEquals(0, srq.limit());
        End.ok(send(qp, 4, 4));
        assertNull(b.context.getAsyncEvent(0));
        assertThrows(VerbsException.class, () -> srq.setLimit(17));
        assertThrows(VerbsException.class, () -> srq.setLimit(-1));
    }

    @Test
    void errorFlushesNothingAndTellsWhenTheLastOneIsTaken() {
        connect();
        End.ok(post(1));
        lastOfB().modify(QueuePairAttributes.toState(QueuePairState.ERR));
        AsyncEvent event = b.context.getAsyncEvent(1_000_000_000L);
        assertEquals(QueuePairEvent.Kind.QP_LAST_WQE_REACHED,
                assertInstanceOf(QueuePairEvent.class, event).kind());
        b.context.acknowledge(event);
        assertEquals(0, b.recvCq.poll(new WorkCompletion()));
        QueuePair other = connect();
        End.ok(send(other, 8, 88));
        End.expect(b.recvCq, 1);
        assertEquals(88, b.get(STRIDE));
    }

    @Test
    void messageTooLongEndsItsReceiveAndBothQueuePairs() {
        QueuePair qp = connect();
        End.ok(srq.postReceive(1, b.at(0), 4, b.region.lkey()));
        End.ok(send(qp, 2, 3));
        assertEquals(WcStatus.REM_INV_REQ_ERR, End.next(a.sendCq).status());
        WorkCompletion completion = End.next(b.recvCq);
        assertEquals(WcStatus.LOC_LEN_ERR, completion.status());
        assertEquals(1, completion.wrId());
        assertEquals(QueuePairState.ERR, lastOfB().state());
        b.context.acknowledge(b.context.getAsyncEvent(1_000_000_000L));
    }

    @Test
    void resetDropsOnlyTheCompletionsOfItsQueuePair() {
        QueuePair first = connect();
        QueuePair second = connect();
        for (int i = 0; i < 4; i++) {
            End.ok(post(i));
        }
        for (int i = 0; i < 4; i++) {
            End.ok(send(i % 2 == 0 ? first : second, i, i));
        }
        queuePairs.get(1).modify(QueuePairAttributes.toState(QueuePairState.RESET));
        assertEquals(1, End.next(b.recvCq).wrId());
        assertEquals(3, End.next(b.recvCq).wrId());
        assertEquals(0, b.recvCq.poll(new WorkCompletion()));
        for (int i = 0; i < 16; i++) {
            End.ok(post(i));
        }
        assertEquals(PostStatus.QUEUE_FULL, post(0));
    }

    @Test
    void resizeKeepsWhatIsPosted() {
        QueuePair qp = connect();
        for (int i = 0; i < 16; i++) {
            End.ok(post(i));
        }
        assertThrows(VerbsException.class, () -> srq.resize(15));
        srq.resize(40);
        assertEquals(40, srq.capacity());
        for (int i = 16; i < 40; i++) {
            End.ok(post(i));
        }
        assertEquals(PostStatus.QUEUE_FULL, post(40));
        for (int i = 0; i < 40; i++) {
            End.ok(send(qp, i, 1_000 + i));
            End.expect(a.sendCq, i);
            End.expect(b.recvCq, i);
            assertEquals(1_000 + i, b.get(i * STRIDE));
        }
        srq.resize(3);
        for (int i = 0; i < 3; i++) {
            End.ok(post(i));
        }
        assertEquals(PostStatus.QUEUE_FULL, post(3));
        assertThrows(VerbsException.class, () -> srq.resize(0));
        assertThrows(VerbsException.class, () -> srq.resize(1 << 20));
    }

    @Test
    void closingIsRefusedWhileAQueuePairDrawsFromIt() {
        connect();
        assertThrows(VerbsException.class, srq::close);
        End.ok(post(1));
        assertThrows(VerbsException.class, b.pd::close);
    }

    @Test
    void noBufferIsLostOrDoubled() {
        storm(10, 2, 200_000);
    }

    /** The proof that the issue asks for: 100 queue pairs, 4 posting threads, ten million messages. */
    @Tag("ci")
    @Test
    void noBufferIsLostOrDoubledInTenMillion() {
        storm(100, 4, 10_000_000);
    }

    /** Senders share the queue pairs, posters the buffers; every buffer is posted again by whoever it came to. */
    private void storm(int pairs, int posters, long messages) {
        int buffers = 512;
        srq.close();
        srq = b.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(buffers, 1, Threading.SAFE));
        CompletionQueue cq = b.context.createCompletionQueue(CompletionQueueConfig.of(4 * buffers));
        QueuePair[] senders = new QueuePair[pairs];
        for (int i = 0; i < pairs; i++) {
            senders[i] = a.pd.createQueuePair(
                    QueuePairConfig.rc(a.sendCq, QueuePairCapabilities.ofDepth(DEPTH)).withRecvCq(a.recvCq));
            QueuePair to = b.pd.createQueuePair(QueuePairConfig.rc(b.sendCq, QueuePairCapabilities.ofDepth(DEPTH))
                    .withRecvCq(cq).withSrq(srq));
            queuePairs.add(senders[i]);
            queuePairs.add(to);
            join(senders[i], to);
        }
        for (int i = 0; i < buffers; i++) {
            End.ok(post(i));
        }
        run(senders, posters, messages, buffers, cq);
        queuePairs.forEach(QueuePair::close);
        cq.close();
    }

    private void run(QueuePair[] senders, int posters, long messages, int buffers, CompletionQueue cq) {
        AtomicLong tickets = new AtomicLong();
        AtomicLong received = new AtomicLong();
        AtomicLong sum = new AtomicLong();
        Crew crew = new Crew();
        for (int t = 0; t < 2; t++) {
            int first = t;
            crew.start("sender " + t, () -> {
                for (int i = first; tickets.get() < messages; i += 2) {
                    long ticket = tickets.incrementAndGet();
                    if (ticket > messages) {
                        return;
                    }
                    // The value travels inline, written by this thread to memory of its own.
                    long offset = 32_768 + first * 64L;
                    a.set(offset, ticket);
                    QueuePair qp = senders[i % senders.length];
                    while (qp.postSend(0, a.at(offset), Long.BYTES, a.region.lkey(), SendFlags.INLINE)
                            == PostStatus.QUEUE_FULL) {
                        Thread.onSpinWait();
                    }
                }
            });
        }
        BitSet busy = new BitSet(buffers);
        busy.set(0, buffers);
        for (int t = 0; t < posters; t++) {
            crew.start("poster " + t, () -> {
                WorkCompletion completion = new WorkCompletion();
                while (received.get() < messages) {
                    if (cq.poll(completion) != 1) {
                        LockSupport.parkNanos(1_000);
                        continue;
                    }
                    int buffer = (int) completion.wrId();
                    synchronized (busy) {
                        assertTrue(busy.get(buffer), "a buffer completed twice: " + completion);
                        busy.clear(buffer);
                    }
                    assertTrue(completion.isSuccess(), completion.toString());
                    sum.addAndGet(b.get(buffer * STRIDE));
                    synchronized (busy) {
                        busy.set(buffer);
                    }
                    End.ok(post(buffer));
                    received.incrementAndGet();
                }
            });
        }
        crew.join(180);
        assertEquals(messages, received.get());
        assertEquals(messages * (messages + 1) / 2, sum.get(), "every message once, every buffer its own");
        assertEquals(PostStatus.QUEUE_FULL, post(0), "all buffers are posted again");
    }
}
