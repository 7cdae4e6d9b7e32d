package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Full queues, too many scatter/gather entries, and what a list tells about the request that was refused. */
@DisplayName("C03 queue limits")
@Timeout(60)
class QueueLimitsC03Test extends FixtureTest {
    private static final int DEPTH = 8;

    private Pair pair(Threading threading) {
        return fixture.connected(new PairSpec().depth(DEPTH).maxSge(2).threading(threading));
    }

    private static List<Long> ids(List<Completion> completions) {
        return completions.stream().map(Completion::wrId).toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void fullReceiveQueueIsReported(Threading threading) {
        Pair pair = pair(threading);
        int granted = pair.qp().capabilities().maxRecvWr();
        for (int i = 0; i < granted; i++) {
            assertEquals(PostStatus.OK, pair.qp().postReceive(i, 0, 0, 0), "receive " + i + " of " + granted);
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.qp().postReceive(99, 0, 0, 0));
        assertEquals(Errno.ENOMEM, PostStatus.errno(PostStatus.QUEUE_FULL));
        pair.postRemote(WorkSpec.send(1, Opcode.SEND));
        assertEquals(0, pair.awaitReceive().wrId());
        assertEquals(PostStatus.OK, pair.qp().postReceive(100, 0, 0, 0), "one place is free again");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void fullSendQueueIsReportedAndEmptiesAgain(Threading threading) {
        Pair pair = pair(threading);
        int granted = pair.qp().capabilities().maxSendWr();
        for (int i = 0; i < granted; i++) {
            assertEquals(PostStatus.OK, pair.tryPost(WorkSpec.send(i, Opcode.SEND)), "send " + i + " of " + granted);
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(WorkSpec.send(99, Opcode.SEND)));
        for (int i = 0; i < granted; i++) {
            pair.postRemoteReceive(WorkSpec.receive(i));
        }
        assertEquals(range(0, granted), ids(pair.await(granted)));
        assertEquals(range(0, granted), ids(pair.awaitRemoteReceives(granted)));
        pair.postRemoteReceive(WorkSpec.receive(7));
        pair.post(WorkSpec.send(7, Opcode.SEND));
        assertEquals(7, pair.await(WcStatus.SUCCESS).wrId());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void signalledSendHoldsItsPlaceUntilPolled(Threading threading) {
        Pair pair = pair(threading);
        int granted = pair.qp().capabilities().maxSendWr();
        for (int i = 0; i < granted; i++) {
            pair.post(WorkSpec.send(i, Opcode.RDMA_WRITE));
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(WorkSpec.send(99, Opcode.RDMA_WRITE)));
        assertEquals(0, pair.await().wrId());
        pair.post(WorkSpec.send(granted, Opcode.RDMA_WRITE));
        assertEquals(range(1, granted + 1), ids(pair.await(granted)));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void tooManyEntriesAreRefused(Threading threading) {
        Pair pair = pair(threading);
        int sends = pair.qp().capabilities().maxSendSge();
        int receives = pair.qp().capabilities().maxRecvSge();
        assertTrue(sends >= 2 && receives >= 2);
        Buffer buffer = fixture.local(4096, MemoryKind.DEVICE);
        WorkSpec send = WorkSpec.send(1, Opcode.SEND);
        for (int i = 0; i <= sends; i++) {
            send.sge(buffer.address() + i, 1, buffer.lkey());
        }
        assertEquals(PostStatus.TOO_MANY_SGES, pair.tryPost(send));
        WorkSpec receive = WorkSpec.receive(1);
        for (int i = 0; i <= receives; i++) {
            receive.sge(buffer.address() + i, 1, buffer.lkey());
        }
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postReceive(WorkSpec.receives(List.of(receive))));
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairWithoutEntriesTakesEmptyMessagesOnly(Threading threading) {
        PairSpec spec = new PairSpec().threading(threading);
        spec.a().maxSge(0);
        Pair pair = fixture.connected(spec);
        Assumptions.assumeTrue(pair.qp().capabilities().maxSendSge() == 0, "optional: the device grants more");
        Buffer local = fixture.local(64, MemoryKind.DEVICE);
        RemoteBuffer remote = fixture.remote(64, MemoryKind.DEVICE);
        int flags = SendFlags.SIGNALED;
        for (int size : new int[] {1, 8, 64}) {
            assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postSend(1, local.address(), size, local.lkey(), flags));
            assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postWrite(1, local.address(), size, local.lkey(),
                    remote.address(), remote.rkey(), flags));
            assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postRead(1, local.address(), size, local.lkey(),
                    remote.address(), remote.rkey(), flags));
            assertEquals(PostStatus.TOO_MANY_SGES,
                    pair.qp().postReceive(1, local.address(), size, local.lkey()));
        }
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postFetchAndAdd(1, local.address(), local.lkey(),
                remote.address(), remote.rkey(), 1, flags));
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE));
        assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void asManyEntriesAsGrantedAreTaken(Threading threading) {
        Pair pair = pair(threading);
        Buffer buffer = fixture.local(4096, MemoryKind.DEVICE).fill(3);
        RemoteBuffer target = fixture.remote(4096, MemoryKind.DEVICE);
        int granted = pair.qp().capabilities().maxSendSge();
        WorkSpec write = WorkSpec.send(1, Opcode.RDMA_WRITE).remote(target.address(), target.rkey());
        for (int i = 0; i < granted; i++) {
            write.sge(buffer.address() + i * 8L, 8, buffer.lkey());
        }
        pair.post(write);
        pair.await(WcStatus.SUCCESS);
        target.check(0, granted * 8L, 3, "gathered");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void listOfSendsStopsAtTheFirstRefusedRequest(Threading threading) {
        Pair pair = pair(threading);
        Buffer buffer = fixture.local(4096, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE);
        int tooMany = pair.qp().capabilities().maxSendSge() + 1;
        SendRequests list = new SendRequests(5, tooMany);
        for (int i = 0; i < 5; i++) {
            list.add(i, Opcode.RDMA_WRITE, SendFlags.SIGNALED)
                    .remote(target.address(), target.rkey());
            for (int entry = 0; entry < (i == 2 ? tooMany : 1); entry++) {
                list.sge(buffer.address(), 1, buffer.lkey());
            }
        }
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postSend(list));
        assertEquals(2, list.refusedIndex());
        assertEquals(PostStatus.TOO_MANY_SGES, list.refusedStatus());
        assertEquals(range(0, 2), ids(pair.await(2)));
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void listLongerThanTheQueueIsTakenUpToThePlaces(Threading threading) {
        Pair pair = pair(threading);
        int granted = pair.qp().capabilities().maxSendWr();
        SendRequests list = new SendRequests(granted + 3, 0);
        for (int i = 0; i < granted + 3; i++) {
            list.add(i, Opcode.SEND, SendFlags.SIGNALED);
        }
        assertEquals(PostStatus.QUEUE_FULL, pair.qp().postSend(list));
        assertEquals(granted, list.refusedIndex());
        for (int i = 0; i < granted; i++) {
            pair.postRemoteReceive(WorkSpec.receive(i));
        }
        assertEquals(range(0, granted), ids(pair.await(granted)));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void listOfReceivesStopsAtTheFirstRefusedRequest(Threading threading) {
        Pair pair = pair(threading);
        int tooMany = pair.qp().capabilities().maxRecvSge() + 1;
        ReceiveRequests list = new ReceiveRequests(4, tooMany);
        list.add(0).add(1).add(2);
        for (int entry = 0; entry < tooMany; entry++) {
            list.sge(1, 0, 0);
        }
        list.add(3);
        assertEquals(PostStatus.TOO_MANY_SGES, pair.qp().postReceive(list));
        assertEquals(2, list.refusedIndex());
        pair.modify(QueuePairState.ERR);
        assertEquals(0, pair.awaitReceive().wrId());
        assertEquals(1, pair.awaitReceive().wrId());
        assertEquals(0, pair.recvCq().poll(new WorkCompletion()));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void successfulListSaysThatNothingWasRefused(Threading threading) {
        Pair pair = pair(threading);
        SendRequests list = new SendRequests(1, 0).add(1, Opcode.RDMA_WRITE, SendFlags.SIGNALED);
        list.setRefused(0, PostStatus.BAD_FLAGS);
        assertEquals(PostStatus.OK, pair.qp().postSend(list));
        assertEquals(-1, list.refusedIndex());
        assertEquals(PostStatus.OK, list.refusedStatus());
        pair.await(WcStatus.SUCCESS);
    }
}
