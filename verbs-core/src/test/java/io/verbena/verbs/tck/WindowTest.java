package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceCapability;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.Assumptions;

/**
 * A case about memory windows: B has a region that grants peers nothing by its own key, and binds windows to parts of
 * it; A uses them. Skipped on a device without windows.
 */
abstract class WindowTest extends FixtureTest {
    static final int BYTES = 4096;
    static final int FROM = 1024;
    static final int LENGTH = 512;
    static final int REMOTE = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
    static final int BINDABLE = Access.LOCAL_WRITE | Access.MW_BIND;

    Pair pair;
    Buffer local;
    RemoteBuffer region;
    private long nextId = 100;

    void prepare() {
        prepare(new PairSpec(), MemoryKind.DEVICE);
    }

    void prepare(Shape shape) {
        prepare(shape.spec(), shape.kind());
    }

    void prepare(PairSpec spec, MemoryKind kind) {
        pair = fixture.connected(spec);
        local = fixture.local(BYTES, MemoryKind.DEVICE).fill(2);
        region = fixture.remote(BYTES, kind, BINDABLE).fill(1);
    }

    WindowInfo window(MemoryWindow.Type type) {
        return window(PeerCommand.DOMAIN, type);
    }

    WindowInfo window(int domain, MemoryWindow.Type type) {
        DeviceCapability needed = type == MemoryWindow.Type.TYPE_1
                ? DeviceCapability.MEM_WINDOW
                : DeviceCapability.MEM_WINDOW_TYPE_2B;
        Assumptions.assumeTrue(fixture.a().context().queryDevice().capabilities().contains(needed),
                "optional: the device has no windows of this type");
        return fixture.b().execute(new PeerCommand.AllocateWindow(domain, type));
    }

    /** The usual bind of a type 2 window: all rights to the middle of the region. */
    WorkSpec bindMiddle(WindowInfo window, int choice) {
        return bind(window, choice, FROM, LENGTH, REMOTE);
    }

    WorkSpec bind(WindowInfo window, int choice, long offset, long length, int access) {
        return WorkSpec.send(nextId++, Opcode.BIND_MW).bind(window.handle(), choice, region.region().handle(),
                region.address() + offset, length, access);
    }

    static WorkSpec invalidate(long wrId, int key) {
        return WorkSpec.send(wrId, Opcode.LOCAL_INV).invalidate(key);
    }

    /** Posts at B on a pair and answers how it ended. */
    static WcStatus atB(Pair where, WorkSpec work) {
        where.postRemote(work);
        Completion completion = where.awaitRemoteSends(1).getFirst();
        assertEquals(work.wrId(), completion.wrId());
        return completion.status();
    }

    /** Binds a type 2 window, which must succeed, and answers its key. */
    int bound(WorkSpec bind, WindowInfo window) {
        pair.postRemote(bind);
        Completion completion = pair.awaitRemoteSends(1).getFirst();
        assertEquals(WcStatus.SUCCESS, completion.status(), completion.toString());
        assertEquals(WcOpcode.BIND_MW, completion.opcode());
        return key(window);
    }

    int key(WindowInfo window) {
        return fixture.b().execute(new PeerCommand.WindowKey(window.handle()));
    }

    void invalidated(int key) {
        pair.postRemote(invalidate(7, key));
        Completion completion = pair.awaitRemoteSends(1).getFirst();
        assertEquals(WcStatus.SUCCESS, completion.status(), completion.toString());
        assertEquals(WcOpcode.LOCAL_INV, completion.opcode());
    }

    /** Posts a bind of a type 1 window at B and answers how it ended. */
    WcStatus bindTypeOne(WorkSpec bind) {
        assertEquals(PostStatus.OK, fixture.b().execute(new PeerCommand.BindWindow(pair.remoteQp(), bind)));
        Completion completion = pair.awaitRemoteSends(1).getFirst();
        assertEquals(bind.wrId(), completion.wrId());
        return completion.status();
    }

    /** Accesses B's memory from A on a pair and answers how it ended. */
    WcStatus access(Pair where, Opcode opcode, long address, long length, int key) {
        where.post(WorkSpec.send(nextId, opcode).sge(local.address(), length, local.lkey()).remote(address, key));
        Completion completion = where.await();
        assertEquals(nextId++, completion.wrId());
        return completion.status();
    }

    void mayWrite(int key) {
        assertEquals(WcStatus.SUCCESS, access(pair, Opcode.RDMA_WRITE, region.address() + FROM, LENGTH, key));
    }

    /** The key opens nothing; the pair starts over. */
    void mayNotWrite(int key) {
        mayNotWrite(pair, key);
    }

    void mayNotWrite(Pair where, int key) {
        assertEquals(WcStatus.REM_ACCESS_ERR, access(where, Opcode.RDMA_WRITE, region.address() + FROM, 8, key));
        where.reconnect();
    }

    void destroy(int handle) {
        fixture.b().execute(new PeerCommand.Destroy(handle));
    }
}
