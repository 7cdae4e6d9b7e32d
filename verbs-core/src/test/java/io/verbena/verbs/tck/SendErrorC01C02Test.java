package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.TransitionTable.Edge;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The state SQE, which a failing send of an unreliable service leads to: its transitions, and what may be posted. */
@DisplayName("C01 transitions of SQE, C02 posting in SQE")
@Timeout(60)
class SendErrorC01C02Test extends FixtureTest {
    private static final List<QueuePairType> TYPES = List.of(QueuePairType.UC, QueuePairType.UD);

    /** A pair whose A was brought to SQE by a send with a bad key. */
    private Pair failed(PairSpec spec) {
        Pair pair = fixture.connected(spec);
        fail(pair, 1);
        return pair;
    }

    private Pair failed(QueuePairType type) {
        return failed(new PairSpec().type(type));
    }

    private static void fail(Pair pair, long wrId) {
        pair.post(WorkSpec.send(wrId, Opcode.SEND).sge(64, 8, 0x0BAD).flags(0));
        assertEquals(wrId, pair.await(WcStatus.LOC_PROT_ERR).wrId());
        assertEquals(QueuePairState.SQE, pair.qp().state());
        assertEquals(QueuePairState.SQE, pair.qp().query().state());
    }

    private DynamicTest inSqe(String name, QueuePairType type, Consumer<QueuePair> body) {
        return dynamicTest(type + " " + name, () -> {
            try (Fixture own = new Fixture()) {
                Pair pair = own.connected(new PairSpec().type(type));
                fail(pair, 1);
                body.accept(pair.qp());
            }
        });
    }

    private static Edge edge(QueuePairType type) {
        return TransitionTable.fromSendError(type);
    }

    private QueuePairAttributes attributes(QueuePairState to, Set<QueuePairAttribute> which) {
        return StateDriver.attributes(fixture.a().gid(), QueuePairState.SQE, to, which);
    }

    @TestFactory
    Stream<DynamicTest> readyToSendIsReachedWithAndWithoutOptionalAttributes() {
        return TYPES.stream().flatMap(type -> {
            List<Set<QueuePairAttribute>> ways = new ArrayList<>(List.of(Set.of(), edge(type).optional()));
            edge(type).optional().forEach(optional -> ways.add(Set.of(optional)));
            return ways.stream().map(which -> inSqe("SQE -> RTS with " + which, type, qp -> {
                qp.modify(attributes(QueuePairState.RTS, which));
                assertEquals(QueuePairState.RTS, qp.state());
            }));
        });
    }

    @TestFactory
    Stream<DynamicTest> foreignAttributesAreRefused() {
        return TYPES.stream().flatMap(type -> EnumSet.allOf(QueuePairAttribute.class).stream()
                .filter(foreign -> foreign != QueuePairAttribute.STATE && !edge(type).optional().contains(foreign))
                .map(foreign -> inSqe("SQE -> RTS with foreign " + foreign, type, qp ->
                        TransitionsC01Test.refuses(qp, attributes(QueuePairState.RTS, Set.of(foreign))))));
    }

    @TestFactory
    Stream<DynamicTest> otherStatesAreRefused() {
        return TYPES.stream().flatMap(type -> Stream.of(QueuePairState.INIT, QueuePairState.RTR, QueuePairState.SQD,
                QueuePairState.SQE).map(to -> inSqe("SQE -> " + to, type, qp -> {
                    TransitionsC01Test.refuses(qp, QueuePairAttributes.toState(to));
                    TransitionTable.edges().stream().filter(each -> each.type() == type && each.to() == to)
                            .forEach(each -> TransitionsC01Test.refuses(qp, attributes(to, each.required())));
                })));
    }

    @TestFactory
    Stream<DynamicTest> attributesWithoutAStateAreRefused() {
        return TYPES.stream().map(type -> inSqe("without STATE", type, qp -> {
            TransitionsC01Test.refuses(qp, new QueuePairAttributes().qkey(1));
            TransitionsC01Test.refuses(qp, new QueuePairAttributes().accessFlags(0));
        }));
    }

