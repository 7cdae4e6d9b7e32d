package io.verbena.nic.direct;

import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.QueuePairState;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a queue pair shows of itself to peers in other processes: 128 bytes, written by control calls and, the state
 * alone, by whoever changes it. Whoever reads them looks again when the owner's generation has changed.
 *
 * <pre>
 *   0 state      ordinal of a QueuePairState
 *   8 lives      a number that is another after every reset
 *  16 access     bits of Access that it grants
 *  24 mtu        path MTU, bytes
 *  32 reads      READs and atomics it serves at a time
 *  40 rnrWait    how long to wait when no receive is posted, ns
 *  48 cut        the life whose peer was waited for in vain: what it writes goes nowhere
 * </pre>
 */
public final class PeerNotes {
    private static final int STATE = 0;
    private static final int LIVES = 8;
    private static final int ACCESS = 16;
    private static final int MTU = 24;
    private static final int READS = 32;
    private static final int RNR_WAIT = 40;
    private static final int CUT = 48;
    private static final AtomicLong LAST_LIFE = new AtomicLong();
    private static final QueuePairState[] STATES = QueuePairState.values();

    private PeerNotes() {}

    static void state(long notes, QueuePairState state) {
        OffHeap.putLongRelease(notes + STATE, state.ordinal());
    }

    /** Begins another life; its number is never used twice, since the memory goes from one queue pair to the next. */
    static long newLife(long notes) {
        long number = LAST_LIFE.incrementAndGet();
        OffHeap.putLongRelease(notes + LIVES, number);
        return number;
    }

    static void attributes(long notes, Path path) {
        OffHeap.putLong(notes + ACCESS, path.responder().accessFlags());
        OffHeap.putLong(notes + MTU, path.mtuBytes());
        OffHeap.putLong(notes + READS, path.responder().maxReads());
        OffHeap.putLong(notes + RNR_WAIT, path.responder().rnrWaitNs());
    }

    /** Says that the peer of this life was given up; before its memory is taken from it. */
    public static void cutOff(long notes) {
        OffHeap.putLongRelease(notes + CUT, lives(notes));
    }

    /** Whether the peer of a life was given up. */
    public static boolean isCutOff(long notes, long life) {
        return OffHeap.getLongAcquire(notes + CUT) == life || lives(notes) != life;
    }

    /** The state that is noted; ERR when it is none. */
    public static QueuePairState state(long notes) {
        long ordinal = OffHeap.getLongAcquire(notes + STATE);
        return ordinal >= 0 && ordinal < STATES.length ? STATES[(int) ordinal] : QueuePairState.ERR;
    }

    /** The number of its life. */
    public static long lives(long notes) {
        return OffHeap.getLongAcquire(notes + LIVES);
    }

    /** Path MTU, or 1 when what is noted can't be one. */
    public static int mtu(long notes) {
        return inRange(OffHeap.getLong(notes + MTU), 1, 4_096);
    }

    /** How requests are served. */
    public static Path.Responding responding(long notes) {
        return new Path.Responding((int) OffHeap.getLong(notes + ACCESS),
                inRange(OffHeap.getLong(notes + READS), 0, 1 << 16),
                inRange(OffHeap.getLong(notes + RNR_WAIT), 0, Integer.MAX_VALUE));
    }

    private static int inRange(long value, int least, int most) {
        return (int) Math.clamp(value, (long) least, (long) most);
    }
}
