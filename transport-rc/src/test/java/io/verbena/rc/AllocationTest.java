package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Opcode;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The data path of the engine allocates nothing: requests, answers, acknowledgements, retransmissions. */
class AllocationTest {
    private static final int ROUNDS = 20_000;
    private static final List<Opcode> OPCODES = List.of(Opcode.SEND, Opcode.SEND_WITH_IMM, Opcode.RDMA_WRITE,
            Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ, Opcode.ATOMIC_FETCH_AND_ADD, Opcode.ATOMIC_CMP_AND_SWP,
            Opcode.ATOMIC_WRITE);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long now;

    @Test
    void exchangesAllocateNothing() {
        try (var arena = Arena.ofConfined()) {
            var responding = new ConnectionConfig.Responding(Node.ALL, 8, 1, 1_000, 4, true);
            var a = new QuietEnd(arena, new ConnectionConfig(1, 2, 1024, 0x200, responding), 0x100);
            var b = new QuietEnd(arena, new ConnectionConfig(2, 1, 1024, 0x100, responding), 0x200);
            for (int warmUp = 0; warmUp < 3; warmUp++) {
                exchange(a, b, ROUNDS);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(a, b, ROUNDS);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertEquals(a.posted, a.sent);
            assertEquals(0, a.failures + b.failures);
            assertTrue(allocated < ROUNDS / 10, allocated + " bytes in " + ROUNDS + " exchanges");
        }
    }

    private void exchange(QuietEnd a, QuietEnd b, int rounds) {
        for (int round = 0; round < rounds; round++) {
            a.opcode = OPCODES.get(round % OPCODES.size()).code();
            a.posted++;
            if (round % 16 == 0) {
                lose(a);
            }
            while (a.sent < a.posted) {
                step(a, b);
            }
        }
    }

    /** What a sends now is lost. */
    private void lose(QuietEnd a) {
        while (a.connection.nextPacket(a.writer, now)) {
            // The packet goes nowhere.
        }
    }

    private void step(QuietEnd a, QuietEnd b) {
        boolean any = QuietEnd.move(a, b, now) | QuietEnd.move(b, a, now);
        if (!any && a.sent < a.posted) {
            now = b.connection.hasDeadline() ? b.connection.nextDeadline() : a.connection.nextDeadline();
            a.connection.onTimeout(now);
            b.connection.onTimeout(now);
        }
    }
}
