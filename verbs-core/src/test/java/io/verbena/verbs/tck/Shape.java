package io.verbena.verbs.tck;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.MemoryKind;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Under what a data transfer case runs.
 *
 * @param mtu path MTU of both sides
 * @param threading of all queues
 * @param kind of all memory
 */
record Shape(Mtu mtu, Threading threading, MemoryKind kind) {
    /** The kinds of memory that every transfer is tried with. */
    static final List<MemoryKind> KINDS =
            List.of(MemoryKind.DEVICE, MemoryKind.SHARED, MemoryKind.AUTO, MemoryKind.GLOBAL);

    /** Every path MTU with every threading mode and every kind of memory. */
    static Stream<Shape> all() {
        return Arrays.stream(Mtu.values()).flatMap(Shape::ofMtu);
    }

    /** Every threading mode and every kind of memory at the usual path MTU. */
    static Stream<Shape> usual() {
        return ofMtu(Mtu.MTU_1024);
    }

    private static Stream<Shape> ofMtu(Mtu mtu) {
        return Arrays.stream(Threading.values())
                .flatMap(threading -> KINDS.stream().map(kind -> new Shape(mtu, threading, kind)));
    }

    /** The message sizes of the reference: around nothing, around the path MTU, and large. */
    int[] sizes() {
        int m = mtu.bytes();
        return new int[] {0, 1, 2, 3, 4, 5, m - 1, m, m + 1, 2 * m, 65_536, (1 << 20) + 3};
    }

    /** The largest of the sizes. */
    static int largest() {
        return (1 << 20) + 3;
    }

    PairSpec spec() {
        return new PairSpec().mtu(mtu).threading(threading);
    }
}
