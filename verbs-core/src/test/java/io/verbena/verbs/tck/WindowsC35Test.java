package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Windows of type 1: the device picks the key, any queue pair of the domain serves it, rebinding is allowed. */
@DisplayName("C35 memory windows of type 1")
@Timeout(60)
class WindowsC35Test extends WindowTest {
    private WorkSpec unbind(WindowInfo window) {
        return WorkSpec.send(55, Opcode.BIND_MW).bind(window.handle(), 0, -1, 0, 0, 0);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void boundWindowServesEveryOperationAndTheUnboundOneNone(Shape shape) {
        prepare(shape);
        WindowInfo window = window(Type.TYPE_1);
        mayNotWrite(window.rkey());
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        int key = key(window);
        assertNotEquals(window.rkey(), key, "the device picks a new key");
        for (Opcode opcode : new Opcode[] {Opcode.RDMA_WRITE, Opcode.RDMA_READ}) {
            assertEquals(WcStatus.SUCCESS, access(pair, opcode, region.address() + FROM, LENGTH, key));
        }
        assertEquals(WcStatus.SUCCESS, access(pair, Opcode.ATOMIC_FETCH_AND_ADD, region.address() + FROM, 8, key));
        region.check(0, FROM, 1, "before the window");
        assertEquals(WcStatus.SUCCESS, bindTypeOne(unbind(window)));
        region.fill(1);
        mayNotWrite(key);
        mayNotWrite(key(window));
        region.check(0, BYTES, 1, "after the unbind");
        assertEquals(WcStatus.SUCCESS, bindTypeOne(unbind(window)), "unbinding what is not bound");
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void oldKeyIsDeadAfterEveryRebind(Shape shape) {
        prepare(shape);
        WindowInfo window = window(Type.TYPE_1);
        int old = 0;
        for (int round = 0; round < 5; round++) {
            assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
            int key = key(window);
            mayWrite(key);
            if (round > 0) {
                mayNotWrite(old);
            }
            mayWrite(key);
            old = key;
        }
    }

    @Test
    void rebindMovesTheWindow() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bind(window, 0, 0, 64, REMOTE)));
        mayNotWrite(key(window));
        assertEquals(WcStatus.SUCCESS, access(pair, Opcode.RDMA_WRITE, region.address(), 64, key(window)));
    }

    @Test
    void rebindToAnotherRegionLetsTheFirstOneGo() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        RemoteBuffer first = region;
        region = fixture.remote(BYTES, MemoryKind.SHARED, BINDABLE);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        first.deregister();
        mayWrite(key(window));
        destroy(window.handle());
    }

    @Test
    void everyQueuePairOfTheDomainServesIt() {
        prepare();
        Pair other = fixture.connected();
        WindowInfo window = window(Type.TYPE_1);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        assertEquals(WcStatus.SUCCESS,
                access(other, Opcode.RDMA_WRITE, region.address() + FROM, LENGTH, key(window)));
        region.check(FROM, LENGTH, 2, "written by way of the other queue pair");
    }

    @Test
    void localInvalidationIsNotForType1() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        assertEquals(WcStatus.LOC_QP_OP_ERR, atB(pair, invalidate(3, key(window))));
        pair.reconnect();
        mayWrite(key(window));
    }

    @Test
    void sendWithInvalidateIsNotForType1() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 0)));
        pair.postRemoteReceive(WorkSpec.receive(1));
        pair.post(WorkSpec.send(2, Opcode.SEND_WITH_INV).invalidate(key(window)));
        pair.await(WcStatus.SUCCESS);
        assertNotEquals(WcStatus.SUCCESS, pair.awaitRemoteReceives(1).getFirst().status());
        pair.awaitRemoteState(QueuePairState.ERR);
        pair.reconnect();
        mayWrite(key(window));
    }

    @Test
    void unsignalledBindHasNoCompletionAndWorks() {
        prepare();
        WindowInfo window = window(Type.TYPE_1);
        WorkSpec quiet = bindMiddle(window, 0).flags(0);
        assertEquals(PostStatus.OK, fixture.b().execute(new PeerCommand.BindWindow(pair.remoteQp(), quiet)));
        mayWrite(key(window));
        assertEquals(0, fixture.b().execute(new PeerCommand.Poll(pair.remoteSendCq(), 1, 0)).size());
    }

    @Test
    void wrongArgumentsAreRefusedAtOnce() {
        prepare();
        window(Type.TYPE_1);
        MemoryWindow mine = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(Type.TYPE_1));
        MemoryWindow typeTwo = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(Type.TYPE_2));
        MemoryWindow foreign = fixture.a().keep(fixture.a().otherDomain().allocateMemoryWindow(Type.TYPE_1));
        Buffer memory = fixture.local(64, MemoryKind.DEVICE, BINDABLE);
        MemoryRegion good = memory.region();
        MemoryRegion other = fixture.a().keep(fixture.a().otherDomain().register(memory.segment(), BINDABLE));
        int flags = SendFlags.SIGNALED;
        refused(PostStatus.BAD_WINDOW, Errno.EINVAL, typeTwo.bind(pair.qp(), 1, good, good.address(), 8, 0, flags));
        refused(PostStatus.BAD_REGION, Errno.EINVAL, mine.bind(pair.qp(), 1, null, 0, 8, 0, flags));
        refused(PostStatus.BAD_REGION, Errno.EINVAL, mine.bind(pair.qp(), 1, null, 8, 0, 0, flags));
        refused(PostStatus.OTHER_DOMAIN, Errno.EPERM, mine.bind(pair.qp(), 1, other, good.address(), 8, 0, flags));
        refused(PostStatus.OTHER_DOMAIN, Errno.EPERM, foreign.bind(pair.qp(), 1, other, good.address(), 8, 0, flags));
        refused(PostStatus.BAD_FLAGS, Errno.EINVAL,
                mine.bind(pair.qp(), 1, good, good.address(), 8, 0, flags | SendFlags.INLINE));
        int key = mine.rkey();
        pair.expectNoCompletion();
        assertEquals(key, mine.rkey(), "a refused bind leaves the key");
        assertEquals(PostStatus.OK, mine.bind(pair.qp(), 1, good, good.address(), 8, Access.REMOTE_READ, flags));
        assertEquals(WcOpcode.BIND_MW, pair.await(WcStatus.SUCCESS).opcode());
        mine.close();
        refused(PostStatus.CLOSED, Errno.EINVAL, mine.bind(pair.qp(), 1, good, good.address(), 8, 0, flags));
    }

    private static void refused(int status, Errno errno, int actual) {
        assertEquals(status, actual, PostStatus.describe(actual));
        assertEquals(errno, PostStatus.errno(actual));
    }
}
