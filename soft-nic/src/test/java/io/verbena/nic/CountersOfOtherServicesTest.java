package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterSnapshot;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.nic.stat.QueuePairSample;
import io.verbena.verbs.Access;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts of datagrams, unreliable connections, shared receive queues and windows. A is on soft3, B on soft4. */
class CountersOfOtherServicesTest {
    private static final int QKEY = 0x1111_1111;
    private static final int PSN = 7;
    private static final Gid GROUP = new Gid(0xFF0E_0000_0000_0000L, 5);

    @TempDir
    private Path directory;

    private final List<QueuePair> queuePairs = new ArrayList<>();
    private SharedReceiveQueue srq;
    private End a;
    private End b;

    @BeforeEach
    void open() {
        a = new End("soft3?countersDir=" + directory, Setup.of(Threading.SAFE, 16));
        b = new End("soft4?countersDir=" + directory, Setup.of(Threading.SAFE, 16));
    }

    @AfterEach
    void close() {
        queuePairs.forEach(QueuePair::close);
        if (srq != null) {
            srq.close();
        }
        a.close();
        b.close();
    }

    private CounterSnapshot snapshot(String device) throws Exception {
        for (Path file : CounterFiles.list(directory)) {
            if (file.getFileName().toString().startsWith(device + "-")) {
                return CounterFiles.read(file);
            }
        }
        throw new AssertionError("no file of " + device);
    }

    private void check(String device, DeviceCounter counter, long expected) throws Exception {
        assertEquals(expected, snapshot(device).total(counter), device + " " + counter);
    }

