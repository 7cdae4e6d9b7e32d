package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Every wrong argument of control calls gets a VerbsException with a clear text, every wrong post a code. */
@DisplayName("Bad arguments")
@Timeout(60)
class BadArgumentsTest extends FixtureTest {
    /**
     * A call that must be refused.
     *
     * @param name what is wrong
     * @param errnos causes allowed
     * @param call the call
     */
    private record Bad(String name, Set<Errno> errnos, Executable call) {
        static Bad invalid(String name, Executable call) {
            return new Bad(name, Set.of(Errno.EINVAL), call);
        }

        DynamicTest test() {
            return dynamicTest(name, () -> {
                VerbsException refusal = assertThrows(VerbsException.class, call);
                assertTrue(errnos.contains(refusal.errno()), refusal.getMessage());
                String text = refusal.getMessage();
                assertTrue(text != null && text.startsWith(refusal.errno() + ": ") && text.length() >= 20,
                        "the text must say what was asked and what is allowed: " + text);
                assertTrue(refusal.argument() != null, text);
            });
        }
    }

    @TestFactory
    Stream<DynamicTest> openingADevice() {
        return Stream.of(
                Bad.invalid("null", () -> Devices.open(null)),
                Bad.invalid("empty", () -> Devices.open("")),
                Bad.invalid("no name", () -> Devices.open("?a=b")),
                Bad.invalid("setting without value", () -> Devices.open("soft?progress")),
                Bad.invalid("setting without key", () -> Devices.open("soft?=inline")),
                Bad.invalid("setting twice", () -> Devices.open("soft?a=b&a=c")),
                new Bad("unknown device", Set.of(Errno.ENODEV), () -> Devices.open("no-such-device-0")),
                Bad.invalid("unknown setting", () -> Devices.open(deviceName() + "?no-such-setting=1")),
                Bad.invalid("spec of blanks", () -> DeviceSpec.parse("  "))).map(Bad::test);
    }

    private static String deviceName() {
        return DeviceSpec.parse(System.getProperty("verbena.tck.device", "soft")).name();
    }

    @TestFactory
    Stream<DynamicTest> queryingTheContext() {
        Context context = fixture.a().context();
        int gids = context.queryPort(1).gidTableLength();
        int pkeys = context.queryPort(1).pkeyTableLength();
        return Stream.of(
                Bad.invalid("port 0", () -> context.queryPort(0)),
                Bad.invalid("port -1", () -> context.queryPort(-1)),
                Bad.invalid("port 255", () -> context.queryPort(255)),
                Bad.invalid("GID of port 0", () -> context.queryGid(0, 0)),
                Bad.invalid("GID -1", () -> context.queryGid(1, -1)),
                Bad.invalid("GID beyond the table", () -> context.queryGid(1, gids)),
                Bad.invalid("pkey of port 9", () -> context.queryPkey(9, 0)),
                Bad.invalid("pkey -1", () -> context.queryPkey(1, -1)),
                Bad.invalid("pkey beyond the table", () -> context.queryPkey(1, pkeys)),
                Bad.invalid("acknowledging nothing", () -> context.acknowledge(null))).map(Bad::test);
    }

    @TestFactory
    Stream<DynamicTest> allocatingMemory() {
        Context context = fixture.a().context();
        Set<Errno> tooMuch = Set.of(Errno.EINVAL, Errno.ENOMEM);
        return Stream.of(
                Bad.invalid("0 bytes", () -> context.allocateMemory(0, 8)),
                Bad.invalid("-1 bytes", () -> context.allocateMemory(-1, 8)),
                new Bad("all bytes there are", tooMuch, () -> context.allocateMemory(Long.MAX_VALUE, 8)),
                new Bad("2^60 bytes", tooMuch, () -> context.allocateMemory(1L << 60, 4096)),
                Bad.invalid("alignment 0", () -> context.allocateMemory(8, 0)),
                Bad.invalid("alignment 3", () -> context.allocateMemory(8, 3)),
                Bad.invalid("alignment -8", () -> context.allocateMemory(8, -8)),
                Bad.invalid("alignment 8192", () -> context.allocateMemory(8, 8192))).map(Bad::test);
    }

