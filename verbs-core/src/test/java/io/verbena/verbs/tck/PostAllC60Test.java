package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists posted as a whole or not at all: what the extended post interface of libibverbs promises. */
@DisplayName("C60 lists all or none")
@Timeout(60)
class PostAllC60Test extends FixtureTest {
    private static final int DEPTH = 64;
    private static final int BYTES = 8;
    private static final int PER_LIST = 4;
    private static final int LISTS = 2_000;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;
    private SendRequests list;
    /** Sends that the queue pair really takes. */
    private int granted;

    private void prepare(PairSpec spec) {
        pair = fixture.connected(spec.depth(DEPTH));
        granted = pair.qp().capabilities().maxSendWr();
        local = fixture.local(BYTES, MemoryKind.DEVICE);
        remote = fixture.remote(BYTES * (granted + 1L), MemoryKind.DEVICE);
        remote.fill(1);
        local.setLong(0, 7);
        list = new SendRequests(granted + 1, 1);
    }

    private void prepare(Threading threading) {
        prepare(new PairSpec().threading(threading));
    }

    /** The list with so many WRITEs and no more, each to a place of its own. */
    private SendRequests writes(int count) {
        list.clear();
        for (int i = 0; i < count; i++) {
            addWrite(list, i, i);
        }
        return list;
    }

    private void addWrite(SendRequests to, long wrId, int place) {
        to.add(wrId, Opcode.RDMA_WRITE, SendFlags.SIGNALED).sge(local.address(), BYTES, local.lkey())
                .remote(remote.address() + (long) BYTES * place, remote.rkey());
    }

    private void nothingHappened() {
        pair.expectNoCompletion();
        remote.check(0, remote.length(), 1, "after a list that was not posted");
    }

    private void awaitAll(long first, int count) {
        List<Completion> done = pair.await(count);
        assertEquals(LongStream.range(first, first + count).boxed().toList(),
                done.stream().map(Completion::wrId).toList());
        assertTrue(done.stream().allMatch(completion -> completion.status() == WcStatus.SUCCESS), done::toString);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void allAreDoneInOrder(Threading threading) {
        prepare(threading);
        for (int round = 1; round <= 5; round++) {
            local.setLong(0, round);
            assertEquals(PostStatus.OK, pair.qp().postAll(writes(granted)));
            assertEquals(-1, list.refusedIndex());
            awaitAll(0, granted);
            for (int i = 0; i < granted; i++) {
                assertEquals(round, remote.getLong((long) BYTES * i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void oneBadRequestKeepsAllFromBeingPosted(Threading threading) {
        prepare(threading);
        writes(3).add(9, Opcode.ATOMIC_FETCH_AND_ADD, 0).sge(local.address(), BYTES, local.lkey())
                .remote(remote.address() + 4, remote.rkey());
        assertEquals(PostStatus.ATOMIC_MISALIGNED, pair.qp().postAll(list));
        assertEquals(3, list.refusedIndex());
        assertEquals(PostStatus.ATOMIC_MISALIGNED, list.refusedStatus());
        nothingHappened();
        writes(2).add(9, Opcode.RDMA_WRITE, SendFlags.INLINE).sge(8, BYTES, local.lkey())
                .remote(remote.address(), remote.rkey());
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, pair.qp().postAll(list));
        assertEquals(2, list.refusedIndex());
        nothingHappened();
        assertEquals(PostStatus.OK, pair.qp().postAll(writes(1)));
        awaitAll(0, 1);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void withoutRoomForAllNoneIsPosted(Threading threading) {
        prepare(threading);
        assertEquals(PostStatus.QUEUE_FULL, pair.qp().postAll(writes(granted + 1)));
        nothingHappened();
        assertEquals(PostStatus.OK, pair.qp().postAll(writes(granted - 1)));
        assertEquals(PostStatus.QUEUE_FULL, pair.qp().postAll(writes(2)));
        awaitAll(0, granted - 1);
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void abortingLeavesNothing(Threading threading) {
        prepare(threading);
        writes(5).clear();
        assertEquals(PostStatus.OK, pair.qp().postAll(list));
        nothingHappened();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void aListThatHasToWaitKeepsItsOrder(Threading threading) {
        prepare(threading);
        int behind = granted / 2;
        list.clear().add(100, Opcode.SEND, SendFlags.SIGNALED).sge(local.address(), BYTES, local.lkey());
        for (int i = 0; i < behind; i++) {
            addWrite(list, 101 + i, i);
        }
        assertEquals(PostStatus.OK, pair.qp().postAll(list)); // no receive is posted: nothing may overtake the SEND
        nothingHappened();
        pair.postRemoteReceive(1, remote, (long) BYTES * granted, BYTES);
        awaitAll(100, behind + 1);
        assertEquals(1, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
        assertEquals(PostStatus.OK, pair.qp().postAll(writes(1)));
        awaitAll(0, 1);
    }

    @ParameterizedTest
    @CsvSource({"UC, SINGLE", "UC, SAFE", "UD, SINGLE", "UD, SAFE"})
    void unreliableServicesPostAllOrNoneToo(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        prepare(spec);
        RemoteBuffer sink = fixture.remote(3L * (spec.header() + BYTES), MemoryKind.DEVICE);
        for (int i = 0; i < 3; i++) {
            pair.postRemoteReceive(i, sink, (long) (spec.header() + BYTES) * i, spec.header() + BYTES);
        }
        assertEquals(PostStatus.BAD_OPCODE, pair.qp().postAll(pair.list(send(1), send(2),
                WorkSpec.send(3, Opcode.RDMA_READ).sge(local.address(), BYTES, local.lkey()))));
        pair.expectNoRemoteReceive();
        nothingHappened();
        assertEquals(PostStatus.OK, pair.qp().postAll(pair.list(send(1), send(2), send(3))));
        awaitAll(1, 3);
        for (int i = 0; i < 3; i++) {
            assertEquals(i, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
            assertEquals(7, sink.getLong((long) (spec.header() + BYTES) * i + spec.header()));
        }
    }

    private WorkSpec send(long wrId) {
        return WorkSpec.send(wrId, Opcode.SEND).sge(local.address(), BYTES, local.lkey());
    }

    @Test
    void noListIsRefusedClearly() {
        prepare(Threading.SAFE);
        assertThrows(VerbsException.class, () -> pair.qp().postAll(null));
        nothingHappened();
    }

    /** What one thread posts as a list comes out as it went in, whatever the other thread posts meanwhile. */
    @Test
    void listsOfSeveralThreadsDoNotMix() {
        prepare(Threading.SAFE);
        try (Threads threads = new Threads()) {
            for (int t = 0; t < 2; t++) {
                long first = 1_000L * t;
                threads.start("poster" + t, () -> {
                    SendRequests own = new SendRequests(PER_LIST, 1);
                    for (int i = 0; i < PER_LIST; i++) {
                        addWrite(own, first + i, 0);
                    }
                    for (int i = 0; i < LISTS; i++) {
                        assertTrue(Waiting.until(() -> pair.qp().postAll(own) == PostStatus.OK, Waiting.LIMIT_NANOS),
                                () -> PostStatus.describe(own.refusedStatus()));
                    }
                    return null;
                });
            }
            threads.start("poller", () -> {
                for (int i = 0; i < 2 * LISTS; i++) {
                    List<Completion> one = pair.await(PER_LIST);
                    long first = one.getFirst().wrId();
                    assertEquals(0, first % 1_000, one.toString());
                    assertEquals(LongStream.range(first, first + PER_LIST).boxed().toList(),
                            one.stream().map(Completion::wrId).toList());
                }
                return null;
            });
        }
    }
}
