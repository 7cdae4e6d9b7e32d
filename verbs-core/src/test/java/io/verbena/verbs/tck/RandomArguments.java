package io.verbena.verbs.tck;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.tck.peer.MemoryKind;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random arguments, mostly sensible and sometimes absurd. */
final class RandomArguments {
    private static final int[] EDGES = {0, 1, -1, 7, 31, 32, 255, 4096, 1 << 24, Integer.MAX_VALUE, Integer.MIN_VALUE};

    private final Random random;

    RandomArguments(Random random) {
        this.random = random;
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Usually below a bound, sometimes anything. */
    int number(int bound) {
        return oneIn(12) ? EDGES[below(EDGES.length)] : below(bound);
    }

    <T> T pick(List<T> list) {
        return list.isEmpty() ? null : list.get(below(list.size()));
    }

    <E extends Enum<E>> E pick(E[] values) {
        return values[below(values.length)];
    }

    MemoryKind kind() {
        return Shape.KINDS.get(below(3));
    }

    int access() {
        return oneIn(10) ? random.nextInt() : oneIn(3) ? below(32)
                : Fixture.ALL_ACCESS | (oneIn(2) ? Access.MW_BIND : 0);
    }

    int flags() {
        return oneIn(25) ? random.nextInt()
                : oneIn(6) ? below(SendFlags.ALL + 1) & ~SendFlags.IP_CSUM : SendFlags.SIGNALED;
    }

    int key(int near) {
        return switch (below(60)) {
            case 0 -> random.nextInt();
            case 1 -> near ^ 1 << below(32);
            default -> near;
        };
    }

    long address(long near, long length) {
        return switch (below(60)) {
            case 0 -> random.nextLong();
            case 1 -> near - 1 - below(64);
            case 2 -> near + length - below(16);
            case 3, 4 -> near + below(8);
            default -> near + (length > 16 ? random.nextLong(length / 2) : 0) / 8 * 8;
        };
    }

    long length(long most) {
        return switch (below(70)) {
            case 0 -> random.nextLong();
            case 1 -> EDGES[below(EDGES.length)];
            case 2 -> most + 1;
            case 3 -> 1L << below(34);
            case 4, 5, 6 -> 0;
            default -> random.nextLong(most / 4 + 1);
        };
    }

    /** Attributes with any mask, or those of a sensible step. */
    QueuePairAttributes attributes(Gid gid, QueuePair qp) {
        QueuePairState from = qp.state();
        QueuePairState to = pick(QueuePairState.values());
        if (!oneIn(3)) {
            return step(gid, from, qp.type());
        }
        QueuePairAttributes all = StateDriver.attributes(gid, from, to, List.of(QueuePairAttribute.values()))
                .pathMtu(pick(Mtu.values())).timeout(number(32)).retryCount(number(8)).rnrRetry(number(8))
                .minRnrTimer(number(32)).maxRdAtomic(number(17)).maxDestRdAtomic(number(17)).port(number(2))
                .pkeyIndex(number(2)).accessFlags(access()).destQpNum(number(1 << 20))
                .addressVector(new AddressVector(oneIn(8) ? Gid.ZERO : gid, number(2), number(2), 1, 0, 0));
        return all.mask(oneIn(2) ? random.nextInt(1 << 21) : all.mask());
    }

    private QueuePairAttributes step(Gid gid, QueuePairState from, QueuePairType type) {
        List<TransitionTable.Edge> ways = TransitionTable.edges().stream()
                .filter(edge -> edge.type() == type && edge.from() == from)
                .toList();
        TransitionTable.Edge way = pick(ways);
        return way == null
                ? from == QueuePairState.SQE && oneIn(2) ? QueuePairAttributes.toState(QueuePairState.RTS)
                : QueuePairAttributes.toState(QueuePairState.RESET)
                : StateDriver.attributes(gid, from, way.to(), way.required());
    }

    /** Fills a list with random requests between two buffers. */
    void fill(SendRequests list, Buffer local, Buffer remote, Supplier<Destination> destinations) {
        int count = 1 + below(6);
        for (int i = 0; i < count; i++) {
            Opcode opcode = oneIn(10) ? pick(Opcode.values()) : Opcode.ofCode(below(7));
            list.add(random.nextInt(), opcode, flags()).imm(random.nextInt());
            boolean atomic = RemoteKeyC27Test.isAtomic(opcode);
            int entries = atomic && !oneIn(8) ? 1 : below(4);
            for (int entry = 0; entry < entries; entry++) {
                long length = atomic && !oneIn(8) ? 8 : length(local.region().length());
                list.sge(address(local.address(), local.region().length()), length, key(local.lkey()));
            }
            Destination to = oneIn(10) ? null : destinations.get();
            if (to != null) {
                list.to(to.handle(), to.qpNum(), to.qkey());
            }
            list.remote(address(remote.address(), remote.region().length()), key(remote.region().rkey()));
            if (opcode == Opcode.ATOMIC_CMP_AND_SWP) {
                list.compareAndSwap(random.nextLong(), random.nextLong());
            } else {
                list.fetchAndAdd(random.nextLong());
            }
        }
    }

    /** Fills a list with random receives. */
    void fill(ReceiveRequests list, Buffer local) {
        int count = 1 + below(6);
        for (int i = 0; i < count; i++) {
            list.add(random.nextInt());
            int entries = below(4);
            for (int entry = 0; entry < entries; entry++) {
                list.sge(address(local.address(), local.region().length()), length(local.region().length()),
                        key(local.lkey()));
            }
        }
    }
}