    private QueuePair open(End end, QueuePairType type) {
        QueuePair qp = end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(16))
                .withRecvCq(end.recvCq).withType(type).withSrq(end == b ? srq : null));
        queuePairs.add(qp);
        return qp;
    }

    private QueuePair openDatagram(End end) {
        QueuePair qp = open(end, QueuePairType.UD);
        qp.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(PSN));
        return qp;
    }

    private QueuePairSample sample(String device, QueuePair qp) throws Exception {
        return snapshot(device).queuePairs().stream().filter(each -> each.qpNum() == qp.qpNum()).findFirst()
                .orElseThrow();
    }

    private void send(QueuePair from, long length, Destination to) {
        End.ok(from.postSend(1, a.at(0), length, a.region.lkey(), to, SendFlags.SIGNALED));
        End.expect(a.sendCq, 1);
    }

    @Test
    void datagramsAndWhyTheyAreDropped() throws Exception {
        QueuePair from = openDatagram(a);
        QueuePair to = openDatagram(b);
        try (AddressHandle handle = a.pd.createAddressHandle(AddressVector.to(b.context.queryGid(1, 0).gid()))) {
            check("soft3", DeviceCounter.AHS, 1);
            Destination peer = new Destination(handle, to.qpNum(), QKEY);
            send(from, 8, peer);
            check("soft4", DeviceCounter.UD_DROP_NO_RECEIVE, 1);
            End.ok(to.postReceive(7, b.at(0), RouteHeader.BYTES + 8, b.region.lkey()));
            send(from, 9, peer);
            check("soft4", DeviceCounter.UD_DROP_TOO_LONG, 1);
            send(from, 8, new Destination(handle, to.qpNum(), QKEY + 1));
            check("soft4", DeviceCounter.UD_DROP_BAD_QKEY, 1);
            send(from, 8, new Destination(handle, to.qpNum() ^ 1, QKEY));
            check("soft3", DeviceCounter.UD_DROP_UNKNOWN_QPN, 1);
            send(from, 8, peer);
            End.expect(b.recvCq, 7);
            check("soft4", DeviceCounter.RDMA_RECVS, 1);
            check("soft4", DeviceCounter.RECEIVED_BYTES, RouteHeader.BYTES + 8);
            check("soft3", DeviceCounter.RDMA_SENDS, 5);
            assertEquals("UD", sample("soft4", to).type());
            assertEquals(1, sample("soft4", to).get(CounterFileLayout.RECEIVES));
            to.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            send(from, 8, peer);
            check("soft4", DeviceCounter.UD_DROP_UNKNOWN_QPN, 1);
            check("soft4", DeviceCounter.UD_DROP_NO_RECEIVE, 1);
        }
        check("soft3", DeviceCounter.AHS, 0);
        check("soft3", DeviceCounter.AHS_CREATED, 1);
    }

    @Test
    void multicastCountsEachDelivery() throws Exception {
        QueuePair from = openDatagram(a);
        try (AddressHandle handle = a.pd.createAddressHandle(AddressVector.to(GROUP))) {
            for (int i = 0; i < 3; i++) {
                QueuePair member = openDatagram(b);
                member.attachMulticast(GROUP);
                if (i < 2) {
                    End.ok(member.postReceive(i, b.at(i * 128L), 128, b.region.lkey()));
                }
            }
            send(from, 8, new Destination(handle, Destination.MULTICAST_QPN, QKEY));
            check("soft4", DeviceCounter.MULTICAST_DELIVERIES, 2);
            check("soft4", DeviceCounter.UD_DROP_NO_RECEIVE, 1);
            send(from, 8, new Destination(handle, 5, QKEY));
            check("soft3", DeviceCounter.UD_DROP_UNKNOWN_QPN, 1);
            for (QueuePair member : queuePairs.subList(1, 4)) {
                member.detachMulticast(GROUP);
            }
        }
    }

    private void connect(QueuePair from, QueuePair to) {
        bringUp(from, new QueuePairEndpoint(b.context.queryGid(1, 0).gid(), to.qpNum(), PSN));
        bringUp(to, new QueuePairEndpoint(a.context.queryGid(1, 0).gid(), from.qpNum(), PSN));
    }

    private static void bringUp(QueuePair qp, QueuePairEndpoint peer) {
        QueuePairAttributes ready = QueuePairAttributes.readyToReceive(peer).minRnrTimer(1);
        if (qp.type() == QueuePairType.RC) {
            qp.modify(QueuePairAttributes.init(1, End.ALL));
            qp.modify(ready);
            qp.modify(QueuePairAttributes.readyToSend(PSN).rnrRetry(0));
            return;
        }
        qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR).addressVector(ready.addressVector())
                .pathMtu(ready.pathMtu()).destQpNum(peer.qpNum()).rqPsn(PSN));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(PSN));
    }

    private int send(QueuePair from, long length) {
        return from.postSend(1, a.at(0), length, a.region.lkey(), SendFlags.SIGNALED);
    }

    @Test
    void messagesThatAnUnreliableConnectionLoses() throws Exception {
        QueuePair from = open(a, QueuePairType.UC);
        QueuePair to = open(b, QueuePairType.UC);
        connect(from, to);
        End.ok(send(from, 8)); // no receive
        End.expect(a.sendCq, 1);
        check("soft3", DeviceCounter.UC_LOST, 1);
        End.ok(to.postReceive(7, b.at(0), 8, b.region.lkey()));
        End.ok(send(from, 9)); // too long
        End.expect(a.sendCq, 1);
        check("soft3", DeviceCounter.UC_LOST, 2);
        check("soft4", DeviceCounter.RESP_LOCAL_LENGTH_ERROR, 1);
        End.ok(send(from, 8));
        End.expect(b.recvCq, 7);
        check("soft3", DeviceCounter.UC_LOST, 2);
        check("soft3", DeviceCounter.RDMA_SENDS, 3);
        check("soft4", DeviceCounter.RDMA_RECVS, 1);
        check("soft3", DeviceCounter.RCVD_RNR_ERR, 0);
        End.expect(a.sendCq, 1);
        End.ok(from.postSend(2, a.at(0), 8, 0x1234, SendFlags.SIGNALED));
        assertEquals(WcStatus.LOC_PROT_ERR, End.next(a.sendCq).status());
        assertEquals("SQE", sample("soft3", from).state());
    }

    @Test
    void memoryWindowsAndLocalOperations() throws Exception {
        QueuePair from = open(a, QueuePairType.RC);
        QueuePair to = open(b, QueuePairType.RC);
        connect(from, to);
        SendRequests list = new SendRequests(1, 1);
        MemoryRegion region = b.pd.register(b.memory.segment(), End.ALL | Access.MW_BIND);
        MemoryWindow window = b.pd.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
        check("soft4", DeviceCounter.MWS, 1);
        End.ok(to.postSend(list.clear().add(1, Opcode.BIND_MW, SendFlags.SIGNALED)
                .bind(window, 4, region, region.address(), 64, Access.REMOTE_WRITE)));
        End.expect(b.sendCq, 1);
        End.ok(to.postSend(list.clear().add(2, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(window.rkey())));
        End.expect(b.sendCq, 2);
        check("soft4", DeviceCounter.LOCAL_OPERATIONS, 2);
        End.ok(to.postReceive(7, b.at(0), 8, b.region.lkey()));
        End.ok(from.postSend(list.clear().add(3, Opcode.SEND_WITH_INV, SendFlags.SIGNALED)
                .sge(a.at(0), 8, a.region.lkey()).invalidate(window.rkey())));
        End.expect(a.sendCq, 3);
        assertEquals(WcStatus.REM_INV_REQ_ERR, End.next(b.recvCq).status());
        check("soft4", DeviceCounter.RESP_REMOTE_INVALID_REQUEST, 1);
        check("soft4", DeviceCounter.RESP_LOCAL_PROT_ERRORS, 0);
        check("soft3", DeviceCounter.RDMA_SENDS, 1);
        window.close();
        region.close();
        check("soft4", DeviceCounter.MWS, 0);
        check("soft4", DeviceCounter.MWS_CREATED, 1);
    }

    @Test
    void receivesOfASharedQueueCountForTheQueuePairThatTookThem() throws Exception {
        srq = b.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(16, 1, Threading.SAFE));
        check("soft4", DeviceCounter.SRQS, 1);
        QueuePair[] from = {open(a, QueuePairType.RC), open(a, QueuePairType.RC)};
        QueuePair[] to = {open(b, QueuePairType.RC), open(b, QueuePairType.RC)};
        connect(from[0], to[0]);
        connect(from[1], to[1]);
        for (int i = 0; i < 4; i++) {
            assertEquals(0, srq.postReceive(i, b.at(0), 64, b.region.lkey()));
        }
        for (int i = 0; i < 3; i++) {
            End.ok(send(from[i == 0 ? 0 : 1], 10 + i));
            End.expect(a.sendCq, 1);
            End.expect(b.recvCq, i);
        }
        assertEquals(1, sample("soft4", to[0]).get(CounterFileLayout.RECEIVES));
        assertEquals(10, sample("soft4", to[0]).get(CounterFileLayout.RECEIVED_BYTES));
        assertEquals(2, sample("soft4", to[1]).get(CounterFileLayout.RECEIVES));
        assertEquals(23, sample("soft4", to[1]).get(CounterFileLayout.RECEIVED_BYTES));
        End.ok(send(from[0], 65)); // too long
        assertEquals(WcStatus.REM_INV_REQ_ERR, End.next(a.sendCq).status());
        assertEquals(WcStatus.LOC_LEN_ERR, End.next(b.recvCq).status());
        check("soft4", DeviceCounter.RESP_LOCAL_LENGTH_ERROR, 1);
        assertEquals(1, sample("soft4", to[0]).get(CounterFileLayout.RECEIVE_ERRORS));
        End.ok(send(from[1], 8)); // none left
        assertEquals(WcStatus.RNR_RETRY_EXC_ERR, End.next(a.sendCq).status());
        check("soft4", DeviceCounter.SEND_RNR_ERR, 1);
    }
}
