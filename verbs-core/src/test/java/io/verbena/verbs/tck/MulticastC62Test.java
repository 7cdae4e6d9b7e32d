package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Destination;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Multicast: a copy for each member, also for the sender when it is one; who may join, and when groups end. */
@DisplayName("C62 UD multicast")
@Timeout(60)
class MulticastC62Test extends FixtureTest {
    private static final Gid GROUP = Gid.ofHex("ff0e0000000000000000000000c0ffee");
    private static final Gid OTHER_GROUP = Gid.ofHex("ff0e0000000000000000000000c0ffef");
    private static final int HEADER = RouteHeader.BYTES;
    private static final int STRIDE = 1_000;

    private final List<Pair> pairs = new ArrayList<>();
    private Buffer local;
    private RemoteBuffer remote;

    private void prepare(int members, Threading threading) {
        fixture.requireMulticast();
        local = fixture.local(4_096, MemoryKind.DEVICE);
        remote = fixture.remote((long) members * STRIDE, MemoryKind.DEVICE);
        for (int i = 0; i < members; i++) {
            pairs.add(fixture.connected(new PairSpec().type(QueuePairType.UD).threading(threading)));
        }
    }

    private void join(Pair pair, boolean join) {
        group(pair, GROUP, join);
    }

    private void group(Pair pair, Gid gid, boolean join) {
        fixture.b().execute(new SharingCommand.Group(pair.remoteQp(), gid.toHex(), join));
    }

    private WorkSpec toGroup(Pair from, Gid gid, int bytes) {
        return WorkSpec.send(1, Opcode.SEND).sge(local.address(), bytes, local.lkey())
                .to(from.wayTo(gid), Destination.MULTICAST_QPN, from.spec().linkB().qkey());
    }

    private void receive(int member) {
        pairs.get(member).postRemoteReceive(member, remote, (long) member * STRIDE, STRIDE);
    }

    private void send(int from, Gid gid, int bytes, long seed) {
        local.fill(0, bytes, seed);
        pairs.get(from).post(toGroup(pairs.get(from), gid, bytes));
        pairs.get(from).await(WcStatus.SUCCESS);
    }

    private Completion arrived(int member, int bytes, long seed) {
        Completion received = pairs.get(member).awaitRemoteReceive(WcStatus.SUCCESS);
        assertEquals(member, received.wrId());
        assertEquals(bytes + HEADER, received.byteLen());
        remote.check((long) member * STRIDE + HEADER, bytes, seed, "copy of member " + member);
        return received;
    }