    @TestFactory
    Stream<DynamicTest> resetAndErrAreReached() {
        return TYPES.stream().flatMap(type -> Stream.of(QueuePairState.RESET, QueuePairState.ERR)
                .map(to -> inSqe("SQE -> " + to, type, qp -> {
                    qp.modify(QueuePairAttributes.toState(to));
                    assertEquals(to, qp.state());
                })));
    }

    @TestFactory
    Stream<DynamicTest> wrongCurrentStateIsRefused() {
        return TYPES.stream().map(type -> inSqe("SQE -> RTS from RTS", type, qp -> TransitionsC01Test.refuses(
                qp, QueuePairAttributes.toState(QueuePairState.RTS).currentState(QueuePairState.RTS))));
    }

    @Test
    void nobodyIsSentThereByAUser() {
        for (QueuePairType type : QueuePairType.values()) {
            Pair pair = fixture.connected(new PairSpec().type(type));
            TransitionsC01Test.refuses(pair.qp(), QueuePairAttributes.toState(QueuePairState.SQE));
        }
    }

    @Test
    void reliableConnectionGoesToErrInstead() {
        Pair pair = fixture.connected();
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(64, 8, 0x0BAD));
        pair.await(WcStatus.LOC_PROT_ERR);
        assertEquals(QueuePairState.ERR, pair.qp().state());
    }

    // What may be posted

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void sendsAreTakenAndFlushedInOrder(QueuePairType type, Threading threading) {
        Pair pair = failed(new PairSpec().type(type).threading(threading));
        for (int i = 0; i < 200; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).flags(i % 2 == 0 ? SendFlags.SIGNALED : 0));
            assertEquals(i, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
        }
        for (int i = 0; i < 40; i++) {
            pair.post(WorkSpec.send(i, Opcode.SEND).flags(0));
        }
        assertEquals(LongStream.range(0, 40).boxed().toList(),
                pair.await(40).stream().map(Completion::wrId).toList());
        assertEquals(QueuePairState.SQE, pair.qp().state());
    }

    /** The failing send has its own status, those behind it in the same list are flushed, signalled or not. */
    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void restOfTheListIsFlushed(QueuePairType type, Threading threading) {
        Pair pair = fixture.connected(new PairSpec().type(type).threading(threading));
        pair.post(WorkSpec.send(0, Opcode.SEND), WorkSpec.send(1, Opcode.SEND).sge(64, 8, 0x0BAD).flags(0),
                WorkSpec.send(2, Opcode.SEND).flags(0), WorkSpec.send(3, Opcode.SEND));
        List<Completion> all = pair.await(4);
        assertEquals(List.of(0L, 1L, 2L, 3L), all.stream().map(Completion::wrId).toList());
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR),
                all.stream().map(Completion::status).toList());
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void receivesWorkMeanwhile(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.connected(spec);
        Buffer target = fixture.local(5_000, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(1_000, MemoryKind.DEVICE);
        pair.postReceive(WorkSpec.receive(0).sge(target.address(), 5_000, target.lkey()));
        fail(pair, 7);
        for (int i = 0; i < 20; i++) {
            source.fill(i);
            pair.postReceive(WorkSpec.receive(i + 1).sge(target.address(), 5_000, target.lkey()));
            pair.postRemote(WorkSpec.send(i, Opcode.SEND).sge(source.address(), 1_000, source.lkey()));
            Completion received = pair.awaitReceive();
            assertEquals(i, received.wrId());
            assertEquals(WcStatus.SUCCESS, received.status());
            target.check(spec.header(), 1_000, i, "message received in SQE");
        }
        assertEquals(WcStatus.SUCCESS, pair.awaitRemoteSends(20).getLast().status());
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void writesOfThePeerWorkMeanwhile(Threading threading) {
        Pair pair = failed(new PairSpec().type(QueuePairType.UC).threading(threading));
        Buffer target = fixture.local(2_000, MemoryKind.DEVICE);
        RemoteBuffer source = fixture.remote(2_000, MemoryKind.DEVICE).fill(3);
        pair.postRemote(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address(), 2_000, source.lkey())
                .remote(target.address(), target.region().rkey()));
        pair.awaitRemoteSends(1);
        target.await(0, 2_000, 3, "written in SQE");
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void sendsWorkAgainAfterReadyToSend(QueuePairType type, Threading threading) {
        PairSpec spec = new PairSpec().type(type).threading(threading);
        Pair pair = fixture.connected(spec);
        Buffer source = fixture.local(500, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(1_000, MemoryKind.DEVICE);
        for (int round = 0; round < 30; round++) {
            fail(pair, round);
            pair.post(WorkSpec.send(100, Opcode.SEND));
            pair.await(WcStatus.WR_FLUSH_ERR);
            pair.modify(QueuePairState.RTS);
            source.fill(round);
            pair.postRemoteReceive(round, target, 0, 1_000);
            pair.post(WorkSpec.send(200, Opcode.SEND).sge(source.address(), 500, source.lkey()));
            pair.await(WcStatus.SUCCESS);
            assertEquals(round, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
            target.check(spec.header(), 500, round, "message after SQE");
        }
        pair.expectNoCompletion();
    }

    @ParameterizedTest
    @CsvSource({"UC, SAFE", "UC, SINGLE", "UD, SAFE", "UD, SINGLE"})
    void errFromSqeFlushesReceivesToo(QueuePairType type, Threading threading) {
        Pair pair = failed(new PairSpec().type(type).threading(threading));
        pair.postReceive(WorkSpec.receive(1), WorkSpec.receive(2));
        pair.modify(QueuePairState.ERR);
        assertEquals(1, pair.awaitReceive().wrId());
        assertEquals(WcStatus.WR_FLUSH_ERR, pair.awaitReceive().status());
        pair.post(WorkSpec.send(9, Opcode.SEND));
        assertEquals(9, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, names = {"UC", "UD"})
    void queuePairIsAsGoodAsNewAfterAReset(QueuePairType type) {
        Pair pair = failed(type);
        pair.reconnect();
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.await(WcStatus.SUCCESS);
    }

    // What else leads there

    @Test
    void datagramLongerThanThePortTakesLeadsThereOrIsDropped() {
        Pair pair = fixture.connected(new PairSpec().type(QueuePairType.UD));
        int mtu = fixture.a().context().queryPort(1).activeMtu().bytes();
        Buffer source = fixture.local(mtu + 1L, MemoryKind.DEVICE);
        RemoteBuffer target = fixture.remote(mtu + 100L, MemoryKind.DEVICE);
        pair.postRemoteReceive(1, target, 0, mtu + 100L);
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(source.address(), mtu + 1L, source.lkey()));
        Completion completion = pair.await();
        pair.expectNoRemoteReceive();
        if (completion.status() == WcStatus.SUCCESS) {
            assertEquals(QueuePairState.RTS, pair.qp().state(), "dropped without a word");
        } else {
            assertEquals(WcStatus.LOC_LEN_ERR, completion.status());
            assertEquals(QueuePairState.SQE, pair.qp().state());
            pair.modify(QueuePairState.RTS);
        }
        source.fill(0, mtu, 4);
        pair.post(WorkSpec.send(2, Opcode.SEND).sge(source.address(), mtu, source.lkey()));
        pair.await(WcStatus.SUCCESS);
        assertEquals(mtu + 40L, pair.awaitRemoteReceive(WcStatus.SUCCESS).byteLen());
        target.check(40, mtu, 4, "datagram of the port's MTU");
    }

    @Test
    void badWriteOfAnUnreliableConnectionLeadsThere() {
        Pair pair = fixture.connected(new PairSpec().type(QueuePairType.UC));
        RemoteBuffer target = fixture.remote(64, MemoryKind.DEVICE).fill(1);
        Buffer source = fixture.local(64, MemoryKind.DEVICE);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(source.address() + 1, 64, source.lkey())
                .remote(target.address(), target.rkey()));
        pair.await(WcStatus.LOC_PROT_ERR);
        assertEquals(QueuePairState.SQE, pair.qp().state());
        target.check(0, 64, 1, "target of the failed write");
        assertEquals(PostStatus.OK, pair.qp().postWrite(2, 0, 0, 0, 0, 0, 0));
        assertEquals(2, pair.await(WcStatus.WR_FLUSH_ERR).wrId());
    }
}
