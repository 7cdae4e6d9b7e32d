package io.verbena.nic.direct;

import io.verbena.nic.ring.SendWqe;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.memory.MemoryWindows;
import io.verbena.verbs.Access;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WcStatus;

/**
 * Binds and unbinds memory windows: BIND_MW, LOCAL_INV, and the second half of SEND_WITH_INV (IBA 10.6.7). Used by the
 * holder of the send queue, inside its guard.
 *
 * <p>When an unbind is reported, nobody may still be at work under the old key. A type 2 window can be used only by the
 * connected peer's requester, so that one must have ended what it was at; a type 1 window by any. Nobody is waited for
 * here: while somebody is at work, the request stays at the head of the send queue and is taken up again by whoever
 * drives progress. SEND_WITH_INV needs no such care: the one who could be at work is the one who executes it.
 */
final class WindowOps {
    private static final int LOCAL_INV = Opcode.LOCAL_INV.code();
    private static final int BIND_MW = Opcode.BIND_MW.code();
    private static final int REFUSED = WcStatus.MW_BIND_ERR.code();

    private final Endpoint self;
    private final Link link;
    private final MemoryTable table;
    private final MemoryWindows windows;
    private final Unbinding users;
    /** The window that the request at the head unbinds, and what the end of that wants: 0 while there is none. */
    private long slot;
    private long leaving;

    WindowOps(Endpoint self, Link link) {
        this.self = self;
        this.link = link;
        users = new Unbinding(self);
        table = self.table();
        windows = table.windows();
    }

    /** Whether a request concerns no peer: {@link #execute} does all of it, and it takes no packet. */
    static boolean isLocal(int opcode) {
        return opcode == LOCAL_INV || opcode == BIND_MW;
    }

    /** Executes a local request, or goes on with it; returns a status code or {@link Outcome#PENDING}. */
    int execute(long wqe) {
        // No look at the peer puts this requester on the roster, and who closes a window or region waits for it.
        Fabric.LOCAL.generation().roster().enlist(self.requester());
        if (leaving != 0) {
            return endUnbind(wqe);
        }
        return SendWqe.opcode(wqe) == LOCAL_INV ? invalidate(wqe) : bind(wqe);
    }

    /** Whether the request at the head has begun to unbind a window. */
    boolean isUnbinding() {
        return leaving != 0;
    }

    /** Ends what the request at the head has begun, which is dropped and has to wait for nobody any more. */
    void drop() {
        if (leaving != 0) {
            windows.endUnbind(slot, leaving, false);
            leaving = 0;
            users.drop();
        }
    }

    private int invalidate(long wqe) {
        int key = SendWqe.rkey(wqe);
        long window = findOwned(self, key);
        return window != 0 && beginUnbind(window, key, false) ? endUnbind(wqe) : WcStatus.LOC_QP_OP_ERR.code();
    }

    /** Makes a window unknown; false when it is not bound under that key. */
    private boolean beginUnbind(long window, int key, boolean all) {
        slot = window;
        leaving = windows.beginUnbind(window, key);
        if (leaving != 0) {
            noteUsers(all);
        }
        return leaving != 0;
    }

    /** Outside the own guard, since that takes a while and others may do so at the same time; with the claim. */
    private void noteUsers(boolean all) {
        if (self.outlet() != null) {
            return; // whoever serves requests by packets is who executes this
        }
        Requester requester = self.requester();
        // From here on the claim is an ordinary one: a reset waits for it.
        requester.breathe();
        requester.exitClaimed();
        users.begin(all);
        requester.enterClaimed();
        Fabric.LOCAL.generation().roster().enlist(requester);
    }

    private int endUnbind(long wqe) {
        // A reset drops it, once it has seen for itself that nobody is at work.
        if (self.state() == QueuePairState.RESET || !users.isOver()) {
            return Outcome.PENDING;
        }
        boolean rebind = SendWqe.opcode(wqe) == BIND_MW && SendWqe.compareAdd(wqe) != 0;
        // Closed meanwhile is unbound as well.
        boolean open = windows.endUnbind(slot, leaving, rebind);
        leaving = 0;
        if (!rebind) {
            return 0;
        }
        return open ? fill(wqe, true) : REFUSED;
    }

    /** The type 2 window that a queue pair has bound under a key, or 0. */
    private static long findOwned(Endpoint owner, int key) {
        long slot = key == 0 ? 0 : owner.table().find(key, MemoryTable.REMOTE, owner.domain());
        return slot != 0 && MemorySlot.owner(slot) == owner.qpNum() ? slot : 0;
    }

    /** Unbinds a window of the peer; false when it has none under that key. */
    boolean invalidateRemote(int key) {
        if (!(link.peer instanceof Endpoint owner)) {
            return false; // windows of another process are out of reach
        }
        long slot = findOwned(owner, key);
        MemoryWindows theirs = owner.table().windows();
        long leaving = slot == 0 ? 0 : theirs.beginUnbind(slot, key);
        if (leaving == 0) {
            return false;
        }
        link.remote.clear();
        theirs.endUnbind(slot, leaving, false);
        return true;
    }

    private int bind(long wqe) {
        long window = SendWqe.window(wqe);
        if (window == 0 || !MemoryWindows.isWindow(window, SendWqe.rkey(wqe), self.domain())) {
            return REFUSED;
        }
        boolean shared = MemorySlot.owner(window) == MemoryWindows.ANYBODY;
        boolean rebind = SendWqe.compareAdd(wqe) != 0;
        // A refused bind leaves the window as it was.
        if ((rebind || !shared) && findRegion(wqe, shared) == 0) {
            return REFUSED;
        }
        if (rebind && MemoryWindows.beginBind(window)) {
            return fill(wqe, shared);
        }
        if (shared && beginUnbind(window, MemoryWindows.key(window), true)) {
            return endUnbind(wqe);
        }
        return shared && !rebind && MemoryWindows.isFree(window) ? 0 : REFUSED;
    }

    /** The slot of the lkey of the region that may be bound as asked, or 0. */
    private long findRegion(long wqe, boolean shared) {
        int lkey = SendWqe.bindKey(wqe);
        int access = SendWqe.imm(wqe);
        long region = lkey == 0 ? 0 : table.find(lkey, MemoryTable.LOCAL, self.domain());
        boolean allowed = region != 0 && !(shared && (access & Access.ZERO_BASED) != 0)
                && MemoryWindows.mayBind(region, SendWqe.remoteAddress(wqe), SendWqe.compareAdd(wqe), access);
        return allowed ? region : 0;
    }

    /** Binds a window that was taken. The region is looked at again: the guard may have been left meanwhile. */
    private int fill(long wqe, boolean shared) {
        long window = SendWqe.window(wqe);
        long region = findRegion(wqe, shared);
        if (region == 0 || !MemoryWindows.hold(region)) {
            MemoryWindows.cancelBind(window);
            return REFUSED;
        }
        int owner = shared ? MemoryWindows.ANYBODY : self.qpNum();
        if (!windows.publish(window, SendWqe.rkey(wqe), owner, region, SendWqe.remoteAddress(wqe),
                SendWqe.compareAdd(wqe), SendWqe.imm(wqe))) {
            MemoryWindows.drop(region);
            return REFUSED;
        }
        return 0;
    }
}
