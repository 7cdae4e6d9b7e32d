package io.verbena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;

/** Memory that one end of a {@link ModelPair} exposes: cells and counters with known values, between canaries. */
final class ModelTarget {
    static final int CELL_BYTES = 256;
    private static final int CELLS = 16;
    private static final int COUNTERS = 8;
    private static final int EDGE_BYTES = 64;
    private static final int FIRST_COUNTER = EDGE_BYTES + CELLS * CELL_BYTES;
    private static final int BYTES = FIRST_COUNTER + COUNTERS * Long.BYTES + EDGE_BYTES;
    private static final byte CANARY = 0x5A;

    private final LocalMemory memory;
    private final MemorySegment bytes;
    private final MemoryLease lease;
    private final RemoteMemory remote;
    private final byte[] cells = new byte[CELLS];
    private final long[] counters = new long[COUNTERS];
    /** Places that an operation has for itself. */
    private final boolean[] cellTaken = new boolean[CELLS];
    private final boolean[] counterTaken = new boolean[COUNTERS];

    ModelTarget(RdmaNode node) {
        memory = node.memory().allocate(BYTES);
        bytes = memory.writable();
        bytes.asSlice(0, EDGE_BYTES).fill(CANARY);
        bytes.asSlice(BYTES - EDGE_BYTES).fill(CANARY);
        lease = memory.expose(Ends.REMOTE);
        remote = lease.remote();
    }

    /** A cell that nothing uses, for one operation; -1 when there is none. */
    int takeCell(Random random) {
        return take(cellTaken, random);
    }

    int takeCounter(Random random) {
        return take(counterTaken, random);
    }

    private static int take(boolean[] taken, Random random) {
        int start = random.nextInt(taken.length);
        for (int i = 0; i < taken.length; i++) {
            int at = (start + i) % taken.length;
            if (!taken[at]) {
                taken[at] = true;
                return at;
            }
        }
        return -1;
    }

    RemoteMemory cell(int number) {
        return remote.slice(EDGE_BYTES + (long) number * CELL_BYTES, CELL_BYTES);
    }

    byte valueOf(int cell) {
        return cells[cell];
    }

    RemoteMemory counter(int number) {
        return remote.slice(FIRST_COUNTER + (long) number * Long.BYTES, Long.BYTES);
    }

    long valueOfCounter(int number) {
        return counters[number];
    }

    /** An operation was not started after all. */
    void giveBack(ModelOperation op) {
        (isAtomic(op) ? counterTaken : cellTaken)[op.place] = false;
    }

    private static boolean isAtomic(ModelOperation op) {
        return op.kind == ModelOperation.Kind.ADD || op.kind == ModelOperation.Kind.SWAP;
    }

    /** An operation on a place is quiesced: looks at what it has done, and lets others have the place. */
    void settle(ModelOperation op) {
        boolean sure = op.end == ModelOperation.End.SUCCESS;
        if (isAtomic(op)) {
            long now = bytes.get(ValueLayout.JAVA_LONG, FIRST_COUNTER + (long) op.place * Long.BYTES);
            ModelWorld.check(now == op.after || !sure && now == op.before, () -> op + " has left " + now);
            counters[op.place] = now;
        } else {
            MemorySegment cell = bytes.asSlice(EDGE_BYTES + (long) op.place * CELL_BYTES, CELL_BYTES);
            if (op.kind == ModelOperation.Kind.READ) {
                ModelWorld.check(ModelOperation.holds(cell, cells[op.place]),
                        () -> op + " has changed what it has read");
            } else {
                written(op, cell, sure);
            }
        }
        giveBack(op);
    }

    private void written(ModelOperation op, MemorySegment cell, boolean sure) {
        byte before = (byte) op.before;
        byte after = (byte) op.after;
        ModelWorld.check(sure ? ModelOperation.holds(cell, after) : ModelOperation.isMix(cell, before, after),
                () -> op + " has left " + Arrays.toString(cell.toArray(ValueLayout.JAVA_BYTE)));
        cells[op.place] = cell.get(ValueLayout.JAVA_BYTE, 0);
        if (!ModelOperation.holds(cell, cells[op.place])) {
            cell.fill(cells[op.place]);
        }
    }

    /** Nobody reaches it any more: all is as is known. */
    void close() {
        lease.close();
        ModelWorld.check(ModelOperation.holds(bytes.asSlice(0, EDGE_BYTES), CANARY)
                && ModelOperation.holds(bytes.asSlice(BYTES - EDGE_BYTES), CANARY), "a canary is dead");
        for (int i = 0; i < CELLS; i++) {
            int cell = i;
            ModelWorld.check(ModelOperation.holds(
                    bytes.asSlice(EDGE_BYTES + (long) i * CELL_BYTES, CELL_BYTES), cells[i]),
                    () -> "cell " + cell + " has changed with no operation on it");
        }
        memory.close();
    }
}
