package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.Peer;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** A queue pair of A and its counterpart at B, each with a completion queue for sends and one for receives. */
final class Pair {
    /** How long a case watches for something that must not happen. */
    static final long QUIET_NANOS = 20_000_000;

    private static final long EVENT_NANOS = 3_000_000_000L;

    private final Fixture fixture;
    private final Peer b;
    private final PairSpec spec;
    private final CompletionQueue sendCq;
    private final CompletionQueue recvCq;
    private final QueuePair qp;
    private final int remoteSendCq;
    private final int remoteRecvCq;
    private final PeerAnswer.QueuePairInfo remote;
    /** Address handles of A by number (UD). */
    private final List<AddressHandle> ways = new ArrayList<>();
    private int wayBack = -1;

    Pair(Fixture fixture, PairSpec spec) {
        this.fixture = fixture;
        this.spec = spec;
        b = fixture.b();
        sendCq = fixture.a().completionQueue(spec.a().sendCqe(), spec.a().hasEvents(), spec.a().threading());
        recvCq = spec.recvCq() != null ? spec.recvCq()
                : fixture.a().completionQueue(spec.a().recvCqe(), spec.a().hasEvents(), spec.a().threading());
        qp = fixture.a().keep(fixture.a().domain()
                .createQueuePair(spec.a().config(sendCq, recvCq).withSrq(spec.srq())));
        remoteSendCq = createRemoteCq(spec.b().sendCqe());
        remoteRecvCq = spec.remoteRecvCq() >= 0 ? spec.remoteRecvCq() : createRemoteCq(spec.b().recvCqe());
        remote = spec.remoteSrq() < 0
                ? b.execute(new PeerCommand.CreateQueuePair(spec.b(), remoteSendCq, remoteRecvCq))
                : b.execute(new SharingCommand.CreateQueuePairOn(
                        spec.b(), remoteSendCq, remoteRecvCq, spec.remoteSrq()));
    }

    private int createRemoteCq(int cqe) {
        return b.execute(new PeerCommand.CreateCompletionQueue(cqe, spec.b().hasEvents(), spec.b().threading()));
    }

    /** Takes both sides from RESET to RTS. */
    Pair connect() {
        connectRemote();
        spec.linkA().connect(qp, remoteEndpoint());
        return this;
    }

    /** A new address handle of A, by the number that work requests take (UD). */
    int wayTo(Gid gid) {
        ways.add(fixture.a().keep(fixture.a().domain().createAddressHandle(AddressVector.to(gid))));
        return ways.size() - 1;
    }

    AddressHandle way(int number) {
        return ways.get(number);
    }

    /** The other end as the receiver of datagrams. */
    Destination destination() {
        if (ways.isEmpty()) {
            wayTo(Gid.ofHex(remote.gid()));
        }
        return new Destination(ways.getFirst(), remote.qpNum(), spec.linkB().qkey());
    }

    /** Sends the datagrams that name no receiver to the other end. */
    private ArrayList<WorkSpec> addressed(WorkSpec... sends) {
        ArrayList<WorkSpec> list = new ArrayList<>(Arrays.asList(sends));
        if (spec.a().type() == QueuePairType.UD) {
            destination();
            list.stream().filter(each -> !each.isAddressed())
                    .forEach(each -> each.to(0, remote.qpNum(), spec.linkB().qkey()));
        }
        return list;
    }

    private ArrayList<WorkSpec> addressedBack(WorkSpec... sends) {
        ArrayList<WorkSpec> list = new ArrayList<>(Arrays.asList(sends));
        if (spec.b().type() == QueuePairType.UD) {
            if (wayBack < 0) {
                wayBack = b.execute(new SharingCommand.CreateHandle(PeerCommand.DOMAIN, fixture.a().gid().toHex()));
            }
            list.stream().filter(each -> !each.isAddressed())
                    .forEach(each -> each.to(wayBack, qp.qpNum(), spec.linkA().qkey()));
        }
        return list;
    }

    void connectRemote() {
        QueuePairEndpoint here = new QueuePairEndpoint(fixture.a().gid(), qp.qpNum(), spec.linkA().psn());
        b.execute(new PeerCommand.Connect(remote.handle(), here.format(), spec.linkB()));
    }

    QueuePairEndpoint remoteEndpoint() {
        return QueuePairEndpoint.parse(String.format("0000:%06x:%06x:%s", remote.qpNum(), spec.linkB().psn(),
                remote.gid()));
    }

    /** Takes both sides to RESET and connects them again with other packet sequence numbers. */
    void reconnect() {
        modify(QueuePairState.RESET);
        modifyRemote(QueuePairState.RESET);
        spec.linkA().psn(spec.linkA().psn() + 0x54_3210 & 0xFF_FFFF);
        spec.linkB().psn(spec.linkB().psn() + 0x0F_EDCB & 0xFF_FFFF);
        connect();
    }

