package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A thousand work requests of all kinds in random lists. */
@DisplayName("C22 completion order")
@Timeout(60)
class CompletionOrderC22Test extends FixtureTest {
    private static final int TOTAL = 1000;
    private static final int WINDOW = 48;
    private static final long SEED = 22;
    private static final Opcode[] OPCODES = {
        Opcode.SEND, Opcode.SEND_WITH_IMM, Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ,
        Opcode.ATOMIC_CMP_AND_SWP, Opcode.ATOMIC_FETCH_AND_ADD};

    private final Random random = new Random(SEED);
    private Pair pair;
    private Buffer local;
    private RemoteBuffer remote;
    private final Deque<Long> expected = new ArrayDeque<>();
    private int receives;

    private WorkSpec next(long wrId, boolean signalled) {
        Opcode opcode = OPCODES[random.nextInt(OPCODES.length)];
        boolean atomic = opcode == Opcode.ATOMIC_CMP_AND_SWP || opcode == Opcode.ATOMIC_FETCH_AND_ADD;
        int size = atomic ? 8 : random.nextInt(10) == 0 ? random.nextInt(100_000) : random.nextInt(300);
        if (opcode == Opcode.SEND || opcode == Opcode.SEND_WITH_IMM || opcode == Opcode.RDMA_WRITE_WITH_IMM) {
            pair.postRemoteReceive(receives++, remote, 0, 100_000);
        }
        int fence = random.nextInt(8) == 0 ? SendFlags.FENCE : 0;
        return WorkSpec.send(wrId, opcode).sge(local.address() + random.nextInt(64), size, local.lkey())
                .remote(remote.address() + random.nextInt(8) * 8L, remote.rkey()).imm((int) wrId)
                .flags(fence | (signalled ? SendFlags.SIGNALED : 0));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void thousandMixedRequestsCompleteInPostingOrder(Shape shape) {
        pair = fixture.connected(shape.spec());
        local = fixture.local(110_000, shape.kind());
        remote = fixture.remote(110_000, shape.kind());
        int received = 0;
        for (long posted = 0; posted < TOTAL; ) {
            List<WorkSpec> list = new ArrayList<>();
            int length = 1 + random.nextInt(16);
            for (int i = 0; i < length && posted < TOTAL; i++, posted++) {
                boolean signalled = posted == TOTAL - 1 || i == length - 1 || random.nextInt(4) != 0;
                list.add(next(posted, signalled));
                if (signalled) {
                    expected.add(posted);
                }
            }
            pair.post(list.toArray(WorkSpec[]::new));
            while (expected.size() > WINDOW - 16 || posted == TOTAL && !expected.isEmpty()) {
                take();
            }
            List<Completion> arrived = pair.awaitRemoteReceives(receives - received);
            for (Completion each : arrived) {
                assertEquals(received++, each.wrId(), "order of receives");
                assertEquals(WcStatus.SUCCESS, each.status());
            }
        }
        pair.expectNoCompletion();
    }

    private void take() {
        List<Completion> some = Waiting.poll(pair.sendCq(), 1, Waiting.LIMIT_NANOS);
        assertEquals(1, some.size(), "a completion in time");
        assertEquals(WcStatus.SUCCESS, some.getFirst().status(), some.toString());
        assertEquals(expected.poll(), some.getFirst().wrId(), "order of sends, seed " + SEED);
    }
}
