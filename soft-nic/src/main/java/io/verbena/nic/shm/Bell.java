package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.ring.ReceiveLane;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What one user of the own NIC writes to be noticed: which of the queue pairs that it is connected to have completions,
 * and words that change when sleepers are to wake. Only that user and this process can write here, so nobody swallows
 * the notice of another. Whatever is written, at most somebody looks in vain.
 *
 * <pre>
 *    0 ears        {@link #EARS} words of 8 bytes; the low 4 are what sleepers watch
 *  128 groups      one bit for each 1,024 slots: some bit of theirs is set
 *  256 plain       one bit for each slot: there are completions
 * 8448 solicited   one bit for each slot: there are some that match an arm for solicited completions only
 * </pre>
 */
final class Bell implements AutoCloseable {
    /** Words for sleepers; more completion channels share them. */
    static final int EARS = 16;
    /** The most queue pairs that one user is connected to. */
    static final int SLOTS = 1 << 16;
    /** Where the word of a group of slots is. */
    static final int GROUPS_AT = 128;
    /** Where the bits of slots with completions begin. */
    static final int PLAIN_AT = 256;
    /** Where the bits of slots with solicited completions begin. */
    static final int SOLICITED_AT = PLAIN_AT + SLOTS / Byte.SIZE;
    /** Its size. */
    static final int BYTES = SOLICITED_AT + SLOTS / Byte.SIZE;
    /** Log2 of the slots of a group. */
    static final int GROUP_SHIFT = 10;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final int FIRST_LANES = 8;
    private static final int WORDS_IN_GROUP = (1 << GROUP_SHIFT) / Long.SIZE;

    private final MemoryFile file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final BitSet taken = new BitSet();
    private volatile AtomicReferenceArray<ReceiveLane> lanes = new AtomicReferenceArray<>(FIRST_LANES);
    private volatile long groupsInUse;

    /**
     * Makes one without slots.
     *
     * @throws OsException when the system has no memory or descriptor left
     */
    Bell() throws OsException {
        file = MemoryFile.create("verbena-bell", BYTES);
        try {
            memory = file.map(true, arena);
        } catch (OsException e) {
            file.close();
            throw e;
        }
    }

    /** What to hand over. */
    MemoryFile file() {
        return file;
    }

    // Slots; by the thread that serves the user

    /** Takes a slot for a lane. */
    int add(ReceiveLane lane) {
        int slot = taken.nextClearBit(0);
        taken.set(slot);
        if (slot >= lanes.length()) {
            AtomicReferenceArray<ReceiveLane> more = new AtomicReferenceArray<>(2 * lanes.length());
            for (int i = 0; i < lanes.length(); i++) {
                more.set(i, lanes.get(i));
            }
            lanes = more;
        }
        lanes.set(slot, lane);
        groupsInUse |= 1L << (slot >>> GROUP_SHIFT);
        return slot;
    }

    /** Gives a slot back. */
    void remove(int slot) {
        taken.clear(slot);
        lanes.set(slot, null);
    }

    // By any thread

    /** Announces the lanes that were rung for since the last look. */
    void look() {
        try {
            long groups = groupsInUse;
            if (((long) LONG.getAcquire(memory, (long) GROUPS_AT) & groups) == 0) {
                return;
            }
            groups &= (long) LONG.getAndSet(memory, (long) GROUPS_AT, 0L);
            for (; groups != 0; groups &= groups - 1) {
                int first = Long.numberOfTrailingZeros(groups) * WORDS_IN_GROUP;
                for (int word = first; word < first + WORDS_IN_GROUP; word++) {
                    long solicited = take(SOLICITED_AT + (long) word * Long.BYTES);
                    long plain = take(PLAIN_AT + (long) word * Long.BYTES) & ~solicited;
                    announce(word, plain, false);
                    announce(word, solicited, true);
                }
            }
        } catch (IllegalStateException e) {
            // Closed meanwhile: the user has gone, and its queue pairs flush.
        }
    }

    private long take(long at) {
        return (long) LONG.getAcquire(memory, at) == 0 ? 0 : (long) LONG.getAndSet(memory, at, 0L);
    }

    private void announce(int word, long bits, boolean solicited) {
        AtomicReferenceArray<ReceiveLane> known = lanes;
        for (long left = bits; left != 0; left &= left - 1) {
            int slot = word * Long.SIZE + Long.numberOfTrailingZeros(left);
            ReceiveLane lane = slot < known.length() ? known.get(slot) : null;
            if (lane != null) {
                lane.announceForeign(solicited);
            }
        }
    }

    /** Address of the word that sleepers of an ear watch. */
    long earAt(int ear) {
        return memory.address() + (long) ear * Long.BYTES;
    }

    /** What that word is now; any number once closed. */
    int heard(int ear) {
        try {
            return (int) INT.getVolatile(memory, (long) ear * Long.BYTES);
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    /** Its memory is unmapped here. */
    @Override
    public void close() {
        file.close();
        arena.close();
    }
}
