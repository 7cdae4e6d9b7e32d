package io.verbena.nic.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.KeyCache;
import io.verbena.nic.memory.RegionTable;
import io.verbena.nic.os.Sleeper;
import io.verbena.nic.ring.ArmedWord;
import io.verbena.nic.ring.CompletionCore;
import io.verbena.nic.ring.CompletionListener;
import io.verbena.nic.ring.DeliveryListener;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.nic.ring.ReceiveQueue;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Whatever a user writes into its bell, its owner looks where there is nothing, and hears others. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "bells are memory files of Linux")
class BellTest {
    private static final int DEPTH = 8;
    private static final int MUTATIONS = 1_000_000;
    private static final long BLOCK_BYTES = new ReceiveQueue.Shape(DEPTH, DEPTH, 1).bytes();

    private final Arena arena = Arena.ofShared();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicInteger events = new AtomicInteger();
    private final Bells bells = new Bells(changes::incrementAndGet);
    private final WorkCompletion completion = new WorkCompletion();
    private final CompletionCore core = new CompletionCore(1 << 20, true, false, new CompletionListener() {
        @Override
        public void completionEvent() {
            events.incrementAndGet();
        }

        @Override
        public void overflowed() {
            throw new AssertionError("nothing overflows here");
        }
    });

    @AfterEach
    void free() {
        arena.close();
    }

    private ReceiveLane newLane() {
        MemorySegment block = arena.allocate(BLOCK_BYTES, 128);
        MemorySegment keys = arena.allocate(MemoryTable.bytesFor(16), 128);
        MemoryTable table = new MemoryTable(keys.address(), 16, () -> 1);
        ReceiveQueue queue = new ReceiveQueue(block, new ReceiveQueue.Shape(DEPTH, DEPTH, 1), table, 1, false);
        DeliveryListener listener = () -> { };
        ReceiveLane lane = new ReceiveLane(core, 1, queue,
                new KeyCache(table, new RegionTable(), MemoryTable.LOCAL, 1, 0), new Generation(), listener);
        queue.lane(lane);
        core.add(lane, DEPTH);
        return lane;
    }

    private static void ring(MemorySegment memory, int slot, boolean solicited) {
        long word = (solicited ? Bell.SOLICITED_AT : Bell.PLAIN_AT) + (long) (slot / Long.SIZE) * Long.BYTES;
        memory.set(ValueLayout.JAVA_LONG, word, memory.get(ValueLayout.JAVA_LONG, word) | 1L << slot);
        memory.set(ValueLayout.JAVA_LONG, Bell.GROUPS_AT,
                memory.get(ValueLayout.JAVA_LONG, Bell.GROUPS_AT) | 1L << (slot >>> Bell.GROUP_SHIFT));
    }

    /** Rings, and says whether that made an event. */
    private boolean hears(MemorySegment memory, int slot, boolean solicited) {
        core.arm(true);
        int before = events.get();
        ring(memory, slot, solicited);
        bells.look();
        bells.lookAtAll();
        return events.get() > before;
    }

    @Test
    void eachSlotOfEachGroupIsHeard() throws IOException {
        Bell bell = bells.open();
        MemorySegment memory = bell.file().map(true, arena);
        List<ReceiveLane> lanes = new ArrayList<>();
        int slots = 3_000;
        for (int slot = 0; slot < slots; slot++) {
            lanes.add(newLane());
            assertEquals(slot, bell.add(lanes.getLast()));
        }
        for (int slot = 0; slot < slots; slot += 37) {
            assertTrue(hears(memory, slot, true), "slot " + slot);
            assertTrue(!hears(memory, slot, false), "an event that was not solicited, slot " + slot);
        }
        bell.remove(1_024);
        assertTrue(!hears(memory, 1_024, true));
        assertEquals(1_024, bell.add(lanes.get(5)));
        assertTrue(hears(memory, 1_024, true));
        bells.close(bell);
        assertEquals(1, changes.get());
    }

