package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists posted as a whole or not at all (C60): what the extended post interface of libibverbs promises. */
@ParameterizedClass
@EnumSource
class PostAllTest {
    private static final int DEPTH = 64;

    private final Threading threading;
    private final TwoEnds ends;
    private final SendRequests list = new SendRequests(2 * DEPTH, 1);

    PostAllTest(Threading threading) {
        this.threading = threading;
        ends = new TwoEnds(Setup.of(threading, DEPTH));
    }

    @AfterEach
    void close() {
        ends.close();
    }

    private SendRequests write(int count) {
        list.clear();
        for (int i = 0; i < count; i++) {
            addWrite(i);
        }
        return list;
    }

    private void addWrite(int wrId) {
        list.add(wrId, Opcode.RDMA_WRITE, SendFlags.SIGNALED).sge(ends.a.at(0), 8, ends.a.region.lkey())
                .remote(ends.b.at(8L * wrId), ends.b.region.rkey());
    }

    private void nothingHappened() {
        assertEquals(0, ends.a.sendCq.poll(new WorkCompletion()));
        for (int i = 0; i < DEPTH; i++) {
            assertEquals(0, ends.b.get(8L * i));
        }
    }

    @Test
    void allAreDoneInOrder() {
        ends.a.set(0, 7);
        for (int round = 0; round < 5; round++) {
            End.ok(ends.a.qp.postAll(write(DEPTH)));
            assertEquals(-1, list.refusedIndex());
            for (int i = 0; i < DEPTH; i++) {
                End.expect(ends.a.sendCq, i);
                assertEquals(7, ends.b.get(8L * i));
            }
        }
        End.ok(ends.a.qp.postAll(list.clear()));
    }

    @Test
    void oneBadRequestKeepsAllFromBeingPosted() {
        ends.a.set(0, 7);
        write(3).add(9, Opcode.ATOMIC_FETCH_AND_ADD, 0).sge(ends.a.at(0), 8, ends.a.region.lkey())
                .remote(ends.b.at(4), ends.b.region.rkey());
        assertEquals(PostStatus.ATOMIC_MISALIGNED, ends.a.qp.postAll(list));
        assertEquals(3, list.refusedIndex());
        nothingHappened();
        write(2).add(9, Opcode.RDMA_WRITE, SendFlags.INLINE).sge(1 << 20, 8, 12345)
                .remote(ends.b.at(0), ends.b.region.rkey());
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, ends.a.qp.postAll(list));
        assertEquals(2, list.refusedIndex());
        nothingHappened();
        End.ok(ends.a.qp.postAll(write(1)));
        End.expect(ends.a.sendCq, 0);
        assertThrows(VerbsException.class, () -> ends.a.qp.postAll(null));
    }

    @Test
    void withoutRoomForAllNoneIsPosted() {
        assertEquals(PostStatus.QUEUE_FULL, ends.a.qp.postAll(write(DEPTH + 1)));
        nothingHappened();
        End.ok(ends.a.qp.postAll(write(DEPTH - 1)));
        assertEquals(PostStatus.QUEUE_FULL, ends.a.qp.postAll(write(2)));
        for (int i = 0; i < DEPTH - 1; i++) {
            End.expect(ends.a.sendCq, i);
        }
        assertEquals(0, ends.a.sendCq.poll(new WorkCompletion()));
    }

    @Test
    void abortingLeavesNothing() {
        write(5).clear();
        End.ok(ends.a.qp.postAll(list));
        nothingHappened();
    }

    @Test
    void aListThatHasToWaitKeepsItsOrder() {
        ends.a.set(0, 7);
        list.clear().add(100, Opcode.SEND, SendFlags.SIGNALED).sge(ends.a.at(0), 8, ends.a.region.lkey());
        for (int i = 0; i < 40; i++) {
            addWrite(i);
        }
        End.ok(ends.a.qp.postAll(list)); // no receive is posted: nothing may overtake the SEND
        nothingHappened();
        End.ok(ends.b.receive(1, 4_096, 64));
        End.expect(ends.a.sendCq, 100);
        for (int i = 0; i < 40; i++) {
            End.expect(ends.a.sendCq, i);
        }
        End.expect(ends.b.recvCq, 1);
        End.ok(ends.a.write(5, 0, 8, ends.b));
        End.expect(ends.a.sendCq, 5);
    }

    @Test
    void aListRefusedWhileAnEarlierRequestWaitsTakesNoSlots() {
        End.ok(ends.a.send(100, 0, 8)); // no receive is posted: it waits
        write(DEPTH - 2).add(9, Opcode.RDMA_WRITE, SendFlags.INLINE).sge(1 << 20, 8, 12345)
                .remote(ends.b.at(0), ends.b.region.rkey());
        assertEquals(PostStatus.INLINE_NOT_REGISTERED, ends.a.qp.postAll(list));
        assertEquals(DEPTH - 2, list.refusedIndex());
        End.ok(ends.a.qp.postAll(write(DEPTH - 1)));
        assertEquals(PostStatus.QUEUE_FULL, ends.a.qp.postAll(write(1)));
        nothingHappened();
        End.ok(ends.b.receive(1, 4_096, 64));
        End.expect(ends.a.sendCq, 100);
        for (int i = 0; i < DEPTH - 1; i++) {
            End.expect(ends.a.sendCq, i);
        }
    }

    @Test
    void listsOfSeveralThreadsDoNotMix() {
        assumeTrue(threading == Threading.SAFE, "a single-threaded queue pair has one poster");
        try (Crew crew = new Crew()) {
            for (int t = 0; t < 2; t++) {
                int first = 1_000 * t;
                crew.start("poster " + t, () -> {
                    SendRequests own = new SendRequests(4, 1);
                    for (int round = 0; round < 2_000; round++) {
                        own.clear();
                        for (int i = 0; i < 4; i++) {
                            own.add(first + i, Opcode.RDMA_WRITE, SendFlags.SIGNALED)
                                    .sge(ends.a.at(0), 8, ends.a.region.lkey())
                                    .remote(ends.b.at(0), ends.b.region.rkey());
                        }
                        while (ends.a.qp.postAll(own) == PostStatus.QUEUE_FULL) {
                            Thread.yield();
                        }
                    }
                });
            }
            crew.start("poller", () -> {
                for (int list = 0; list < 4_000; list++) {
                    long first = End.next(ends.a.sendCq).wrId();
                    assertEquals(0, first % 1_000);
                    for (int i = 1; i < 4; i++) {
                        End.expect(ends.a.sendCq, first + i);
                    }
                }
            });
        }
    }
}