    /** Detaches all members: queue pairs can't be closed before. */
    private void leaveAll(int members) {
        for (int i = 0; i < members; i++) {
            join(pairs.get(i), false);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void eachMemberGetsACopyAndOthersNone(Threading threading) {
        prepare(4, threading);
        for (int i = 0; i < 4; i++) {
            receive(i);
        }
        for (int i = 0; i < 3; i++) {
            join(pairs.get(i), true);
        }
        send(3, GROUP, 333, 5);
        for (int i = 0; i < 3; i++) {
            Completion received = arrived(i, 333, 5);
            assertEquals(WcFlags.GRH, received.flags());
            assertEquals(pairs.get(3).qp().qpNum(), received.srcQp());
            assertEquals(pairs.get(i).remoteQpNum(), received.qpNum());
            MemorySegment header = MemorySegment.ofArray(remote.bytes(i * STRIDE, HEADER));
            assertEquals(GROUP, RouteHeader.destination(header));
            assertEquals(fixture.a().gid(), RouteHeader.source(header));
        }
        pairs.get(3).expectNoRemoteReceive();
        leaveAll(3);
    }

    /** Members of both sides, the sender among them. */
    @ParameterizedTest
    @EnumSource(Threading.class)
    void senderThatIsAMemberGetsItsOwnCopy(Threading threading) {
        prepare(2, threading);
        Pair sender = pairs.getFirst();
        join(pairs.get(0), true);
        join(pairs.get(1), true);
        sender.qp().attachMulticast(GROUP);
        for (int round = 0; round < 20; round++) {
            receive(0);
            receive(1);
            sender.postReceive(WorkSpec.receive(8).sge(local.address() + 2_000, STRIDE, local.lkey()));
            send(0, GROUP, 50 + round, round);
            arrived(0, 50 + round, round);
            arrived(1, 50 + round, round);
            Completion own = sender.awaitReceive();
            assertEquals(8, own.wrId());
            assertEquals(sender.qp().qpNum(), own.srcQp());
            local.check(2_000 + HEADER, 50 + round, round, "the sender's copy");
        }
        sender.qp().detachMulticast(GROUP);
        leaveAll(2);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void memberThatCannotTakeItsCopyKeepsNobodyElseFromIt(Threading threading) {
        prepare(5, threading);
        for (int i = 0; i < 5; i++) {
            join(pairs.get(i), true);
        }
        receive(0);
        pairs.get(2).postRemoteReceive(2, remote, 2 * STRIDE, HEADER + 5);
        receive(3);
        fixture.b().execute(new SharingCommand.ChangeQueueKey(pairs.get(3).remoteQp(), 1));
        receive(4);
        send(0, GROUP, 100, 9);
        arrived(0, 100, 9);
        arrived(4, 100, 9);
        for (int i = 1; i < 4; i++) {
            pairs.get(i).expectNoRemoteReceive();
            assertEquals(QueuePairState.RTS, pairs.get(i).queryRemote().state());
        }
        leaveAll(5);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void membersOnASharedReceiveQueueTakeAReceiveEach(Threading threading) {
        prepare(1, threading);
        RemoteSrq srq = RemoteSrq.create(fixture, 8, 1);
        int cq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(16, false, Threading.SAFE));
        RemoteBuffer shared = fixture.remote(3 * STRIDE, MemoryKind.DEVICE);
        List<Pair> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(fixture.connected(new PairSpec().type(QueuePairType.UD).threading(threading)
                    .remoteSrq(srq).remoteRecvCq(cq)));
            join(members.get(i), true);
            srq.post(WorkSpec.receive(i).sge(shared.address() + (long) i * STRIDE, STRIDE, shared.lkey()));
        }
        send(0, GROUP, 70, 3);
        List<Completion> received = members.getFirst().awaitRemoteReceives(3);
        assertEquals(List.of(0L, 1L, 2L), received.stream().map(Completion::wrId).sorted().toList());
        assertEquals(3, received.stream().map(Completion::qpNum).distinct().count());
        for (int i = 0; i < 3; i++) {
            shared.check((long) i * STRIDE + HEADER, 70, 3, "copy " + i);
        }
        members.forEach(member -> join(member, false));
    }

    @Test
    void joiningTwiceCountsOnceAndLeavingEndsIt() {
        prepare(2, Threading.SAFE);
        join(pairs.get(0), true);
        join(pairs.get(0), true);
        receive(0);
        receive(0);
        send(1, GROUP, 10, 1);
        arrived(0, 10, 1);
        pairs.get(0).expectNoRemoteReceive();
        join(pairs.get(0), false);
        send(1, GROUP, 10, 2);
        pairs.get(0).expectNoRemoteReceive();
        invalid(() -> join(pairs.get(0), false));
    }

    @Test
    void groupsAreApart() {
        prepare(2, Threading.SAFE);
        group(pairs.get(0), GROUP, true);
        group(pairs.get(1), OTHER_GROUP, true);
        group(pairs.get(0), OTHER_GROUP, true);
        receive(0);
        receive(0);
        receive(1);
        send(0, GROUP, 10, 1);
        arrived(0, 10, 1);
        pairs.get(1).expectNoRemoteReceive();
        send(0, OTHER_GROUP, 20, 2);
        arrived(0, 20, 2);
        arrived(1, 20, 2);
        group(pairs.get(0), GROUP, false);
        group(pairs.get(0), OTHER_GROUP, false);
        group(pairs.get(1), OTHER_GROUP, false);
    }

    @Test
    void onlyTheMulticastNumberReachesTheGroup() {
        prepare(1, Threading.SAFE);
        join(pairs.getFirst(), true);
        receive(0);
        Pair pair = pairs.getFirst();
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), 5, local.lkey())
                .to(pair.wayTo(GROUP), pair.remoteQpNum(), pair.spec().linkB().qkey()));
        pair.await(WcStatus.SUCCESS);
        pair.expectNoRemoteReceive();
        leaveAll(1);
    }

    @Test
    void replyToADatagramOfAGroupGoesToItsSender() {
        prepare(1, Threading.SAFE);
        Pair pair = pairs.getFirst();
        join(pair, true);
        receive(0);
        send(0, GROUP, 10, 1);
        Completion received = arrived(0, 10, 1);
        int back = fixture.b().execute(new SharingCommand.CreateReplyHandle(received, remote.memory(), 0));
        pair.postReceive(WorkSpec.receive(4).sge(local.address() + 1_000, 200, local.lkey()));
        pair.postRemote(WorkSpec.send(2, Opcode.SEND).to(back, received.srcQp(), pair.spec().linkA().qkey()));
        assertEquals(4, pair.awaitReceive().wrId());
        fixture.b().execute(new PeerCommand.Destroy(back));
        leaveAll(1);
    }

    private static void invalid(Executable call) {
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, call).errno());
    }

    @Test
    void onlyDatagramQueuePairsJoinAndOnlyMulticastGroups() {
        prepare(1, Threading.SAFE);
        var qp = pairs.getFirst().qp();
        invalid(() -> qp.attachMulticast(null));
        invalid(() -> qp.attachMulticast(fixture.a().gid()));
        invalid(() -> qp.attachMulticast(Gid.ZERO));
        invalid(() -> qp.detachMulticast(null));
        invalid(() -> qp.detachMulticast(GROUP));
        for (QueuePairType type : new QueuePairType[] {QueuePairType.RC, QueuePairType.UC}) {
            var other = fixture.connected(new PairSpec().type(type)).qp();
            invalid(() -> other.attachMulticast(GROUP));
            invalid(() -> other.detachMulticast(GROUP));
        }
        qp.close();
        invalid(() -> qp.attachMulticast(GROUP));
        invalid(() -> qp.detachMulticast(GROUP));
    }

    /** Members come and go while two threads send to the group: no copy comes to who has left, none is torn. */
    @Test
    void membersMayComeAndGoUnderFire() {
        prepare(4, Threading.SAFE);
        AtomicBoolean stop = new AtomicBoolean();
        local.fill(0, 64, 1);
        try (Threads threads = new Threads()) {
            for (int sender = 0; sender < 2; sender++) {
                Pair from = pairs.get(sender);
                WorkSpec work = toGroup(from, GROUP, 64);
                threads.start("sender", () -> {
                    while (!stop.get()) {
                        from.post(work);
                        from.await(WcStatus.SUCCESS);
                    }
                    return null;
                });
            }
            for (int round = 0; round < 100; round++) {
                int member = 2 + round % 2;
                Pair to = pairs.get(member);
                receive(member);
                join(to, true);
                arrived(member, 64, 1);
                join(to, false);
                remote.fill((long) member * STRIDE, STRIDE, 7);
                if (round % 10 == 9) {
                    to.modifyRemote(QueuePairState.RESET);
                    to.connectRemote();
                }
            }
            stop.set(true);
        }
    }
}