    @Test
    void whatAHostileUserWritesMakesSpuriousEventsAtMostAndLeavesOthersHeard() throws IOException {
        Random random = new Random(18);
        Bell hostile = bells.open();
        Bell good = bells.open();
        MemorySegment hostileMemory = hostile.file().map(true, arena);
        MemorySegment goodMemory = good.file().map(true, arena);
        for (int i = 0; i < 100; i++) {
            hostile.add(newLane());
        }
        int slot = good.add(newLane());
        for (int i = 0; i < MUTATIONS; i++) {
            long at = random.nextInt(4) == 0 ? Bell.GROUPS_AT
                    : (long) random.nextInt(random.nextBoolean() ? 40 : Bell.BYTES / Long.BYTES) * Long.BYTES;
            hostileMemory.set(ValueLayout.JAVA_LONG, at, random.nextBoolean() ? -1 : random.nextLong());
            bells.look();
            assertEquals(0, core.poll(completion, 1));
            if (i % 100 == 0) {
                bells.lookAtAll();
                assertTrue(hears(goodMemory, slot, true), "a good user is no longer heard");
            }
        }
        bells.close(hostile);
        assertTrue(hears(goodMemory, slot, true));
        bells.close(good);
    }

    @Test
    void whoLooksAtABellThatIsClosedMeanwhileFindsNothing() throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        Thread looker = new Thread(() -> {
            while (rounds.get() < 200) {
                bells.look();
                bells.lookAtAll();
            }
        });
        looker.start();
        try {
            ReceiveLane lane = newLane();
            for (; rounds.get() < 200; rounds.incrementAndGet()) {
                Bell bell = bells.open();
                MemorySegment memory = bell.file().map(true, arena);
                ring(memory, bell.add(lane), true);
                bells.close(bell);
            }
        } finally {
            rounds.set(200);
            looker.join();
        }
    }

    @Test
    void manyUsersAreLookedAtInTurn() throws IOException {
        List<Bell> many = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            many.add(bells.open());
            memories.add(many.getLast().file().map(true, arena));
            many.getLast().add(newLane());
        }
        for (MemorySegment memory : memories) {
            core.arm(true);
            int before = events.get();
            ring(memory, 0, true);
            for (int polls = 0; polls < 4; polls++) {
                bells.look();
            }
            assertEquals(before + 1, events.get());
        }
        many.forEach(bells::close);
    }

    @Test
    void moreUsersThanOneSleepCanWatchHaveThreadsPark() throws IOException {
        List<Bell> many = new ArrayList<>();
        for (int i = 0; i < Sleeper.MAX_WORDS; i++) {
            assertTrue(bells.canBeWatched());
            many.add(bells.open());
        }
        assertTrue(bells.canBeWatched());
        Sleeper.own().begin();
        assertTrue(bells.watch(Sleeper.own(), 3));
        many.add(bells.open());
        assertFalse(bells.canBeWatched());
        Sleeper.own().begin();
        assertFalse(bells.watch(Sleeper.own(), 3));
        many.forEach(bells::close);
        assertTrue(bells.canBeWatched());
    }

    @Test
    void attentionThatLiesElsewhereIsRefused() {
        long board = 8_192;
        assertNull(new Attention(0, 0, 0, 0).problem(board));
        assertNull(new Attention(Bell.SLOTS - 1, board - 8, 8, Bell.EARS - 1).problem(board));
        for (Attention wrong : List.of(new Attention(-1, 0, 0, 0), new Attention(Bell.SLOTS, 0, 0, 0),
                new Attention(0, 0, 0, -1), new Attention(0, 0, 0, Bell.EARS), new Attention(0, -8, 0, 0),
                new Attention(0, board, 0, 0), new Attention(0, 4, 0, 0), new Attention(0, 0, Long.MIN_VALUE, 0),
                new Attention(0, 0, board - 4, 0), new Attention(0, Long.MAX_VALUE - 7, 0, 0))) {
            assertTrue(wrong.problem(board) != null, wrong.toString());
        }
    }

    @Test
    void wordsThatAreUsedAgainAreNotChangedByWhoIsLate() {
        MemorySegment words = arena.allocate(16, 8);
        ArmedWord.Place place = new ArmedWord.Place(words.address(), words.address() + 8, 0);
        CompletionListener nobody = new CompletionListener() {
            @Override
            public void completionEvent() {
                throw new AssertionError("the late one made an event");
            }

            @Override
            public void overflowed() {}
        };
        CompletionCore late = new CompletionCore(8, new ArmedWord(place), false, nobody);
        late.arm(false);
        CompletionCore next = new CompletionCore(8, new ArmedWord(place), false, nobody);
        next.arm(true);
        late.arm(false);
        assertEquals(ArmedWord.ARMED_SOLICITED, ArmedWord.kindOf(words.get(ValueLayout.JAVA_LONG, 0)));
    }
}
