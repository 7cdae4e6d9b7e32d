package io.verbena.nic;

import io.verbena.nic.memory.CheckedAccess;
import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.memory.MemoryWindows;
import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A memory region: two keys in the memory table. Its control calls revoke first, then wait for data calls. */
final class SoftMemoryRegion implements MemoryRegion {
    private static final int ALL_CHANGES = CHANGE_TRANSLATION | CHANGE_PD | CHANGE_ACCESS;
    private static final int REMOTE_RIGHTS = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC
            | Access.FLUSH_GLOBAL | Access.FLUSH_PERSISTENT;

    private final SoftNic nic;
    private final int lkey;
    private final int rkey;
    private SoftAllocatedMemory allocation;
    private int number;
    private volatile SoftProtectionDomain domain;
    private volatile MemorySegment segment;
    private volatile long iova;
    private volatile int access;
    private boolean closed;
    /** A control call is at work on it, which may have left the lock on its way. */
    private boolean taken;

    SoftMemoryRegion(SoftProtectionDomain domain, MemorySegment segment, long iova, int access) {
        nic = domain.softContext().nic();
        this.domain = domain;
        this.access = access;
        this.iova = RegionChecks.iova(segment, iova, access);
        adopt(segment);
        lkey = nic.table().insert(localEntry(), MemoryTable.LOCAL);
        rkey = nic.table().insert(remoteEntry(), MemoryTable.REMOTE);
    }

    private void adopt(MemorySegment newSegment) {
        segment = newSegment;
        number = nic.regions().add(newSegment);
        allocation = nic.allocations().find(newSegment);
        hold(allocation);
    }

    private void release() {
        nic.regions().remove(number);
        letGo(allocation);
    }

    private static void hold(SoftAllocatedMemory held) {
        if (held != null) {
            held.regionAdded();
        }
    }

    private static void letGo(SoftAllocatedMemory held) {
        if (held != null) {
            held.regionRemoved();
        }
    }

    private void takeTurn() {
        while (taken) {
            nic.fabric().awaitTurn();
        }
        taken = true;
    }

    private void endTurn() {
        taken = false;
        nic.fabric().turnEnded();
    }

    /** Raw addresses only for memory that can't go away; mapped files can shrink under their mapping. */
    private long rawBase() {
        boolean lasting = allocation != null || segment.scope().equals(Arena.global().scope()) && !segment.isMapped();
        return lasting ? segment.address() : 0;
    }

    private MemoryEntry localEntry() {
        return new MemoryEntry(domain.number(), access, iova, segment.byteSize(), rawBase(), number);
    }

    private MemoryEntry remoteEntry() {
        return new MemoryEntry(
                domain.number(), access & REMOTE_RIGHTS, iova, segment.byteSize(), rawBase(), number);
    }

    /** Whether bytes are all inside the region. */
    boolean has(long offset, long length) {
        return lies(segment, offset, length);
    }

    private static boolean lies(MemorySegment in, long offset, long length) {
        return offset >= 0 && offset <= in.byteSize() - length;
    }

    /** Copies bytes by checked access; false when they are not all inside the region, or it is gone. */
    boolean copyOut(long offset, long length, MemorySegment target, long targetOffset) {
        MemorySegment from = segment;
        return lies(from, offset, length)
                && CheckedAccess.copy(from, offset, target, targetOffset, length) == CheckedAccess.DONE;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return iova;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public int access() {
        return access;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public void reregister(int flags, ProtectionDomain newDomain, MemorySegment newSegment, int newAccess) {
        domain.softContext().control(() -> {
            takeTurn();
            try {
                change(flags, newDomain, newSegment, newAccess);
            } finally {
                endTurn();
            }
            return null;
        });
    }

    private void change(int flags, ProtectionDomain newDomain, MemorySegment newSegment, int newAccess) {
        if (closed) {
            throw VerbsException.closed("memory region");
        }
        SoftProtectionDomain wantedDomain = checkChange(flags, newDomain);
        MemorySegment wantedSegment = (flags & CHANGE_TRANSLATION) != 0 ? newSegment : segment;
        int wantedAccess = (flags & CHANGE_ACCESS) != 0 ? newAccess : access;
        RegionChecks.segment(wantedSegment);
        long wantedIova = RegionChecks.iova(wantedSegment,
                (flags & CHANGE_TRANSLATION) != 0 ? wantedSegment.address() : iova, wantedAccess);
        RegionChecks.all(wantedSegment, wantedIova, wantedAccess);
        refuseWhileWindowsAreBound();
        // What the region moves to stays while the lock may be left: memory and domain refuse to be closed.
        SoftAllocatedMemory wantedAllocation = nic.allocations().find(wantedSegment);
        hold(wantedAllocation);
        wantedDomain.add(this);
        revoke();
        letGo(wantedAllocation);
        domain.remove(this);
        if (domain == wantedDomain) {
            domain.add(this);
        }
        domain = wantedDomain;
        access = wantedAccess;
        iova = wantedIova;
        if ((flags & CHANGE_TRANSLATION) != 0) {
            release();
            adopt(wantedSegment);
        }
        nic.table().reinstate(lkey, localEntry());
        nic.table().reinstate(rkey, remoteEntry());
    }

    private SoftProtectionDomain checkChange(int flags, ProtectionDomain newDomain) {
        if (flags == 0 || (flags & ~ALL_CHANGES) != 0) {
            throw VerbsException.invalid("flags", flags, "some of CHANGE_TRANSLATION, CHANGE_PD and CHANGE_ACCESS");
        }
        if ((flags & CHANGE_PD) == 0) {
            return domain;
        }
        if (!(newDomain instanceof SoftProtectionDomain wanted)
                || wanted.softContext() != domain.softContext()) {
            throw VerbsException.invalid("domain", newDomain, "a protection domain of the same context");
        }
        wanted.requireOpen();
        return wanted;
    }

    /** Also keeps windows from being bound from now on, until the keys are reinstated. */
    private void refuseWhileWindowsAreBound() {
        if (!MemoryWindows.sealRegion(nic.table().find(lkey, MemoryTable.LOCAL, domain.number()))) {
            throw VerbsException.busy("memory region", "memory window(s) bound to it");
        }
    }

    /** The domain, for data calls. */
    SoftProtectionDomain softDomain() {
        return domain;
    }

    SoftNic nic() {
        return nic;
    }

    private void revoke() {
        nic.table().revoke(lkey);
        nic.table().revoke(rkey);
        nic.fabric().quiesce();
    }

    @Override
    public String toString() {
        return "memory region at 0x" + Long.toHexString(iova) + " of " + length() + " bytes, "
                + Access.toString(access);
    }

    @Override
    public void close() {
        nic.fabric().controlLock().lock();
        try {
            takeTurn();
            try {
                deregister();
            } finally {
                endTurn();
            }
        } finally {
            nic.fabric().controlLock().unlock();
        }
    }

    private void deregister() {
        if (closed) {
            return;
        }
        refuseWhileWindowsAreBound();
        closed = true;
        revoke();
        nic.table().release(lkey);
        nic.table().release(rkey);
        domain.remove(this);
        release();
        nic.counts().remove(DeviceLimit.MAX_MR);
    }
}
