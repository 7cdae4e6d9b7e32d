package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
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
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory windows beyond plain RC: unreliable connections, shared receive queues, and what datagrams refuse. */
class WindowServicesTest {
    private static final int DEPTH = 16;

    private final End a = new End("soft", Setup.of(Threading.SAFE, DEPTH));
    private final End b = new End("soft", Setup.of(Threading.SAFE, DEPTH));
    private final MemoryRegion region = b.pd.register(b.memory.segment(), Access.LOCAL_WRITE | Access.MW_BIND);
    private final MemoryWindow window = b.pd.allocateMemoryWindow(Type.TYPE_2);
    private final SendRequests list = new SendRequests(1, 1);
    private final SharedReceiveQueue srq =
            b.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(DEPTH, 1, Threading.SAFE));
    private QueuePair from;
    private QueuePair to;

    @AfterEach
    void close() {
        from.close();
        to.close();
        srq.close();
        window.close();
        region.close();
        a.close();
        b.close();
    }

    private static QueuePair open(End end, UnaryOperator<QueuePairConfig> change) {
        return end.pd.createQueuePair(change.apply(
                QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(DEPTH)).withRecvCq(end.recvCq)));
    }

    private static void bringUp(QueuePair qp, End peer, QueuePair other) {
        QueuePairAttributes ready = QueuePairAttributes.readyToReceive(
                new QueuePairEndpoint(peer.context.queryGid(1, 0).gid(), other.qpNum(), 9));
        qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        if (qp.type() == QueuePairType.RC) {
            qp.modify(ready);
            qp.modify(QueuePairAttributes.readyToSend(9).timeout(8));
            return;
        }
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR).addressVector(ready.addressVector())
                .pathMtu(ready.pathMtu()).destQpNum(other.qpNum()).rqPsn(9));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(9));
    }

    private void connect(UnaryOperator<QueuePairConfig> sender, UnaryOperator<QueuePairConfig> receiver) {
        from = open(a, sender);
        to = open(b, receiver);
        bringUp(from, b, to);
        bringUp(to, a, from);
    }

    private int bound(int choice) {
        End.ok(to.postSend(list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED).bind(
                window, choice, region, region.address(), 64, Access.REMOTE_WRITE)));
        End.expect(b.sendCq, 1);
        return window.rkey();
    }

    private void write(long value, int key) {
        a.set(0, value);
        End.ok(from.postWrite(2, a.at(0), 8, a.region.lkey(), region.address(), key, SendFlags.SIGNALED));
    }

    private void sendInvalidating(int key) {
        End.ok(from.postSend(list.clear().add(3, Opcode.SEND_WITH_INV, SendFlags.SIGNALED)
                .sge(a.at(0), 8, a.region.lkey()).invalidate(key)));
    }

    private void expectInvalidated(int key) {
        WorkCompletion completion = End.next(b.recvCq);
        assertTrue(completion.isSuccess(), completion.toString());
        assertEquals(WcFlags.WITH_INV, completion.flags() & WcFlags.WITH_INV);
        assertEquals(key, completion.invalidatedRkey());
    }

    private void expectRefusal() {
        WorkCompletion completion = End.next(b.recvCq);
        assertEquals(WcStatus.REM_INV_REQ_ERR, completion.status());
        Crew.await("ERR", () -> to.state() == QueuePairState.ERR);
    }

    @Test
    void aWindowTellsWhatItIsBoundTo() {
        connect(UnaryOperator.identity(), UnaryOperator.identity());
        String head = String.format("type 2 memory window, rkey 0x%08x, ", window.rkey());
        assertEquals(head + "not bound", window.toString());
        int key = bound(4);
        head = String.format("type 2 memory window, rkey 0x%08x, ", key);
        assertEquals(head + String.format("bound to 64 bytes at 0x%x for REMOTE_WRITE", region.address()),
                window.toString());
        End.ok(to.postSend(list.clear().add(5, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(key)));
        End.expect(b.sendCq, 5);
        assertEquals(head + "not bound", window.toString());
        window.close();
        assertEquals(head + "closed", window.toString());
    }

    @Test
    void unreliableConnectionsBindAndInvalidate() {
        connect(config -> config.withType(QueuePairType.UC), config -> config.withType(QueuePairType.UC));
        int key = bound(4);
        write(11, key);
        End.expect(a.sendCq, 2);
        assertEquals(11, b.get(0));
        End.ok(to.postSend(list.clear().add(5, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(key)));
        End.expect(b.sendCq, 5);
        write(12, key);
        End.expect(a.sendCq, 2);
        assertEquals(11, b.get(0), "lost without a word");
        key = bound(4);
        End.ok(to.postReceive(6, b.at(128), 64, b.region.lkey()));
        sendInvalidating(key);
        End.expect(a.sendCq, 3);
        expectInvalidated(key);
        write(13, key);
        End.expect(a.sendCq, 2);
        assertEquals(11, b.get(0));
        End.ok(to.postReceive(6, b.at(128), 64, b.region.lkey()));
        sendInvalidating(key);
        End.expect(a.sendCq, 3);
        expectRefusal();
        assertEquals(QueuePairState.RTS, from.state());
    }

    @Test
    void refusedBindOfAnUnreliableConnectionStopsItsSendsOnly() {
        connect(config -> config.withType(QueuePairType.UC), config -> config.withType(QueuePairType.UC));
        End.ok(to.postSend(list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED).bind(
                window, 1, region, region.address() - 1, 64, Access.REMOTE_WRITE)));
        assertEquals(WcStatus.MW_BIND_ERR, End.next(b.sendCq).status());
        assertEquals(QueuePairState.SQE, to.state());
    }

    @Test
    void receiveOfASharedQueueTellsTheInvalidatedKey() {
        connect(config -> config, config -> config.withSrq(srq));
        for (int round = 0; round < 3; round++) {
            int key = bound(round);
            write(20 + round, key);
            End.expect(a.sendCq, 2);
            End.ok(srq.postReceive(7, b.at(128), 64, b.region.lkey()));
            sendInvalidating(key);
            End.expect(a.sendCq, 3);
            expectInvalidated(key);
            assertEquals(20 + round, b.get(128));
        }
        End.ok(srq.postReceive(7, b.at(128), 64, b.region.lkey()));
        sendInvalidating(window.rkey());
        End.expect(a.sendCq, 3);
        expectRefusal();
    }

    @Test
    void datagramsRefuseThemAtOnce() {
        connect(config -> config, config -> config);
        QueuePair datagrams = open(b, config -> config.withType(QueuePairType.UD));
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(1));
        datagrams.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        datagrams.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(1));
        MemoryWindow one = b.pd.allocateMemoryWindow(Type.TYPE_1);
        assertEquals(PostStatus.BAD_OPCODE, one.bind(datagrams, 1, region, region.address(), 8, 0, 0));
        for (Opcode opcode : new Opcode[] {Opcode.BIND_MW, Opcode.LOCAL_INV, Opcode.SEND_WITH_INV, Opcode.FLUSH}) {
            assertNotEquals(PostStatus.OK, datagrams.postSend(list.clear().add(1, opcode, 0)));
        }
        one.close();
        datagrams.close();
    }
}