    QueuePair qp() {
        return qp;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    CompletionQueue recvCq() {
        return recvCq;
    }

    PairSpec spec() {
        return spec;
    }

    int remoteQpNum() {
        return remote.qpNum();
    }

    Gid remoteGid() {
        return Gid.ofHex(remote.gid());
    }

    int remoteQp() {
        return remote.handle();
    }

    int remoteSendCq() {
        return remoteSendCq;
    }

    int remoteRecvCq() {
        return remoteRecvCq;
    }

    void modify(QueuePairState state) {
        qp.modify(QueuePairAttributes.toState(state));
    }

    void modifyRemote(QueuePairState state) {
        b.execute(new PeerCommand.Modify(remote.handle(), state, -1));
    }

    void remoteAccess(int access) {
        b.execute(new PeerCommand.Modify(remote.handle(), null, access));
    }

    PeerAnswer.QueuePairView queryRemote() {
        return b.execute(new PeerCommand.Query(remote.handle()));
    }

    /** Posts sends at A as one list and expects that all are taken. */
    void post(WorkSpec... sends) {
        assertEquals(PostStatus.OK, tryPost(sends));
    }

    int tryPost(WorkSpec... sends) {
        return qp.postSend(list(sends));
    }

    /** Sends of A as one list, not posted yet. */
    SendRequests list(WorkSpec... sends) {
        return WorkSpec.sends(addressed(sends), ways::get);
    }

    void postReceive(WorkSpec... receives) {
        assertEquals(PostStatus.OK, qp.postReceive(WorkSpec.receives(Arrays.asList(receives))));
    }

    void postRemote(WorkSpec... sends) {
        assertEquals(PostStatus.OK,
                b.execute(new PeerCommand.PostSend(remote.handle(), addressedBack(sends))));
    }

    void postRemoteReceive(WorkSpec... receives) {
        assertEquals(PostStatus.OK,
                b.execute(new PeerCommand.PostReceive(remote.handle(), new ArrayList<>(Arrays.asList(receives)))));
    }

    /** Posts a receive of one buffer at B. */
    void postRemoteReceive(long wrId, RemoteBuffer buffer, long offset, long bytes) {
        postRemoteReceive(WorkSpec.receive(wrId).sge(buffer.address() + offset, bytes, buffer.lkey()));
    }

    /** The next completions of A's sends. */
    List<Completion> await(int count) {
        return expectCount(count, Waiting.poll(sendCq, count, Waiting.LIMIT_NANOS), "sends at A");
    }

    Completion await() {
        return await(1).getFirst();
    }

    /** The next completion of A's sends, which must have a status. */
    Completion await(WcStatus status) {
        Completion completion = await();
        assertEquals(status, completion.status(), completion.toString());
        return completion;
    }

    Completion awaitReceive() {
        return expectCount(1, Waiting.poll(recvCq, 1, Waiting.LIMIT_NANOS), "receives at A").getFirst();
    }

    /** The next completions of B's receives. */
    List<Completion> awaitRemoteReceives(int count) {
        return expectCount(count, b.execute(new PeerCommand.Poll(remoteRecvCq, count, Waiting.LIMIT_NANOS)),
                "receives at B");
    }

    Completion awaitRemoteReceive(WcStatus status) {
        Completion completion = awaitRemoteReceives(1).getFirst();
        assertEquals(status, completion.status(), completion.toString());
        return completion;
    }

    List<Completion> awaitRemoteSends(int count) {
        return expectCount(count, b.execute(new PeerCommand.Poll(remoteSendCq, count, Waiting.LIMIT_NANOS)),
                "sends at B");
    }

    private static List<Completion> expectCount(int count, List<Completion> polled, String what) {
        assertEquals(count, polled.size(), "completions of " + what + " in time; came: " + polled);
        return polled;
    }

    /** Fails when a send of A completes within a short while. */
    void expectNoCompletion() {
        assertEquals(List.of(), Waiting.poll(sendCq, 1, QUIET_NANOS));
    }

    void expectNoRemoteReceive() {
        assertEquals(List.of(), b.execute(new PeerCommand.Poll(remoteRecvCq, 1, QUIET_NANOS)));
    }

    void awaitState(QueuePairState state) {
        assertTrue(Waiting.until(() -> qp.state() == state, Waiting.LIMIT_NANOS), "A's state is " + qp.state());
    }

    void awaitRemoteState(QueuePairState state) {
        assertTrue(Waiting.until(() -> queryRemote().state() == state, Waiting.LIMIT_NANOS),
                "B's state is " + queryRemote().state() + ", expected " + state);
    }

    /** Waits for an asynchronous event about A's queue pair; takes others that come before it. */
    void awaitEvent(String kind) {
        awaitEvent(kind, qp.qpNum(), () -> fixture.a().takeAsyncEvent(EVENT_NANOS));
    }

    void awaitRemoteEvent(String kind) {
        awaitEvent(kind, remote.qpNum(), () -> b.execute(new PeerCommand.TakeEvent(-1, EVENT_NANOS)));
    }

    private static void awaitEvent(String kind, int object, Supplier<PeerAnswer.Event> source) {
        List<PeerAnswer.Event> seen = new ArrayList<>();
        PeerAnswer.Event event = source.get();
        while (!event.equals(PeerAnswer.Event.NONE)) {
            seen.add(event);
            if (event.kind().equals(kind) && (event.object() == object || event.object() < 0)) {
                return;
            }
            event = source.get();
        }
        fail("event " + kind + " expected; came: " + seen);
    }
}
