package io.verbena.nic.memory;

import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.memory.MemoryWindows;
import io.verbena.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A small memory table with a region and a window, for the tests of binding. */
final class WindowTable {
    static final int DOMAIN = 1;
    static final long IOVA = 1 << 20;
    static final long BASE = 1L << 40;
    private static final int KEYS = 4;

    /** Held: the table knows the address only. */
    private final MemorySegment storage = Arena.ofAuto().allocate(MemoryTable.bytesFor(KEYS), 64);
    private int lastKey = 0x0100;
    final MemoryTable table = new MemoryTable(storage.address(), KEYS, () -> lastKey += 0x0100);
    final long region;
    final long window;
    final int key;

    WindowTable() {
        int lkey = table.insert(new MemoryEntry(
                DOMAIN, Access.LOCAL_WRITE | Access.MW_BIND, IOVA, 1 << 16, BASE, 0), MemoryTable.LOCAL);
        region = table.find(lkey, MemoryTable.LOCAL, DOMAIN);
        window = table.windows().insert(DOMAIN, MemoryWindows.NOBODY);
        key = MemoryWindows.key(window);
    }

    /** Binds the window to 64 bytes. */
    void bind(int owner, long offset) {
        MemoryWindows.hold(region);
        MemoryWindows.beginBind(window);
        table.windows().publish(window, key, owner, region, IOVA + offset, 64, Access.REMOTE_WRITE);
    }

    /** Unbinds the window without waiting for anybody. */
    void unbind() {
        table.windows().endUnbind(window, table.windows().beginUnbind(window, key), false);
    }

    /** The offset in the region that the key opens for the peer of a queue pair; -1 for none, -2 for something else. */
    int look(int peer, long offset) {
        KeyCache cache = new KeyCache(table, null, MemoryTable.REMOTE, DOMAIN, peer);
        long found = cache.translate(key, IOVA + offset, 64, Access.REMOTE_WRITE);
        return found == KeyCache.FAULT ? -1 : found == BASE + offset ? (int) offset : -2;
    }
}
