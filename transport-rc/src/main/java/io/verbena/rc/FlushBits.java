package io.verbena.rc;

import io.verbena.verbs.Access;
import io.verbena.verbs.FlushType;

/** The flush header: placement type in bits 0 to 3, selectivity in bits 4 and 5 (IBA Annex A19.4). */
final class FlushBits {
    private static final int TYPE_MASK = 0x0F;
    private static final int SELECTIVITY_SHIFT = 4;
    private static final int SELECTIVITY_MASK = 3;

    private FlushBits() {}

    static int of(int type, long selectivity) {
        return type & TYPE_MASK | (int) (selectivity & SELECTIVITY_MASK) << SELECTIVITY_SHIFT;
    }

    /** The rights that a flush needs. */
    static int rights(int bits) {
        return ((bits & FlushType.GLOBAL) != 0 ? Access.FLUSH_GLOBAL : 0)
                | ((bits & FlushType.PERSISTENT) != 0 ? Access.FLUSH_PERSISTENT : 0);
    }

    static boolean isPersistent(int bits) {
        return (bits & FlushType.PERSISTENT) != 0;
    }

    /** Whether all that a key opens is flushed. */
    static boolean isWhole(int bits) {
        return (bits >>> SELECTIVITY_SHIFT & SELECTIVITY_MASK) == FlushType.REGION;
    }
}
