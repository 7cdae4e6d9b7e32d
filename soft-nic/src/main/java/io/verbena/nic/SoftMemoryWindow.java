package io.verbena.nic;

import io.verbena.nic.direct.WindowPosting;
import io.verbena.rc.memory.MemorySlot;
import io.verbena.rc.memory.MemoryWindows;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.VerbsException;

/** A memory window: a slot of the memory table, which work requests fill. */
final class SoftMemoryWindow implements MemoryWindow {
    private static final int CHOICE_MASK = 0xFF;

    private final SoftProtectionDomain domain;
    private final SoftNic nic;
    private final Type type;
    private final long slot;
    /** Type 1: the key of the newest bind. Type 2, once closed: the last key; before, the slot knows it. */
    private volatile int key;
    private volatile boolean closed;
    /** Nothing is under way that was begun with its help. */
    private boolean released;

    SoftMemoryWindow(SoftProtectionDomain domain, Type type) {
        this.domain = domain;
        this.type = type;
        nic = domain.softContext().nic();
        slot = nic.table().windows().insert(
                domain.number(), type == Type.TYPE_1 ? MemoryWindows.ANYBODY : MemoryWindows.NOBODY);
        key = MemoryWindows.key(slot);
    }

    SoftNic nic() {
        return nic;
    }

    /** Where the window is in the memory table; 0 once it is closed. */
    long slot() {
        return closed ? 0 : slot;
    }

    void unbindIfOwnedBy(int qpNum) {
        nic.table().windows().unbindIfOwnedBy(slot, qpNum);
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int rkey() {
        return type == Type.TYPE_1 || closed ? key : MemoryWindows.key(slot);
    }

    @Override
    public int bind(
            QueuePair queuePair, long wrId, MemoryRegion region, long address, long length, int access, int flags) {
        if (!(queuePair instanceof SoftQueuePair poster)) {
            throw VerbsException.invalid("queuePair", queuePair, "a queue pair of the window's protection domain");
        }
        int refused = refusal(poster, region, address, length);
        long ticket = refused != PostStatus.OK ? refused : WindowPosting.begin(poster.requester(), wrId, flags);
        if (ticket < 0) {
            return (int) ticket;
        }
        int next = key & ~CHOICE_MASK | key + 1 & CHOICE_MASK;
        int lkey = region == null ? 0 : region.lkey();
        key = next;
        return WindowPosting.submit(poster.requester(), ticket, slot,
                (long) lkey << Integer.SIZE | next & 0xFFFF_FFFFL, address, length, access);
    }

    private int refusal(SoftQueuePair poster, MemoryRegion region, long address, long length) {
        if (type != Type.TYPE_1) {
            return PostStatus.BAD_WINDOW;
        }
        if (closed) {
            return PostStatus.CLOSED;
        }
        if (poster.protectionDomain() != domain) {
            return PostStatus.OTHER_DOMAIN;
        }
        if (region == null) {
            return address != 0 || length != 0 ? PostStatus.BAD_REGION : PostStatus.OK;
        }
        if (!(region instanceof SoftMemoryRegion soft) || soft.nic() != nic) {
            return PostStatus.BAD_REGION;
        }
        return soft.softDomain() == domain ? PostStatus.OK : PostStatus.OTHER_DOMAIN;
    }

    @Override
    public String toString() {
        return String.format("%s memory window, rkey 0x%08x, %s", type == Type.TYPE_1 ? "type 1" : "type 2", rkey(),
                binding());
    }

    /** What it is bound to now. */
    private String binding() {
        if (closed) {
            return "closed";
        }
        return MemoryWindows.isBound(slot)
                ? String.format("bound to %d bytes at 0x%x for %s", MemorySlot.length(slot), MemorySlot.iova(slot),
                        Access.toString(MemorySlot.access(slot)))
                : "not bound";
    }

    @Override
    public void close() {
        nic.fabric().controlLock().lock();
        try {
            while (closed && !released) {
                nic.fabric().awaitTurn(); // closed by somebody else, who waits for a process without the lock
            }
            if (closed) {
                return;
            }
            nic.table().windows().close(slot);
            key = rkey();
            closed = true;
            nic.fabric().quiesce();
            nic.table().windows().release(slot);
            domain.windowClosed(this);
            released = true;
            nic.fabric().turnEnded();
        } finally {
            nic.fabric().controlLock().unlock();
        }
    }
}
