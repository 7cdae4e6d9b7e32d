package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams: the header area, who sent it, what is dropped without a word, and the way back. */
@DisplayName("C62 UD")
@Timeout(60)
class DatagramC62Test extends FixtureTest {
    private static final int HEADER = RouteHeader.BYTES;
    private static final long UNTOUCHED = 99;

    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(Threading threading) {
        pair = fixture.connected(new PairSpec().type(QueuePairType.UD).threading(threading));
        local = fixture.local(8_192, MemoryKind.DEVICE);
        remote = fixture.remote(8_192, MemoryKind.DEVICE).fill(UNTOUCHED);
    }

    private int mtu() {
        return fixture.a().context().queryPort(1).activeMtu().bytes();
    }

    private WorkSpec send(long wrId, long bytes) {
        return WorkSpec.send(wrId, Opcode.SEND).sge(local.address(), bytes, local.lkey());
    }

    /** Posts a send that succeeds and arrives nowhere. */
    private void dropped(WorkSpec work) {
        pair.post(work);
        assertEquals(work.wrId(), pair.await(WcStatus.SUCCESS).wrId());
        pair.expectNoRemoteReceive();
        remote.check(0, 1024, UNTOUCHED, "memory after a dropped datagram");
        assertEquals(QueuePairState.RTS, pair.queryRemote().state());
    }

