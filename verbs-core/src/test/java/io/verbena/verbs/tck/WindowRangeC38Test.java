package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A window opens its own range with its own rights, whatever its region has. */
@DisplayName("C38 access outside a window but inside its region")
@Timeout(60)
class WindowRangeC38Test extends WindowTest {
    private static final List<Opcode> OPCODES =
            List.of(Opcode.RDMA_WRITE, Opcode.RDMA_READ, Opcode.ATOMIC_FETCH_AND_ADD);

    /**
     * One window.
     *
     * @param type of the window
     * @param kind of B's memory
     * @param zeroBased whether A counts from the window's first byte
     */
    record Case(Type type, MemoryKind kind, boolean zeroBased) {}

    static Stream<Case> cases() {
        return Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED, MemoryKind.AUTO).flatMap(kind -> Stream.of(
                new Case(Type.TYPE_1, kind, false), new Case(Type.TYPE_2, kind, false),
                new Case(Type.TYPE_2, kind, true)));
    }

    private long base;
    private int key;

    private void prepare(Case c) {
        prepare(new PairSpec(), c.kind());
        base = c.zeroBased() ? 0 : region.address() + FROM;
        WindowInfo window = window(c.type());
        int access = REMOTE | (c.zeroBased() ? Access.ZERO_BASED : 0);
        if (c.type() == Type.TYPE_1) {
            assertEquals(WcStatus.SUCCESS, bindTypeOne(bind(window, 1, FROM, LENGTH, access)));
            key = key(window);
        } else {
            key = bound(bind(window, 1, FROM, LENGTH, access), window);
        }
    }

    private void refused(Opcode opcode, long offset, long length) {
        assertEquals(WcStatus.REM_ACCESS_ERR, access(pair, opcode, base + offset, length, key),
                opcode + " of " + length + " at " + offset);
        pair.reconnect();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void accessBesideTheWindowIsRefused(Case c) {
        prepare(c);
        for (Opcode opcode : OPCODES) {
            for (long offset : new long[] {-8, LENGTH, -FROM, BYTES - FROM - 8, Long.MIN_VALUE, -1L << 32}) {
                refused(opcode, offset, 8);
            }
        }
        for (Opcode opcode : List.of(Opcode.RDMA_WRITE, Opcode.RDMA_READ)) {
            refused(opcode, -1, 1);
            refused(opcode, -1, LENGTH);
            refused(opcode, 0, LENGTH + 1);
            refused(opcode, LENGTH - 1, 2);
        }
        region.check(0, BYTES, 1, "B's memory");
        local.check(0, BYTES, 2, "A's memory");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void accessWithinTheWindowHitsTheRightBytes(Case c) {
        prepare(c);
        local.fill(100, 50, 3);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE)
                .sge(local.address() + 100, 50, local.lkey()).remote(base + LENGTH - 50, key));
        pair.await(WcStatus.SUCCESS);
        region.check(FROM + LENGTH - 50, 50, 3, "the window's last bytes");
        region.check(0, FROM + LENGTH - 50, 1, "what lies before");
        local.fill(2);
        assertEquals(WcStatus.SUCCESS, access(pair, Opcode.RDMA_WRITE, base, LENGTH, key));
        region.check(FROM, LENGTH, 2, "the whole window");
    }

    @ParameterizedTest
    @CsvSource({"2, RDMA_READ", "2, ATOMIC_FETCH_AND_ADD", "4, RDMA_WRITE", "4, ATOMIC_FETCH_AND_ADD",
        "8, RDMA_WRITE", "8, RDMA_READ", "0, RDMA_WRITE", "0, RDMA_READ", "0, ATOMIC_FETCH_AND_ADD"})
    void rightsAreTheWindowsOwn(int granted, Opcode opcode) {
        prepare();
        region = fixture.remote(BYTES, MemoryKind.DEVICE, Fixture.ALL_ACCESS | Access.MW_BIND).fill(1);
        WindowInfo window = window(Type.TYPE_2);
        base = region.address() + FROM;
        key = bound(bind(window, 1, FROM, LENGTH, granted), window);
        refused(opcode, 0, 8);
        region.check(0, BYTES, 1, "B's memory");
        assertEquals(WcStatus.SUCCESS, access(pair, opcode, base, 8, region.rkey()), "the region's own key");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void atomicOnBytesThatAreNotAlignedInMemoryIsRefused(Case c) {
        prepare(new PairSpec(), c.kind());
        WindowInfo window = window(Type.TYPE_2);
        key = bound(bind(window, 1, FROM + 4, 64, REMOTE | Access.ZERO_BASED), window);
        base = 0;
        assertEquals(WcStatus.REM_INV_REQ_ERR, access(pair, Opcode.ATOMIC_FETCH_AND_ADD, 8, 8, key));
        pair.awaitRemoteEvent("QP_REQ_ERR");
        region.check(0, BYTES, 1, "B's memory");
    }
}
