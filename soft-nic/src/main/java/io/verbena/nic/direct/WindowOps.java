package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
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
 * connected peer's requester, so that is waited for; a type 1 window by any. Own and other requesters may do so at the
 * same time: to wait for each other without end, the guard is left first. What the executor knew of keys and
 * connections before is void afterwards, since the generation has changed. SEND_WITH_INV waits for nobody: the one who
 * could be at work is the one who executes it.
 */
final class WindowOps {
    /** The queue pair was reset meanwhile: the request has gone without a completion. */
    static final int DROPPED = -6;

    private static final int LOCAL_INV = Opcode.LOCAL_INV.code();
    private static final int BIND_MW = Opcode.BIND_MW.code();
    private static final int REFUSED = WcStatus.MW_BIND_ERR.code();

    private final Endpoint self;
    private final Requester requester;
    private final Link link;
    private final MemoryTable table;
    private final MemoryWindows windows;

    WindowOps(Endpoint self, Link link) {
        this.self = self;
        requester = self.requester();
        this.link = link;
        table = self.table();
        windows = table.windows();
    }

    /** Whether a request concerns no peer: {@link #execute} does all of it, and it takes no packet. */
    static boolean isLocal(int opcode) {
        return opcode == LOCAL_INV || opcode == BIND_MW;
    }

    /** Executes a local request; returns a status code or {@link #DROPPED}. */
    int execute(long wqe) {
        // No look at the peer puts this requester on the roster, and who closes a window or region waits for it.
        Fabric.LOCAL.generation().roster().enlist(requester);
        return SendWqe.opcode(wqe) == LOCAL_INV ? invalidate(SendWqe.rkey(wqe)) : bind(wqe);
    }

    private int invalidate(int key) {
        long slot = findOwned(self, key);
        long leaving = slot == 0 ? 0 : windows.beginUnbind(slot, key);
        if (leaving == 0) {
            return WcStatus.LOC_QP_OP_ERR.code();
        }
        awaitUsers(false);
        // Closed meanwhile is unbound as well.
        windows.endUnbind(slot, leaving, false);
        return isDropped() ? DROPPED : 0;
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
        long slot = SendWqe.window(wqe);
        int key = SendWqe.rkey(wqe);
        if (slot == 0 || !MemoryWindows.isWindow(slot, key, self.domain())) {
            return REFUSED;
        }
        boolean shared = MemorySlot.owner(slot) == MemoryWindows.ANYBODY;
        if (shared && SendWqe.compareAdd(wqe) == 0) {
            return unbind(slot);
        }
        // A refused bind leaves the window as it was.
        if (findRegion(wqe, shared) == 0) {
            return REFUSED;
        }
        int status = take(slot, shared);
        return status != 0 ? status : fill(wqe, slot, key, shared);
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
    private int fill(long wqe, long slot, int key, boolean shared) {
        long region = findRegion(wqe, shared);
        if (region == 0 || !MemoryWindows.hold(region)) {
            MemoryWindows.cancelBind(slot);
            return REFUSED;
        }
        int owner = shared ? MemoryWindows.ANYBODY : self.qpNum();
        if (!windows.publish(slot, key, owner, region, SendWqe.remoteAddress(wqe), SendWqe.compareAdd(wqe),
                SendWqe.imm(wqe))) {
            MemoryWindows.drop(region);
            return REFUSED;
        }
        return 0;
    }

    /** Makes a window ready to be published: it is free, or of type 1 and unbound first. */
    private int take(long slot, boolean shared) {
        if (MemoryWindows.beginBind(slot)) {
            return 0;
        }
        long leaving = shared ? windows.beginUnbind(slot, MemoryWindows.key(slot)) : 0;
        if (leaving == 0) {
            return REFUSED;
        }
        awaitUsers(true);
        if (isDropped()) {
            windows.endUnbind(slot, leaving, false);
            return DROPPED;
        }
        return windows.endUnbind(slot, leaving, true) ? 0 : REFUSED;
    }

    /** Binds a type 1 window to nothing; it may be so already. */
    private int unbind(long slot) {
        long leaving = windows.beginUnbind(slot, MemoryWindows.key(slot));
        if (leaving == 0) {
            return MemoryWindows.isFree(slot) ? 0 : REFUSED;
        }
        awaitUsers(true);
        windows.endUnbind(slot, leaving, false);
        return isDropped() ? DROPPED : 0;
    }

    /** Waits, outside the own guard but with the claim, until nobody uses a key that is no longer to be found. */
    private void awaitUsers(boolean all) {
        if (self.outlet() != null) {
            return; // whoever serves requests by packets is who executes this
        }
        // From here on the claim is an ordinary one: a reset waits for it, and the entry stays.
        requester.breathe();
        requester.exitClaimed();
        if (all) {
            Fabric.LOCAL.quiesceRequesters();
        } else {
            Fabric.LOCAL.generation().bump();
            Fences.heavy();
            Requester peer = self.producer();
            if (peer != null && peer != requester) {
                peer.awaitQuiescent();
            }
            if (self.abroad() != null) {
                self.abroad().awaitUser();
            }
        }
        requester.enterClaimed();
        Fabric.LOCAL.generation().roster().enlist(requester);
    }

    private boolean isDropped() {
        return self.state() == QueuePairState.RESET;
    }
}
