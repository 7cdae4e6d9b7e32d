package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.memory.OffHeap;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever another process writes into an inbox, its owner completes each receive once and writes nowhere else. */
class HostileInboxTest {
    private static final int MUTATIONS = 20_000_000;
    private static final int COMPLETIONS_AT = 128;
    private static final int ENTRY_BYTES = 128;
    private static final int BUFFER_BYTES = 64;
    private static final long CANARY = 0x1122_3344_5566_7788L;

    private final Random random = new Random(7);
    private final MemorySegment inbox =
            Arena.ofAuto().allocate(COMPLETIONS_AT + (long) Rings.DEPTH * ENTRY_BYTES, 64);
    private final long around = Rings.block(3 * BUFFER_BYTES).address();
    private final long buffer = around + BUFFER_BYTES;
    private final CompletionCore core = Rings.core(64);
    private final ReceiveQueue queue = Rings.receiveQueue(false);
    private final ReceiveLane lane = Rings.receiveLane(core, queue);
    private final WorkCompletion completion = new WorkCompletion();
    private long posted;
    private long completed;

    @Test
    void mutationsNeitherDoubleNorForgeReceivesNorWriteElsewhere() {
        for (int at = 0; at < BUFFER_BYTES; at += Long.BYTES) {
            OffHeap.putLong(around + at, CANARY);
            OffHeap.putLong(buffer + BUFFER_BYTES + at, CANARY);
        }
        lane.moveTo(inbox, COMPLETIONS_AT);
        for (int i = 0; i < MUTATIONS; i++) {
            if (posted - completed < Rings.DEPTH && random.nextBoolean()) {
                assertEquals(PostStatus.OK, queue.post(posted++, buffer, BUFFER_BYTES, Rings.KEY));
            }
            mutate();
            lane.announceForeign(random.nextBoolean());
            pollAll();
        }
        assertTrue(completed > MUTATIONS / 1_000, "only " + completed + " receives completed");
        for (int at = 0; at < BUFFER_BYTES; at += Long.BYTES) {
            assertEquals(CANARY, OffHeap.getLong(around + at));
            assertEquals(CANARY, OffHeap.getLong(buffer + BUFFER_BYTES + at));
        }
    }

    private void mutate() {
        long entry = COMPLETIONS_AT + (long) random.nextInt(Rings.DEPTH) * ENTRY_BYTES;
        switch (random.nextInt(4)) {
            case 0 -> inbox.set(ValueLayout.JAVA_LONG, entry + ReceiveCompletionLayout.TURN,
                    completed + random.nextInt(2 * Rings.DEPTH));
            case 1 -> inbox.set(ValueLayout.JAVA_LONG, entry + ReceiveCompletionLayout.DETAIL, detail());
            case 2 -> inbox.set(ValueLayout.JAVA_LONG, entry + ReceiveCompletionLayout.IMM,
                    (long) (random.nextInt(8) - 2) << 32);
            default -> inbox.set(ValueLayout.JAVA_LONG,
                    random.nextInt((int) inbox.byteSize() / Long.BYTES) * (long) Long.BYTES, random.nextLong());
        }
    }

    private long detail() {
        return random.nextInt(4) == 0 ? random.nextLong()
                : Detail.of(random.nextInt(100), WcOpcode.RECV.code(), random.nextInt(3), random.nextInt(256));
    }

    private void pollAll() {
        while (core.poll(completion, 1) == 1) {
            assertEquals(completed, completion.wrId());
            assertTrue(completed < posted, "a receive completed that was never posted");
            completed++;
            WcStatus status = completion.status();
            assertNotNull(status);
            if (status == WcStatus.SUCCESS) {
                assertTrue(completion.opcode() == WcOpcode.RECV && completion.byteLen() <= BUFFER_BYTES
                        || completion.opcode() == WcOpcode.RECV_RDMA_WITH_IMM, completion.toString());
            }
        }
    }
}
