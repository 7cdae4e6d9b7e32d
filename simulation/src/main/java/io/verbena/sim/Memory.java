package io.verbena.sim;

import io.verbena.rc.HostMemory;
import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The memory of an end under its keys, beside it a shadow of what it must hold. What nobody can know, because a request
 * on it failed halfway, is marked and left out of comparisons.
 */
final class Memory {
    /** By this address peers name the first target; no end's memory lies there. */
    static final long TARGETS = 0x7000_0000_0000L;
    static final long READABLE = 0x10_0000L;
    static final long COUNTER = -4096;

    private static final int DOMAIN = 3;
    private static final int MAX_KEYS = 16;

    final Layout layout;
    final MemorySegment segment;
    final byte[] shadow;
    final int lkey;
    final int targetKey;
    final int readKey;
    final int counterKey;
    final int foreignKey;
    final int constantKey;
    private final MemoryTable table;
    private final boolean[] unknown;
    private byte[] whenRevoked;

    Memory(Arena arena, Layout layout, SplittableRandom random, long readableNoise) {
        this.layout = layout;
        segment = arena.allocate(layout.bytes, 64);
        shadow = new byte[layout.bytes];
        unknown = new boolean[layout.bytes];
        long storage = arena.allocate(MemoryTable.bytesFor(MAX_KEYS), 64).address();
        table = new MemoryTable(storage, MAX_KEYS, random::nextInt);
        lkey = key(DOMAIN, Access.LOCAL_WRITE, 0, 0, layout.bytes, MemoryTable.LOCAL);
        int writes = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
        targetKey = key(DOMAIN, writes, TARGETS, layout.targets, layout.targetBytes(), MemoryTable.REMOTE);
        foreignKey = key(DOMAIN + 1, writes, TARGETS, layout.targets, layout.targetBytes(), MemoryTable.REMOTE);
        constantKey = key(DOMAIN, Access.REMOTE_READ, TARGETS, layout.targets, layout.targetBytes(),
                MemoryTable.REMOTE);
        readKey = key(DOMAIN, Access.REMOTE_READ, READABLE, layout.readable, layout.maxLength, MemoryTable.REMOTE);
        counterKey = key(DOMAIN, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC, COUNTER, layout.counter, 8,
                MemoryTable.REMOTE);
        Noise.put(readableNoise, segment, layout.readable, shadow, layout.maxLength);
    }

    private int key(int domain, int access, long iova, int at, long length, int kind) {
        return table.insert(new MemoryEntry(domain, access, iova, length, segment.address() + at, 1), kind);
    }

    HostMemory host(int qpNum) {
        return new HostMemory(table, region -> segment, DOMAIN, qpNum);
    }

    long counter() {
        return segment.get(ValueLayout.JAVA_LONG, layout.counter);
    }

    /** Takes what peers may use away from them; nothing of it may change any more. */
    void revoke() {
        for (int key : new int[] {targetKey, readKey, counterKey}) {
            table.revoke(key);
            table.release(key);
        }
        whenRevoked = segment.asSlice(layout.targets, layout.targetBytes()).toArray(ValueLayout.JAVA_BYTE);
    }

    boolean isRevoked() {
        return whenRevoked != null;
    }

    /** Nobody can know what is there. */
    void forget(int at, int length) {
        Arrays.fill(unknown, at, at + length, true);
    }

    /** It is known again what is there. */
    void know(int at, int length) {
        Arrays.fill(unknown, at, at + length, false);
    }

    /** The strip behind a slot is as it was. */
    void checkGuard(int slot, String what) {
        int from = slot + layout.stride - Layout.GUARD;
        for (int at = from; at < from + Layout.GUARD; at++) {
            if (segment.get(ValueLayout.JAVA_BYTE, at) != shadow[at]) {
                throw new Violation("O3: " + what + " wrote beyond its place");
            }
        }
    }

    /** Everything is as the shadow says. */
    void checkAll(String name) {
        byte[] now = segment.toArray(ValueLayout.JAVA_BYTE);
        for (int at = 0; at < now.length; at++) {
            if (now[at] != shadow[at] && !unknown[at]) {
                throw new Violation("O3: byte " + at + " of the memory of " + name + " is " + now[at] + ", not "
                        + shadow[at]);
            }
        }
        if (whenRevoked != null && Arrays.mismatch(now, layout.targets, layout.targets + layout.targetBytes(),
                whenRevoked, 0, whenRevoked.length) >= 0) {
            throw new Violation("O4: memory of " + name + " was written after it had been taken back");
        }
    }
}
