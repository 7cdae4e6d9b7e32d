package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.CompletionQueueSnapshot.Arming;
import io.verbena.verbs.CompletionQueueSnapshot;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairSnapshot;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What queue pairs and completion queues tell about their rings at each stage of a work request's life. */
class SnapshotTest {
    private static final int DEPTH = 8;

    @ParameterizedTest
    @EnumSource
    void countsEveryStageOfSendsAndReceives(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH))) {
            assertEquals(new QueuePairSnapshot(0, 0, 0, 0, 0, 0, 0), ends.a.qp.snapshot());
            End.ok(ends.a.write(1, 0, 64, ends.b));
            End.ok(ends.a.qp.postWrite(2, ends.a.at(0), 64, ends.a.region.lkey(), ends.b.at(0),
                    ends.b.region.rkey(), 0));
            assertEquals(new QueuePairSnapshot(2, 2, 1, 0, 0, 0, 0), ends.a.qp.snapshot());
            assertEquals(1, ends.a.sendCq.snapshot().waiting());
            End.expect(ends.a.sendCq, 1);
            assertEquals(new QueuePairSnapshot(2, 2, 1, 1, 0, 0, 0), ends.a.qp.snapshot());

            End.ok(ends.b.receive(3, 0, 64));
            End.ok(ends.b.receive(4, 64, 64));
            End.ok(ends.a.send(5, 0, 8));
            assertEquals(new QueuePairSnapshot(0, 0, 0, 0, 2, 1, 0), ends.b.qp.snapshot());
            assertEquals(new CompletionQueueSnapshot(1, Arming.NOT_ARMED, false), ends.b.recvCq.snapshot());
            End.expect(ends.b.recvCq, 3);
            assertEquals(new QueuePairSnapshot(0, 0, 0, 0, 2, 1, 1), ends.b.qp.snapshot());
        }
    }

    @ParameterizedTest
    @EnumSource
    void showsSendsThatWaitForAReceiver(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH).withRnrRetry(7))) {
            End.ok(ends.a.send(1, 0, 8));
            End.ok(ends.a.send(2, 0, 8));
            assertEquals(new QueuePairSnapshot(2, 0, 0, 0, 0, 0, 0), ends.a.qp.snapshot());
            End.ok(ends.b.receive(3, 0, 64));
            End.expect(ends.a.sendCq, 1);
            assertEquals(new QueuePairSnapshot(2, 1, 1, 1, 0, 0, 0), ends.a.qp.snapshot());
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsFlushedReceivesAsCompleted(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH))) {
            End.ok(ends.b.receive(1, 0, 64));
            End.ok(ends.b.receive(2, 0, 64));
            ends.b.modify(QueuePairState.ERR);
            assertEquals(1, End.next(ends.b.recvCq).wrId());
            assertEquals(new QueuePairSnapshot(0, 0, 0, 0, 2, 2, 1), ends.b.qp.snapshot());
            assertEquals(1, ends.b.recvCq.snapshot().waiting());
        }
    }

    @ParameterizedTest
    @EnumSource
    void countsWhatAResetDropsAsPolled(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH))) {
            End.ok(ends.a.write(1, 0, 64, ends.b));
            End.ok(ends.a.receive(2, 0, 64));
            ends.reconnect();
            assertEquals(new QueuePairSnapshot(1, 1, 1, 1, 1, 1, 1), ends.a.qp.snapshot());
            assertEquals(0, ends.a.sendCq.snapshot().waiting());
        }
    }

    @Test
    void countsReceivesOfDatagramsInTheSameWay() {
        try (Context context = Devices.open("soft"); ProtectionDomain pd = context.allocateProtectionDomain();
                CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(DEPTH));
                QueuePair qp = pd.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(DEPTH))
                        .withType(QueuePairType.UD))) {
            for (int round = 1; round <= 2; round++) {
                qp.modify(QueuePairAttributes.toState(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(1));
                End.ok(qp.postReceive(1, 0, 0, 0));
                End.ok(qp.postReceive(2, 0, 0, 0));
                int before = 4 * (round - 1);
                assertEquals(new QueuePairSnapshot(0, 0, 0, 0, before + 2, before, before), qp.snapshot());
                qp.modify(QueuePairAttributes.toState(QueuePairState.ERR));
                End.next(cq);
                assertEquals(new QueuePairSnapshot(0, 0, 0, 0, before + 2, before + 2, before + 1), qp.snapshot());
                assertEquals(1, cq.snapshot().waiting());
                End.next(cq);
                qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
                qp.modify(QueuePairAttributes.toState(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(1));
                End.ok(qp.postReceive(3, 0, 0, 0));
                End.ok(qp.postReceive(4, 0, 0, 0));
                qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
                assertEquals(new QueuePairSnapshot(0, 0, 0, 0, before + 4, before + 4, before + 4), qp.snapshot());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void tellsWhatTheQueueIsArmedForAndThatItFailed(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH).withCqe(2).withEvents())) {
            End.ok(ends.a.sendCq.arm(true));
            assertEquals(Arming.SOLICITED_ONLY, ends.a.sendCq.snapshot().arming());
            End.ok(ends.a.sendCq.arm(false));
            assertEquals(Arming.ANY, ends.a.sendCq.snapshot().arming());
            for (int i = 0; i < 3; i++) {
                End.ok(ends.a.write(i, 0, 8, ends.b));
            }
            assertEquals(new CompletionQueueSnapshot(2, Arming.NOT_ARMED, true), ends.a.sendCq.snapshot());
        }
    }

    @ParameterizedTest
    @EnumSource
    void isRefusedOnceClosed(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, DEPTH))) {
            ends.a.qp.close();
            VerbsException e = assertThrows(VerbsException.class, ends.a.qp::snapshot);
            assertEquals(Errno.EINVAL, e.errno());
            ends.a.sendCq.close();
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, ends.a.sendCq::snapshot).errno());
        }
    }
}