    private Completion arrives(long receiveId, int bytes, long seed) {
        local.fill(0, bytes, seed);
        pair.post(send(seed, bytes));
        pair.await(WcStatus.SUCCESS);
        Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
        assertEquals(receiveId, received.wrId());
        assertEquals(bytes + HEADER, received.byteLen());
        remote.check(HEADER, bytes, seed, "datagram");
        remote.fill(UNTOUCHED);
        return received;
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramArrivesBehindItsHeaderWithItsSender(Threading threading) {
        prepare(threading);
        local.fill(0, 100, 4);
        remote.fill(HEADER + 100, 50, UNTOUCHED);
        pair.postRemoteReceive(3, remote, 0, 500);
        pair.post(send(1, 100));
        assertEquals(WcOpcode.SEND, pair.await(WcStatus.SUCCESS).opcode());
        Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
        assertEquals(140, received.byteLen(), "the header counts");
        assertEquals(WcOpcode.RECV, received.opcode());
        assertEquals(WcFlags.GRH, received.flags());
        assertEquals(pair.qp().qpNum(), received.srcQp());
        assertEquals(pair.remoteQpNum(), received.qpNum());
        remote.check(HEADER, 100, 4, "datagram");
        remote.check(HEADER + 100, 50, UNTOUCHED, "behind the datagram");
        MemorySegment header = MemorySegment.ofArray(remote.bytes(0, HEADER));
        assertEquals(fixture.a().gid(), RouteHeader.source(header));
        assertEquals(pair.remoteGid(), RouteHeader.destination(header));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void headerIsScatteredLikeAnyByte(Threading threading) {
        prepare(threading);
        local.fill(0, 30, 4);
        RemoteBuffer body = fixture.remote(64, MemoryKind.DEVICE);
        for (int cut : new int[] {1, 39, 40}) {
            RemoteBuffer front = fixture.remote(HEADER, MemoryKind.DEVICE);
            pair.postRemoteReceive(WorkSpec.receive(1).sge(front.address(), cut, front.lkey()).sge(0, 0, 0)
                    .sge(front.address() + cut, HEADER - cut, front.lkey())
                    .sge(body.address(), 30, body.lkey()));
            pair.post(send(1, 30));
            assertEquals(70, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
            pair.await(WcStatus.SUCCESS);
            body.check(0, 30, 4, "datagram behind a header cut at " + cut);
            MemorySegment header = MemorySegment.ofArray(front.bytes(0, HEADER));
            assertEquals(fixture.a().gid(), RouteHeader.source(header), "cut at " + cut);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void wrongQueueKeyIsDroppedUntilTheKeyIsChanged(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(3, remote, 0, 500);
        int key = pair.spec().linkB().qkey();
        for (int wrong : new int[] {0, key + 1, key ^ 0x4000_0000, 0x7FFF_FFFF}) {
            dropped(send(1, 8).to(wayToB(), pair.remoteQpNum(), wrong));
        }
        fixture.b().execute(new SharingCommand.ChangeQueueKey(pair.remoteQp(), 0x0BCD));
        dropped(send(1, 8));
        pair.post(send(2, 8).to(0, pair.remoteQpNum(), 0x0BCD));
        pair.await(WcStatus.SUCCESS);
        assertEquals(3, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
    }

    /** The number of the address handle that leads to B; made with the first send at the latest. */
    private int wayToB() {
        pair.destination();
        return 0;
    }

    @Test
    void keyWithBit31StandsForTheSendersOwn() {
        prepare(Threading.SAFE);
        pair.postRemoteReceive(3, remote, 0, 500);
        pair.post(send(1, 8).to(wayToB(), pair.remoteQpNum(), 0x8000_0000));
        pair.await(WcStatus.SUCCESS);
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        remote.fill(UNTOUCHED);
        pair.postRemoteReceive(4, remote, 0, 500);
        fixture.b().execute(new SharingCommand.ChangeQueueKey(pair.remoteQp(), 7));
        dropped(send(2, 8).to(0, pair.remoteQpNum(), 0xFFFF_FFFF));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramTooBigForItsReceiveIsDroppedAndTheReceiveStays(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(3, remote, 0, HEADER + 20);
        dropped(send(1, 21));
        dropped(send(2, mtu()));
        arrives(3, 20, 5);
        pair.postRemoteReceive(4, remote, 0, HEADER - 1);
        dropped(send(3, 0));
        pair.postRemoteReceive(WorkSpec.receive(5));
        dropped(send(4, 0));
        assertEquals(QueuePairState.RTS, pair.qp().state());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramWithoutAReceiveIsDropped(Threading threading) {
        prepare(threading);
        for (int i = 0; i < 10; i++) {
            dropped(send(i, 64));
        }
        pair.postRemoteReceive(3, remote, 0, 500);
        arrives(3, 64, 1);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void datagramToNobodyIsDropped(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(3, remote, 0, 500);
        int key = pair.spec().linkB().qkey();
        Pair reliable = fixture.connected();
        dropped(send(1, 8).to(wayToB(), pair.remoteQpNum() ^ 0x1, key));
        dropped(send(2, 8).to(0, reliable.remoteQpNum(), key));
        dropped(send(3, 8).to(0, Destination.MULTICAST_QPN, key));
        // An address of documentation, or of this host with nobody there; a device may take those of one family only.
        Gid nobody = Gid.ofHex(fixture.a().gid().isIpv4()
                ? "00000000000000000000ffff7fffff01" : "20010db8000000000000000000000001");
        dropped(send(4, 8).to(pair.wayTo(nobody), pair.remoteQpNum(), key));
        arrives(3, 64, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void receiverThatIsNotReadyDropsEverything(boolean destroyed) {
        prepare(Threading.SAFE);
        for (QueuePairState state : new QueuePairState[] {QueuePairState.ERR, QueuePairState.RESET}) {
            pair.modifyRemote(state);
            pair.post(send(1, 8));
            pair.await(WcStatus.SUCCESS);
        }
        if (destroyed) {
            fixture.b().execute(new PeerCommand.Destroy(pair.remoteQp()));
            pair.post(send(1, 8));
            pair.await(WcStatus.SUCCESS);
        } else {
            pair.expectNoRemoteReceive(); // nor is one still on its way when the receiver is ready
            pair.connectRemote();
            pair.postRemoteReceive(3, remote, 0, 500);
            arrives(3, 64, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void replyGoesBackByTheHandleMadeFromTheCompletion(Threading threading) {
        prepare(threading);
        for (int i = 0; i < 3; i++) {
            pair.postRemoteReceive(3, remote, 64, 500);
            pair.post(send(1, 8));
            pair.await(WcStatus.SUCCESS);
            Completion received = pair.awaitRemoteReceive(WcStatus.SUCCESS);
            int back = fixture.b().execute(new SharingCommand.CreateReplyHandle(received, remote.memory(), 64));
            pair.postReceive(WorkSpec.receive(9).sge(local.address(), 500, local.lkey()));
            remote.fill(1000, 77, i);
            pair.postRemote(WorkSpec.send(2, Opcode.SEND).sge(remote.address() + 1000, 77, remote.lkey())
                    .to(back, received.srcQp(), pair.spec().linkA().qkey()));
            Completion reply = pair.awaitReceive();
            assertEquals(WcStatus.SUCCESS, reply.status());
            assertEquals(pair.remoteQpNum(), reply.srcQp());
            local.check(HEADER, 77, i, "reply");
            assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(1).getFirst().status());
            fixture.b().execute(new PeerCommand.Destroy(back));
        }
    }

    @Test
    void onlyADatagramsCompletionAndHeaderMakeAHandle() {
        prepare(Threading.SAFE);
        pair.postReceive(WorkSpec.receive(9).sge(local.address(), 500, local.lkey()));
        pair.postRemote(WorkSpec.send(2, Opcode.SEND));
        WorkCompletion completion = new WorkCompletion();
        while (pair.recvCq().poll(completion) == 0) {
            Thread.onSpinWait();
        }
        var domain = fixture.a().domain();
        try (AddressHandle way = domain.createAddressHandle(completion, local.segment(), 1)) {
            assertEquals(pair.remoteGid(), way.vector().dgid());
        }
        invalid(() -> domain.createAddressHandle(completion, local.segment(), 0));
        invalid(() -> domain.createAddressHandle(completion, local.segment(), 2));
        invalid(() -> domain.createAddressHandle(completion, local.segment().asSlice(0, HEADER - 1), 1));
        invalid(() -> domain.createAddressHandle(completion, local.segment().asSlice(HEADER), 1));
        invalid(() -> domain.createAddressHandle(completion, null, 1));
        invalid(() -> domain.createAddressHandle(null, local.segment(), 1));
        invalid(() -> domain.createAddressHandle(new WorkCompletion(), local.segment(), 1));
    }

    private static void invalid(Executable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EINVAL, refusal.errno(), refusal.getMessage());
    }

    @Test
    void badVectorsAreRefused() {
        var domain = fixture.a().domain();
        Gid gid = fixture.a().gid();
        invalid(() -> domain.createAddressHandle(null));
        invalid(() -> domain.createAddressHandle(new AddressVector(null, 0, 1, 64, 0, 0)));
        invalid(() -> domain.createAddressHandle(AddressVector.to(Gid.ZERO)));
        for (int[] bad : new int[][] {{-1, 1, 64, 0, 0}, {0, 0, 64, 0, 0}, {0, 2, 64, 0, 0}, {0, 1, -1, 0, 0},
            {0, 1, 256, 0, 0}, {0, 1, 64, -1, 0}, {0, 1, 64, 256, 0}, {0, 1, 64, 0, -1}, {0, 1, 64, 0, 1 << 20}}) {
            invalid(() -> domain.createAddressHandle(
                    new AddressVector(gid, bad[0], bad[1], bad[2], bad[3], bad[4])));
        }
        invalid(() -> new Destination(null, 1, 1));
        AddressHandle way = fixture.a().keep(domain.createAddressHandle(AddressVector.to(gid)));
        invalid(() -> new Destination(way, -1, 1));
        invalid(() -> new Destination(way, 1 << 24, 1));
        assertEquals(AddressVector.to(gid), way.vector());
    }

    @Test
    void closedOrForeignHandlesAreRefused() {
        prepare(Threading.SAFE);
        int flags = SendFlags.SIGNALED;
        AddressHandle way = fixture.a().domain().createAddressHandle(AddressVector.to(pair.remoteGid()));
        Destination to = new Destination(way, pair.remoteQpNum(), pair.spec().linkB().qkey());
        assertEquals(PostStatus.OK, pair.qp().postSend(1, local.address(), 8, local.lkey(), to, flags));
        pair.await(WcStatus.SUCCESS);
        way.close();
        way.close();
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE,
                pair.qp().postSend(1, local.address(), 8, local.lkey(), to, flags));
        AddressHandle foreign = fixture.a().keep(
                fixture.a().otherDomain().createAddressHandle(AddressVector.to(pair.remoteGid())));
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, pair.qp().postSend(1, local.address(), 8, local.lkey(),
                new Destination(foreign, pair.remoteQpNum(), 1), flags));
        assertThrows(VerbsException.class,
                () -> pair.qp().postSend(1, local.address(), 8, local.lkey(), (Destination) null, flags));
        pair.expectNoCompletion();
        assertEquals(QueuePairState.RTS, pair.qp().state());
    }

    /** A handle closed too early, with sends that wait: whatever happens to them, they complete, and nothing breaks. */
    @Test
    void handleClosedBeforeItsSendsIsAnsweredByCompletions() {
        prepare(Threading.SAFE);
        pair.modify(QueuePairState.SQD);
        int way = pair.wayTo(pair.remoteGid());
        pair.post(send(1, 8).to(way, pair.remoteQpNum(), 1), send(2, 8).to(way, pair.remoteQpNum(), 1).flags(0));
        pair.way(way).close();
        pair.modify(QueuePairState.RTS);
        List<Completion> both = pair.await(2);
        assertEquals(List.of(1L, 2L), both.stream().map(Completion::wrId).toList());
        assertNotEquals(WcStatus.SUCCESS, both.getFirst().status());
        assertEquals(QueuePairState.SQE, pair.qp().state());
    }

    /** One sender, several receivers of different protection domains and keys, in turns. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void oneQueuePairSendsToMany(Threading threading) {
        prepare(threading);
        List<Pair> others = List.of(pair, fixture.connected(new PairSpec().type(QueuePairType.UD)),
                fixture.connected(new PairSpec().type(QueuePairType.UD).threading(threading)));
        for (int i = 0; i < 60; i++) {
            Pair to = others.get(i % 3);
            local.fill(0, 50, i);
            to.postRemoteReceive(i, remote, 0, 90);
            assertEquals(PostStatus.OK, pair.qp().postSend(i, local.address(), 50, local.lkey(),
                    new Destination(pair.destination().handle(), to.remoteQpNum(), to.spec().linkB().qkey()),
                    SendFlags.SIGNALED));
            pair.await(WcStatus.SUCCESS);
            Completion received = to.awaitRemoteReceive(WcStatus.SUCCESS);
            assertEquals(i, received.wrId());
            assertEquals(pair.qp().qpNum(), received.srcQp());
            remote.check(HEADER, 50, i, "datagram " + i);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void queuePairSendsToItself(Threading threading) {
        prepare(threading);
        int own = pair.wayTo(fixture.a().gid());
        for (int i = 0; i < 50; i++) {
            local.fill(0, 64, i);
            pair.postReceive(WorkSpec.receive(i).sge(local.address() + 1000, 500, local.lkey()));
            pair.post(send(i, 64).to(own, pair.qp().qpNum(), pair.spec().linkA().qkey()));
            pair.await(WcStatus.SUCCESS);
            Completion received = pair.awaitReceive();
            assertEquals(pair.qp().qpNum(), received.srcQp());
            local.check(1000 + HEADER, 64, i, "datagram to itself");
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void receiveWhoseMemoryIsNotItsOwnFailsAtTheReceiverOnly(Threading threading) {
        prepare(threading);
        pair.postRemoteReceive(WorkSpec.receive(4).sge(remote.address(), 500, remote.lkey() ^ 0x100),
                WorkSpec.receive(5).sge(remote.address(), 500, remote.lkey()));
        pair.post(send(1, 64));
        pair.await(WcStatus.SUCCESS);
        assertEquals(4, pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR).wrId());
        assertEquals(5, pair.awaitRemoteReceive(WcStatus.WR_FLUSH_ERR).wrId());
        pair.awaitRemoteState(QueuePairState.ERR);
        assertEquals(QueuePairState.RTS, pair.qp().state());
        remote.check(0, 500, UNTOUCHED, "memory of the bad receive");
    }
}
