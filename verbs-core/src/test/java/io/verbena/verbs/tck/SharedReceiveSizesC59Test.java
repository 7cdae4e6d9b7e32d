package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creating, resizing and posting to shared receive queues: what is refused, and that it changes nothing. */
@DisplayName("C59 shared receive queue: sizes and arguments")
@Timeout(60)
class SharedReceiveSizesC59Test extends FixtureTest {
    private SharedReceiveQueue create(int maxWr, int maxSge) {
        return fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(maxWr, maxSge, Threading.SAFE)));
    }

    private long limit(DeviceLimit kind) {
        return fixture.a().context().queryDevice().limit(kind);
    }

    private static void invalid(Executable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EINVAL, refusal.errno(), refusal.getMessage());
        assertTrue(refusal.getMessage().length() > 20, refusal.getMessage());
    }

    @Test
    void sizesGrantedAreAtLeastThoseAskedFor() {
        for (int maxWr : new int[] {1, 2, 3, 7, 64, 1000, (int) limit(DeviceLimit.MAX_SRQ_WR)}) {
            for (int maxSge : new int[] {1, 5, (int) limit(DeviceLimit.MAX_SRQ_SGE)}) {
                SharedReceiveQueue srq = create(maxWr, maxSge);
                assertTrue(srq.capacity() >= maxWr && srq.maxSge() >= maxSge, srq.toString());
                assertEquals(0, srq.limit());
                assertEquals(fixture.a().domain(), srq.protectionDomain());
                srq.close();
            }
        }
    }

    @Test
    void absurdSizesAreRefused() {
        int most = (int) limit(DeviceLimit.MAX_SRQ_WR);
        int mostSge = (int) limit(DeviceLimit.MAX_SRQ_SGE);
        for (int maxWr : new int[] {0, -1, Integer.MIN_VALUE, most + 1, Integer.MAX_VALUE}) {
            invalid(() -> create(maxWr, 1));
        }
        for (int maxSge : new int[] {0, -1, mostSge + 1, Integer.MAX_VALUE}) {
            invalid(() -> create(1, maxSge));
        }
        invalid(() -> new SharedReceiveQueueConfig(1, 1, null));
        invalid(() -> fixture.a().domain().createSharedReceiveQueue(null));
    }

    @Test
    void absurdLimitsAreRefusedAndChangeNothing() {
        SharedReceiveQueue srq = create(10, 1);
        srq.setLimit(10);
        for (int limit : new int[] {-1, srq.capacity() + 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            invalid(() -> srq.setLimit(limit));
        }
        assertEquals(10, srq.limit());
        srq.setLimit(0);
        assertEquals(0, srq.limit());
    }

    @Test
    void resizeIsRefusedBelowTheFillingOrTheLimitAndChangesNothing() {
        SharedReceiveQueue srq = create(20, 1);
        for (int i = 0; i < 12; i++) {
            assertEquals(PostStatus.OK, srq.postReceive(i, 0, 0, 0));
        }
        int before = srq.capacity();
        for (int size : new int[] {11, 1, 0, -1, (int) limit(DeviceLimit.MAX_SRQ_WR) + 1}) {
            invalid(() -> srq.resize(size));
            assertEquals(before, srq.capacity());
        }
        srq.setLimit(15);
        invalid(() -> srq.resize(14));
        srq.resize(15);
        assertTrue(srq.capacity() >= 15);
        srq.setLimit(0);
        srq.resize(12);
        assertEquals(PostStatus.QUEUE_FULL, fill(srq));
    }

    private static int fill(SharedReceiveQueue srq) {
        int status = PostStatus.OK;
        for (int i = 0; status == PostStatus.OK && i <= 1 << 16; i++) {
            status = srq.postReceive(i, 0, 0, 0);
        }
        return status;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void everySizeCanBeReachedFromEveryOther(int first) {
        SharedReceiveQueue srq = create(first, 1);
        int most = (int) limit(DeviceLimit.MAX_SRQ_WR);
        for (int size : new int[] {2, 1, 64, 63, 65, 3, 1024, most, 1, most, most - 1}) {
            srq.resize(size);
            assertTrue(srq.capacity() >= size, srq.capacity() + " for " + size);
        }
        for (int i = 0; i < srq.capacity(); i++) {
            assertEquals(PostStatus.OK, srq.postReceive(i, 0, 0, 0), "receive " + i);
        }
        assertEquals(PostStatus.QUEUE_FULL, srq.postReceive(0, 0, 0, 0));
    }

    /** Messages come out in the order of posting across every change of size. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void orderIsKeptAcrossResizes(Threading threading) {
        RemoteSrq srq = RemoteSrq.create(fixture, 4, 1);
        Pair pair = fixture.connected(new PairSpec().threading(threading).depth(512).remoteSrq(srq));
        int posted = 0;
        int taken = 0;
        int polled = 0;
        for (int size : new int[] {5, 9, 40, 17, 200, 100, 33, 300}) {
            for (; posted - polled < srq.query().capacity(); posted++) {
                srq.post(WorkSpec.receive(posted));
            }
            int keep = Math.min(size, posted - polled);
            for (; posted - polled > keep - 2; polled++) {
                pair.post(WorkSpec.send(taken++, Opcode.SEND));
                pair.await(WcStatus.SUCCESS);
                assertEquals(polled, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId(), "before size " + size);
            }
            srq.resize(size);
        }
        for (; polled < posted; polled++) {
            pair.post(WorkSpec.send(taken++, Opcode.SEND));
            pair.await(WcStatus.SUCCESS);
            assertEquals(polled, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        }
    }

    @Test
    void badReceivesAreRefusedAndEarlierOnesOfTheListStayPosted() {
        SharedReceiveQueue srq = create(4, 2);
        Pair pair = fixture.connected(new PairSpec().srq(srq));
        assertEquals(PostStatus.BAD_LENGTH, srq.postReceive(1, 0, -1, 0));
        assertEquals(PostStatus.BAD_LENGTH, srq.postReceive(1, 0, Long.MIN_VALUE, 0));
        ReceiveRequests list = new ReceiveRequests(6, 3);
        list.add(1).add(2).sge(0, 0, 0).sge(0, 0, 0).sge(0, 0, 0).add(3);
        assertEquals(PostStatus.TOO_MANY_SGES, srq.postReceive(list));
        assertEquals(1, list.refusedIndex());
        list.clear().add(2).add(3).sge(0, 1, 0).sge(0, -5, 0);
        assertEquals(PostStatus.BAD_LENGTH, srq.postReceive(list));
        assertEquals(1, list.refusedIndex());
        list.clear().add(3).add(4).add(5);
        assertEquals(PostStatus.QUEUE_FULL, srq.postReceive(list));
        assertEquals(2, list.refusedIndex());
        assertEquals(PostStatus.QUEUE_FULL, list.refusedStatus());
        assertThrows(VerbsException.class, () -> srq.postReceive(null));
        for (int i = 1; i <= 4; i++) {
            pair.postRemote(WorkSpec.send(i, Opcode.SEND));
            assertEquals(i, pair.awaitReceive().wrId());
        }
        list.clear().add(9);
        assertEquals(PostStatus.OK, srq.postReceive(list));
        assertEquals(-1, list.refusedIndex());
    }

    @Test
    void onlyReliableConnectionsAndDatagramsMayDrawFromIt() {
        SharedReceiveQueue srq = create(4, 1);
        CompletionQueue cq = fixture.a().completionQueue(8, false, Threading.SAFE);
        QueuePairSpec spec = new QueuePairSpec();
        invalid(() -> fixture.a().domain()
                .createQueuePair(spec.type(QueuePairType.UC).config(cq, cq).withSrq(srq)));
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UD}) {
            fixture.a().domain().createQueuePair(spec.type(type).config(cq, cq).withSrq(srq)).close();
        }
        srq.close();
        cq.close();
    }

    @Test
    void queueOfAnotherContextOrAClosedOneIsRefused() {
        CompletionQueue cq = fixture.a().completionQueue(8, false, Threading.SAFE);
        SharedReceiveQueue closed = create(4, 1);
        closed.close();
        invalid(() -> fixture.a().domain().createQueuePair(new QueuePairSpec().config(cq, cq).withSrq(closed)));
        try (Fixture other = new Fixture()) {
            SharedReceiveQueue foreign = other.a().keep(other.a().domain()
                    .createSharedReceiveQueue(new SharedReceiveQueueConfig(1, 1, Threading.SAFE)));
            invalid(() -> fixture.a().domain().createQueuePair(new QueuePairSpec().config(cq, cq).withSrq(foreign)));
        }
    }

    @Test
    void closedQueueSaysSo() {
        SharedReceiveQueue srq = create(4, 1);
        srq.close();
        srq.close();
        assertEquals(PostStatus.CLOSED, srq.postReceive(1, 0, 0, 0));
        assertEquals(PostStatus.CLOSED, srq.postReceive(new ReceiveRequests(1, 1).add(1)));
        invalid(() -> srq.setLimit(1));
        invalid(() -> srq.resize(8));
    }

    /** The sizes of a receive queue of its own mean nothing to a queue pair with a shared one. */
    @Test
    void queuePairNeedsNoReceivesOfItsOwn() {
        SharedReceiveQueue srq = create(4, 1);
        CompletionQueue cq = fixture.a().completionQueue(16, false, Threading.SAFE);
        QueuePairSpec spec = new QueuePairSpec().depth(4, 0);
        var qp = fixture.a().keep(fixture.a().domain().createQueuePair(spec.config(cq, cq).withSrq(srq)));
        assertEquals(srq, qp.sharedReceiveQueue());
        assertEquals(PostStatus.OK, srq.postReceive(1, 0, 0, 0));
        assertNull(fixture.connected().qp().sharedReceiveQueue());
    }

    @Test
    void receivesMayBePostedBeforeAnyQueuePairExistsAndOutliveAll() {
        RemoteSrq srq = RemoteSrq.create(fixture, 8, 1);
        RemoteBuffer buffer = fixture.remote(64, MemoryKind.DEVICE);
        for (int i = 0; i < 8; i++) {
            srq.post(WorkSpec.receive(i).sge(buffer.address(), 64, buffer.lkey()));
        }
        for (int i = 0; i < 8; i++) {
            Pair pair = fixture.connected(new PairSpec().remoteSrq(srq));
            pair.post(WorkSpec.send(i, Opcode.SEND));
            assertEquals(i, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
            pair.await(WcStatus.SUCCESS);
            pair.modifyRemote(QueuePairState.ERR);
            fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
        }
        srq.close();
    }
}
