package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Unreliable connections: what arrives, and that what does not is lost without a word (C61 without a wire). */
@ParameterizedClass
@EnumSource
class UnreliableConnectionTest {
    private final End a;
    private final End b;
    private final QueuePair from;
    private final QueuePair to;

    UnreliableConnectionTest(Threading threading) {
        a = new End("soft", Setup.of(threading, 16));
        b = new End("soft", Setup.of(threading, 16));
        from = open(a, threading);
        to = open(b, threading);
        bringUp(from, b, to, 100, 9);
        bringUp(to, a, from, 200, 9);
    }

    private static QueuePair open(End end, Threading threading) {
        return end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(16))
                .withRecvCq(end.recvCq).withType(QueuePairType.UC).withThreading(threading));
    }

    /** The packet sequence numbers of the two ends differ: the first message sets them right. */
    private static void bringUp(QueuePair qp, End peer, QueuePair other, int sqPsn, int rqPsn) {
        QueuePairAttributes ready = QueuePairAttributes.readyToReceive(
                new QueuePairEndpoint(peer.context.queryGid(1, 0).gid(), other.qpNum(), rqPsn));
        qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR).addressVector(ready.addressVector())
                .pathMtu(ready.pathMtu()).destQpNum(other.qpNum()).rqPsn(rqPsn));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(sqPsn));
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
        a.close();
        b.close();
    }

    private int send(long wrId, long length) {
        return from.postSend(wrId, a.at(0), length, a.region.lkey(), SendFlags.SIGNALED);
    }

    private int receive(long wrId, long length) {
        return to.postReceive(wrId, b.at(0), length, b.region.lkey());
    }

    @Test
    void messagesAndWritesArrive() {
        a.set(0, 5);
        for (int i = 0; i < 40; i++) {
            End.ok(receive(i, 64));
            End.ok(send(i, 8));
            End.expect(a.sendCq, i);
            End.expect(b.recvCq, i);
            assertEquals(5, b.get(0));
        }
        End.ok(from.postWrite(50, a.at(0), 8, a.region.lkey(), b.at(512), b.region.rkey(), SendFlags.SIGNALED));
        End.expect(a.sendCq, 50);
        assertEquals(5, b.get(512));
        assertEquals(141, from.query().sqPsn());
        assertEquals(141, to.query().rqPsn());
    }

    @Test
    void whatCannotBeTakenIsLost() {
        End.ok(send(1, 8)); // no receive
        End.expect(a.sendCq, 1);
        End.ok(receive(1, 4));
        End.ok(send(2, 8)); // too long for it
        End.expect(a.sendCq, 2);
        b.set(64, -1);
        End.ok(from.postWrite(3, a.at(0), 8, a.region.lkey(), b.at(64), b.region.rkey() + 1, SendFlags.SIGNALED));
        End.expect(a.sendCq, 3);
        assertEquals(-1, b.get(64));
        assertEquals(0, b.recvCq.poll(new WorkCompletion()));
        assertEquals(QueuePairState.RTS, to.state());
        End.ok(send(4, 4)); // the receive was left for this one
        End.expect(b.recvCq, 1);
    }

    @Test
    void withoutAPeerEverythingSucceedsAndIsLost() {
        to.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        for (int i = 0; i < 20; i++) {
            End.ok(send(i, 8));
            End.expect(a.sendCq, i);
        }
        assertEquals(QueuePairState.RTS, from.state());
    }

    @Test
    void aLocalErrorStopsSendsOnly() {
        End.ok(from.postSend(1, a.at(0), 8, a.region.lkey() + 1, SendFlags.SIGNALED));
        assertEquals(WcStatus.LOC_PROT_ERR, End.next(a.sendCq).status());
        assertEquals(QueuePairState.SQE, from.state());
        End.ok(send(2, 8));
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(a.sendCq).status());
        End.ok(from.postReceive(3, a.at(0), 64, a.region.lkey()));
        End.ok(to.postSend(4, b.at(0), 8, b.region.lkey(), SendFlags.SIGNALED));
        End.expect(b.sendCq, 4);
        End.expect(a.recvCq, 3);
        from.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        End.ok(receive(5, 64));
        End.ok(send(6, 8));
        End.expect(a.sendCq, 6);
        End.expect(b.recvCq, 5);
    }

    @Test
    void readsAndAtomicsAreNotOffered() {
        assertEquals(PostStatus.BAD_OPCODE, from.postRead(1, a.at(0), 8, a.region.lkey(), b.at(0), b.region.rkey(), 0));
        assertEquals(PostStatus.BAD_OPCODE,
                from.postFetchAndAdd(1, a.at(0), a.region.lkey(), b.at(0), b.region.rkey(), 1, 0));
        SendRequests requests = new SendRequests(1, 1);
        requests.add(1, Opcode.ATOMIC_CMP_AND_SWP, 0).sge(a.at(0), 8, a.region.lkey()).remote(b.at(0), 1);
        assertEquals(PostStatus.BAD_OPCODE, from.postSend(requests));
        try (SharedReceiveQueue srq = a.pd.createSharedReceiveQueue(
                new SharedReceiveQueueConfig(1, 1, Threading.SAFE))) {
            QueuePairConfig config = QueuePairConfig.rc(a.sendCq, QueuePairCapabilities.ofDepth(4))
                    .withType(QueuePairType.UC).withSrq(srq);
            assertThrows(VerbsException.class, () -> a.pd.createQueuePair(config));
        }
    }
}
