package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ProcessPeer;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections whose other end is in another process, over memory that the device allocated. */
@ParameterizedClass
@EnumSource
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class TwoProcessesTest {
    private static final String DEVICE = "soft7?link=shm";
    private static final int BYTES = 1 << 16;
    private static final int LONG_BYTES = 20_000;

    private final Threading threading;
    private End end;
    private ProcessPeer b;
    private QueuePair qp;
    private CompletionQueue cq;
    private PeerAnswer.QueuePairInfo remote;
    private int remoteCq;
    private int remoteMemory;
    private PeerAnswer.RegionInfo remoteRegion;

    TwoProcessesTest(Threading threading) {
        this.threading = threading;
    }

    @BeforeEach
    void connect() throws IOException {
        end = new End(DEVICE, Setup.of(threading, 64));
        qp = end.qp;
        cq = end.sendCq;
        connectNewPeer();
    }

    private void connectNewPeer() throws IOException {
        b = new ProcessPeer(DEVICE);
        QueuePairSpec spec = new QueuePairSpec().threading(threading).depth(64, 64);
        remoteCq = b.execute(new PeerCommand.CreateCompletionQueue(256, false, threading));
        remote = b.execute(new PeerCommand.CreateQueuePair(spec, remoteCq, remoteCq));
        remoteMemory = b.execute(new PeerCommand.Allocate(BYTES, MemoryKind.DEVICE));
        remoteRegion = b.execute(new PeerCommand.Register(PeerCommand.DOMAIN, remoteMemory, 0, BYTES, End.ALL));
        LinkSpec link = new LinkSpec().retry(8, 3);
        Gid gid = end.context.queryGid(1, 0).gid();
        b.execute(new PeerCommand.Connect(remote.handle(),
                new QueuePairEndpoint(gid, qp.qpNum(), link.psn()).format(), link));
        link.connect(qp, new QueuePairEndpoint(Gid.ofHex(remote.gid()), remote.qpNum(), link.psn()));
    }

    @AfterEach
    void close() throws Exception {
        if (b.process().isAlive()) {
            b.close();
        }
        b.process().destroyForcibly().waitFor();
        end.close();
    }

    private Completion next() {
        return Waiting.poll(cq, 1, Waiting.LIMIT_NANOS).getFirst();
    }

    private void expect(WcStatus status) {
        Completion completion = next();
        assertEquals(status, completion.status(), completion.toString());
    }

    private Completion nextRemote() {
        List<Completion> polled = b.execute(new PeerCommand.Poll(remoteCq, 1, Waiting.LIMIT_NANOS));
        return polled.getFirst();
    }

    private void postRemoteReceive(long wrId, long offset, long length) {
        assertEquals(PostStatus.OK, b.execute(new PeerCommand.PostReceive(remote.handle(), new ArrayList<>(List.of(
                WorkSpec.receive(wrId).sge(remoteRegion.address() + offset, length, remoteRegion.lkey()))))));
    }

    private long peek(long offset) {
        byte[] bytes = b.execute(new PeerCommand.ReadBytes(remoteMemory, offset, Long.BYTES));
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong();
    }

    @Test
    void messagesOfAllLengthsArrive() {
        int[] lengths = {0, 1, 8, 32, 33, 64, 65, 4_096, LONG_BYTES};
        for (int round = 0; round < 20; round++) {
            for (int length : lengths) {
                postRemoteReceive(length, 0, LONG_BYTES);
                end.set(0, round + length);
                End.ok(qp.postSend(1, end.at(0), length, end.region.lkey(), SendFlags.SIGNALED));
                expect(WcStatus.SUCCESS);
                Completion received = nextRemote();
                assertEquals(WcStatus.SUCCESS, received.status());
                assertEquals(length, received.wrId());
                assertEquals(length, received.byteLen());
                assertTrue(length < Long.BYTES || peek(0) == round + length, "round " + round + " of " + length);
            }
        }
    }

    @Test
    void messagesComeBack() {
        for (int i = 0; i < 200; i++) {
            End.ok(qp.postReceive(i, end.at(128), 64, end.region.lkey()));
            assertEquals(PostStatus.OK, b.execute(new PeerCommand.PostSend(remote.handle(), new ArrayList<>(List.of(
                    WorkSpec.send(5, Opcode.SEND).flags(SendFlags.SIGNALED)
                            .sge(remoteRegion.address(), 40, remoteRegion.lkey()))))));
            Completion received = Waiting.poll(end.recvCq, 1, Waiting.LIMIT_NANOS).getFirst();
            assertEquals(i, received.wrId());
            assertEquals(WcStatus.SUCCESS, received.status(), received.toString());
            assertEquals(WcStatus.SUCCESS, nextRemote().status());
        }
    }

    @Test
    void oneSidedOperationsReachTheOtherMemory() {
        end.set(0, 77);
        End.ok(qp.postWrite(1, end.at(0), 8, end.region.lkey(), remoteRegion.address() + 64, remoteRegion.rkey(),
                SendFlags.SIGNALED));
        expect(WcStatus.SUCCESS);
        assertEquals(77, peek(64));
        End.ok(qp.postFetchAndAdd(2, end.at(256), end.region.lkey(), remoteRegion.address() + 64,
                remoteRegion.rkey(), 3, SendFlags.SIGNALED));
        expect(WcStatus.SUCCESS);
        assertEquals(77, end.get(256));
        End.ok(qp.postRead(3, end.at(512), LONG_BYTES, end.region.lkey(), remoteRegion.address(),
                remoteRegion.rkey(), SendFlags.SIGNALED));
        expect(WcStatus.SUCCESS);
        assertEquals(80, end.get(512 + 64));
    }

    @Test
    void aSendWaitsForItsReceive() {
        End.ok(qp.postSend(1, end.at(0), 8, end.region.lkey(), SendFlags.SIGNALED));
        assertEquals(0, Waiting.poll(cq, 1, 5_000_000).size());
        postRemoteReceive(4, 0, 64);
        expect(WcStatus.SUCCESS);
        assertEquals(4, nextRemote().wrId());
    }

    @Test
    void revokedKeysOpenNothing() {
        End.ok(qp.postWrite(1, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                SendFlags.SIGNALED));
        expect(WcStatus.SUCCESS);
        b.execute(new PeerCommand.Destroy(remoteRegion.handle()));
        end.set(0, 99);
        End.ok(qp.postWrite(2, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                SendFlags.SIGNALED));
        expect(WcStatus.REM_ACCESS_ERR);
        assertEquals(0, peek(0));
        assertEquals(QueuePairState.ERR, qp.state());
        assertTrue(Waiting.until(() -> b.execute(new PeerCommand.Query(remote.handle())).state() == QueuePairState.ERR,
                Waiting.LIMIT_NANOS), "the owner learns that its queue pair was broken");
    }

    @Test
    void rangesAreChecked() {
        End.ok(qp.postRead(2, end.at(0), 16, end.region.lkey(), remoteRegion.address() + BYTES - 8,
                remoteRegion.rkey(), SendFlags.SIGNALED));
        expect(WcStatus.REM_ACCESS_ERR);
    }

    @Test
    void theEndOfTheOtherProcessEndsWhatIsOutstanding() throws InterruptedException {
        End.ok(qp.postSend(1, end.at(0), 8, end.region.lkey(), SendFlags.SIGNALED));
        End.ok(qp.postWrite(2, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                SendFlags.SIGNALED));
        End.ok(qp.postReceive(3, end.at(0), 64, end.region.lkey()));
        b.process().destroyForcibly().waitFor();
        List<Completion> sends = Waiting.poll(cq, 2, Waiting.LIMIT_NANOS);
        assertEquals(List.of(1L, 2L), sends.stream().map(Completion::wrId).toList());
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR),
                sends.stream().map(Completion::status).toList());
        assertEquals(WcStatus.WR_FLUSH_ERR, Waiting.poll(end.recvCq, 1, Waiting.LIMIT_NANOS).getFirst().status());
        assertEquals(QueuePairState.ERR, qp.state());
    }

    @Test
    void theEndOfTheOtherProcessEndsAWaitWithoutEnd() throws InterruptedException {
        qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        b.execute(new PeerCommand.Modify(remote.handle(), QueuePairState.RESET, -1));
        LinkSpec link = new LinkSpec().retry(0, 7);
        b.execute(new PeerCommand.Connect(remote.handle(), new QueuePairEndpoint(
                end.context.queryGid(1, 0).gid(), qp.qpNum(), link.psn()).format(), link));
        link.connect(qp, new QueuePairEndpoint(Gid.ofHex(remote.gid()), remote.qpNum(), link.psn()));
        write(1, remoteRegion);
        expect(WcStatus.SUCCESS);
        b.execute(new PeerCommand.Modify(remote.handle(), QueuePairState.ERR, -1));
        write(2, remoteRegion);
        assertEquals(0, Waiting.poll(cq, 1, 5_000_000).size());
        b.process().destroyForcibly().waitFor();
        expect(WcStatus.RETRY_EXC_ERR);
    }

    @Test
    void theEndOfTheOtherProcessIsToldToWhoWaits() throws InterruptedException {
        End.ok(qp.postWrite(1, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                SendFlags.SIGNALED));
        expect(WcStatus.SUCCESS);
        b.process().destroyForcibly().waitFor();
        AsyncEvent event = end.context.getAsyncEvent(Waiting.LIMIT_NANOS);
        assertNotNull(event);
        end.context.acknowledge(event);
        assertEquals(QueuePairState.ERR, qp.state());
    }

    @Test
    void aConnectionCanBeMadeAgain() throws IOException {
        long before = openDescriptors();
        for (int round = 0; round < 30; round++) {
            End.ok(qp.postWrite(1, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                    SendFlags.SIGNALED));
            expect(WcStatus.SUCCESS);
            end.set(512, qp.qpNum());
            LinkSpec link = new LinkSpec().retry(8, 3);
            qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            b.execute(new PeerCommand.Modify(remote.handle(), QueuePairState.RESET, -1));
            Gid gid = end.context.queryGid(1, 0).gid();
            b.execute(new PeerCommand.Connect(remote.handle(),
                    new QueuePairEndpoint(gid, qp.qpNum(), link.psn()).format(), link));
            link.connect(qp, new QueuePairEndpoint(Gid.ofHex(remote.gid()), remote.qpNum(), link.psn()));
        }
        assertTrue(openDescriptors() <= before + 2, "descriptors were left open");
    }

    @Test
    void aQueuePairMadeAnewIsNotTakenForTheOldOne() {
        write(1, remoteRegion);
        expect(WcStatus.SUCCESS);
        b.execute(new PeerCommand.Destroy(remote.handle()));
        QueuePairSpec spec = new QueuePairSpec().threading(threading).depth(64, 64);
        PeerAnswer.QueuePairInfo other = b.execute(new PeerCommand.CreateQueuePair(spec, remoteCq, remoteCq));
        LinkSpec link = new LinkSpec();
        b.execute(new PeerCommand.Connect(other.handle(),
                new QueuePairEndpoint(Gid.ofHex(remote.gid()), other.qpNum(), link.psn()).format(), link));
        end.set(0, 99);
        write(2, remoteRegion);
        expect(WcStatus.RETRY_EXC_ERR);
        assertEquals(0, peek(0));
    }

    private void write(long wrId, PeerAnswer.RegionInfo to) {
        End.ok(qp.postWrite(wrId, end.at(0), 8, end.region.lkey(), to.address(), to.rkey(), SendFlags.SIGNALED));
    }

    @Test
    void aReregisteredKeyOpensItsNewMemory() {
        write(1, remoteRegion);
        expect(WcStatus.SUCCESS);
        int newMemory = b.execute(new PeerCommand.Allocate(BYTES, MemoryKind.DEVICE));
        PeerAnswer.RegionInfo moved = b.execute(new PeerCommand.Reregister(remoteRegion.handle(),
                MemoryRegion.CHANGE_TRANSLATION, PeerCommand.DOMAIN, newMemory, End.ALL));
        end.set(0, 55);
        write(2, moved);
        expect(WcStatus.SUCCESS);
        assertEquals(0, peek(0));
        byte[] bytes = b.execute(new PeerCommand.ReadBytes(newMemory, 0, Long.BYTES));
        assertEquals(55, ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong());
    }

    @Test
    void processesThatComeAndGoLeaveNothing() throws Exception {
        long before = openDescriptors();
        long mappedBefore = mappings();
        for (int round = 0; round < 5; round++) {
            write(1, remoteRegion);
            expect(WcStatus.SUCCESS);
            b.process().destroyForcibly().waitFor();
            assertTrue(Waiting.until(() -> qp.state() == QueuePairState.ERR, Waiting.LIMIT_NANOS));
            end.context.acknowledge(end.context.getAsyncEvent(Waiting.LIMIT_NANOS));
            qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
            connectNewPeer();
        }
        // The way back of the first connection may not have been there yet when they were counted.
        assertTrue(Waiting.until(() -> leftOpen(before) < 3, Waiting.LIMIT_NANOS), leftOpen(before) + " too many");
        // Neither may its board and its inbox; what every further process leaves would come to more.
        assertTrue(Waiting.until(() -> mappings() - mappedBefore < 5, Waiting.LIMIT_NANOS),
                mappings() - mappedBefore + " mappings too many");
    }

    private static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("memfd:verbena-")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void unreliableConnectionsReachTheOtherProcessToo() {
        QueuePairSpec spec = new QueuePairSpec().type(QueuePairType.UC).threading(threading).depth(16, 16);
        PeerAnswer.QueuePairInfo other = b.execute(new PeerCommand.CreateQueuePair(spec, remoteCq, remoteCq));
        try (QueuePair own = end.pd.createQueuePair(spec.config(cq, end.recvCq))) {
            LinkSpec link = new LinkSpec();
            b.execute(new PeerCommand.Connect(other.handle(),
                    new QueuePairEndpoint(end.context.queryGid(1, 0).gid(), own.qpNum(), link.psn()).format(), link));
            link.connect(own, new QueuePairEndpoint(Gid.ofHex(other.gid()), other.qpNum(), link.psn()));
            end.set(0, 31);
            assertTrue(Waiting.until(() -> {
                End.ok(own.postWrite(1, end.at(0), 8, end.region.lkey(), remoteRegion.address(), remoteRegion.rkey(),
                        SendFlags.SIGNALED));
                expect(WcStatus.SUCCESS);
                return peek(0) == 31;
            }, Waiting.LIMIT_NANOS), "no WRITE arrives");
            assertEquals(PostStatus.OK, b.execute(new PeerCommand.PostReceive(other.handle(), new ArrayList<>(List.of(
                    WorkSpec.receive(6).sge(remoteRegion.address() + 64, 64, remoteRegion.lkey()))))));
            End.ok(own.postSend(2, end.at(0), 40, end.region.lkey(), SendFlags.SIGNALED));
            expect(WcStatus.SUCCESS);
            assertEquals(6, nextRemote().wrId());
            assertEquals(31, peek(64));
        }
    }

    private static long leftOpen(long before) {
        try {
            return openDescriptors() - before;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