    @TestFactory
    Stream<DynamicTest> creatingQueues() {
        Context context = fixture.a().context();
        CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
        QueuePairCapabilities one = QueuePairCapabilities.ofDepth(1);
        ProtectionDomain domain = fixture.a().domain();
        return Stream.of(
                Bad.invalid("no completion queue configuration", () -> context.createCompletionQueue(null)),
                Bad.invalid("no queue pair configuration", () -> domain.createQueuePair(null)),
                Bad.invalid("no threading", () -> CompletionQueueConfig.of(4).withThreading(null)),
                Bad.invalid("cqe 0", () -> CompletionQueueConfig.of(0)),
                Bad.invalid("vector -1", () -> CompletionQueueConfig.of(1).withCompletionVector(-1)),
                Bad.invalid("no type", () -> QueuePairConfig.rc(cq, one).withType(null)),
                Bad.invalid("no send queue", () -> QueuePairConfig.rc(null, one)),
                Bad.invalid("no receive queue", () -> QueuePairConfig.rc(cq, one).withRecvCq(null)),
                Bad.invalid("no sizes", () -> QueuePairConfig.rc(cq, null)),
                Bad.invalid("no queue pair threading", () -> QueuePairConfig.rc(cq, one).withThreading(null)),
                Bad.invalid("negative depth", () -> QueuePairCapabilities.ofDepth(-1)),
                Bad.invalid("negative inline", () -> new QueuePairCapabilities(1, 1, 1, 1, -1)),
                Bad.invalid("srq of no places", () -> new SharedReceiveQueueConfig(0, 1, Threading.SAFE)),
                Bad.invalid("srq of no entries", () -> new SharedReceiveQueueConfig(1, 0, Threading.SAFE)),
                Bad.invalid("acknowledging events nobody got", () -> cq.acknowledge(1)),
                Bad.invalid("resize to 0", () -> cq.resize(0))).map(Bad::test);
    }

    @TestFactory
    Stream<DynamicTest> registeringMemory() {
        ProtectionDomain domain = fixture.a().domain();
        MemorySegment good = fixture.a().allocate(64, MemoryKind.SHARED).segment();
        Set<Errno> any = Set.of(Errno.EINVAL, Errno.EOPNOTSUPP, Errno.EACCES);
        return Stream.of(
                Bad.invalid("no segment", () -> domain.register(null, 0)),
                Bad.invalid("no segment with iova", () -> domain.register(null, 0, 0)),
                new Bad("heap segment", any, () -> domain.register(MemorySegment.ofArray(new long[8]), 0)),
                new Bad("MemorySegment.NULL", any, () -> domain.register(MemorySegment.NULL, 0)),
                new Bad("made-up address", any, () -> domain.register(MemorySegment.ofAddress(4096), 0)),
                Bad.invalid("REMOTE_WRITE alone", () -> domain.register(good, Access.REMOTE_WRITE)),
                new Bad("bit 31", any, () -> domain.register(good, 1 << 31)),
                new Bad("iova that wraps around", any,
                        () -> domain.register(good, -8, Access.LOCAL_WRITE)),
                new Bad("no queue pair to bind on", any, () -> {
                    try (MemoryWindow window = domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1)) {
                        window.bind(null, 1, null, 0, 0, 0, 0);
                    }
                }),
                new Bad("no window type", any, () -> domain.allocateMemoryWindow(null)),
                new Bad("no srq configuration", any, () -> domain.createSharedReceiveQueue(null)),
                new Bad("no address vector", any, () -> domain.createAddressHandle(null)),
                new Bad("address vector without GID", any,
                        () -> domain.createAddressHandle(AddressVector.to(Gid.ZERO)))).map(Bad::test);
    }

    @TestFactory
    Stream<DynamicTest> modifyingAQueuePair() {
        QueuePair qp = fixture.pair(new PairSpec()).qp();
        QueuePairAttributes attributes = new QueuePairAttributes();
        return Stream.of(
                Bad.invalid("no attributes", () -> qp.modify(null)),
                Bad.invalid("no state", () -> attributes.state(null)),
                Bad.invalid("no current state", () -> attributes.currentState(null)),
                Bad.invalid("no address vector", () -> attributes.addressVector(null)),
                Bad.invalid("no path MTU", () -> attributes.pathMtu(null)),
                Bad.invalid("address vector marked but not set", () -> qp.modify(new QueuePairAttributes()
                        .mask(QueuePairAttribute.AV.mask())))).map(Bad::test);
    }

    @TestFactory
    Stream<DynamicTest> readingTexts() {
        return Stream.of(
                Bad.invalid("GID too short", () -> Gid.ofHex("12")),
                Bad.invalid("GID of no digits", () -> Gid.ofHex("x".repeat(32))),
                Bad.invalid("endpoint of no parts", () -> QueuePairEndpoint.parse("hello")),
                Bad.invalid("endpoint with bad number", () -> QueuePairEndpoint.parse("0:zz:0:" + "0".repeat(32))),
                Bad.invalid("endpoint with bad GID", () -> QueuePairEndpoint.parse("0:1:2:3")),
                Bad.invalid("MTU of 1000", () -> Mtu.ofBytes(1000)),
                Bad.invalid("list of no requests", () -> new SendRequests(0, 1)),
                Bad.invalid("list of -1 entries", () -> new ReceiveRequests(1, -1)),
                Bad.invalid("entry before a request", () -> new SendRequests(1, 1).sge(0, 0, 0)),
                Bad.invalid("request without opcode", () -> new SendRequests(1, 1).add(1, null, 0)),
                new Bad("request too many", Set.of(Errno.ENOMEM),
                        () -> new ReceiveRequests(1, 1).add(1).add(2)),
                new Bad("entry too many", Set.of(Errno.ENOMEM),
                        () -> new ReceiveRequests(1, 1).add(1).sge(0, 0, 0).sge(0, 0, 0))).map(Bad::test);
    }

    @Test
    void handlerCountBelowZeroIsRefused() {
        CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
        assertThrows(VerbsException.class, () -> cq.poll(completion -> {}, -1));
        assertEquals(0, cq.poll(completion -> {}, 0));
    }

    @Test
    void sendsWithWrongOpcodesOrFlagsAreRefusedWithACode() {
        Pair pair = fixture.connected();
        assertTrue(Set.of(PostStatus.BAD_OPCODE, PostStatus.BAD_FLUSH).contains(
                pair.tryPost(WorkSpec.send(1, Opcode.FLUSH))));
        assertTrue(Set.of(PostStatus.BAD_OPCODE, PostStatus.ATOMIC_LENGTH).contains(
                pair.tryPost(WorkSpec.send(1, Opcode.ATOMIC_WRITE))));
        for (int flags : new int[] {1 << 5, 1 << 31, -1}) {
            assertEquals(PostStatus.BAD_FLAGS, pair.tryPost(WorkSpec.send(1, Opcode.SEND).flags(flags)));
            assertEquals(PostStatus.BAD_FLAGS, pair.qp().postSend(1, 0, 0, 0, flags));
            assertEquals(PostStatus.BAD_FLAGS, pair.qp().postWrite(1, 0, 0, 0, 0, 0, flags));
            assertEquals(PostStatus.BAD_FLAGS, pair.qp().postRead(1, 0, 0, 0, 0, 0, flags));
            assertEquals(PostStatus.BAD_FLAGS, pair.qp().postFetchAndAdd(1, 64, 0, 64, 0, 0, flags));
        }
        assertEquals(PostStatus.BAD_LENGTH, pair.qp().postReceive(1, 0, -1, 0));
        assertEquals(PostStatus.BAD_LENGTH, pair.qp().postSend(1, 0, -5, 0, SendFlags.SIGNALED));
        pair.post(WorkSpec.send(2, Opcode.RDMA_WRITE));
        assertEquals(2, pair.await(WcStatus.SUCCESS).wrId());
    }

    @Test
    void everyCodeExplainsItself() {
        for (int code = 0; code >= PostStatus.BAD_FLUSH; code--) {
            assertTrue(PostStatus.describe(code).length() >= 5, "code " + code);
            assertEquals(code == 0, PostStatus.errno(code) == null, "code " + code);
        }
    }

    @Test
    void typesOfTheNextStepAnswerThatTheyAreUnsupportedOrWork() {
        ProtectionDomain domain = fixture.a().domain();
        for (Executable call : List.<Executable>of(
                () -> domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1).close(),
                () -> domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2).close(),
                () -> domain.createSharedReceiveQueue(new SharedReceiveQueueConfig(1, 1, Threading.SAFE)).close(),
                () -> domain.createAddressHandle(AddressVector.to(fixture.a().gid())).close(),
                () -> createAndClose(QueuePairType.UD), () -> createAndClose(QueuePairType.UC))) {
            try {
                call.execute();
            } catch (Throwable e) {
                assertEquals(Errno.EOPNOTSUPP, ((VerbsException) e).errno());
            }
        }
    }

    private void createAndClose(QueuePairType type) {
        CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
        fixture.a().domain().createQueuePair(
                QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(1)).withType(type)).close();
    }
}
