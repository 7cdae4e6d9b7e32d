package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many lanes on one completion queue: nothing is lost, nothing starves, few are looked at unasked. */
class LaneSelectorTest {
    private static final int LANES = 2000;
    private static final int DEPTH = 8;
    private static final int MAX_HOT = 8;
    private static final int CAPACITY = LANES * DEPTH;

    private final Arena arena = Arena.ofConfined();
    private final CompletionCore core = new CompletionCore(CAPACITY, false, true, new Rings.Events());
    private final List<Source> sources = new ArrayList<>();
    private final WorkCompletion completion = new WorkCompletion();
    private final Random random = new Random(1);

    /** A lane and what is in it. */
    private static final class Source {
        final SendLane lane;
        final int number;
        int produced;
        int polled;
        long waitingSince;

        Source(SendLane lane, int number) {
            this.lane = lane;
            this.number = number;
        }

        boolean isFull() {
            return produced - polled == DEPTH;
        }

        boolean isHot() {
            return (lane.attention & LaneShared.COLD) == 0;
        }
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private void addLanes(int count) {
        for (int i = 0; i < count; i++) {
            SendLane lane = new SendLane(core, i, arena.allocate(SendLane.bytes(DEPTH), 64).address(), DEPTH);
            core.add(lane, DEPTH);
            sources.add(new Source(lane, i));
        }
    }

    private void produce(Source source, long now) {
        if (!source.isFull()) {
            if (source.produced == source.polled) {
                source.waitingSince = now;
            }
            assertTrue(source.lane.produce(source.produced, Detail.of(0, 0, 0, 0), source.produced));
            source.produced++;
        }
    }

    private Source poll() {
        if (core.poll(completion, 1) == 0) {
            return null;
        }
        Source source = sources.get(completion.qpNum());
        assertEquals(source.polled, completion.wrId(), "order in lane " + source.number);
        source.polled++;
        return source;
    }

    private void drain() {
        while (poll() != null) {
            Thread.onSpinWait();
        }
        for (Source source : sources) {
            assertEquals(source.produced, source.polled, "lost in lane " + source.number);
        }
    }

    @Test
    void nothingIsLostWhicheverLanesAreActive() {
        addLanes(LANES);
        for (int round = 0; round < 300; round++) {
            int active = 1 + random.nextInt(random.nextBoolean() ? 5 : LANES);
            int first = random.nextInt(LANES);
            for (int i = 0; i < 3000; i++) {
                if (random.nextInt(3) != 0) {
                    produce(sources.get((first + random.nextInt(active)) % LANES), i);
                } else {
                    poll();
                }
            }
            if (round % 3 == 0) {
                drain();
            }
            assertTrue(sources.stream().filter(Source::isHot).count() <= MAX_HOT);
        }
        drain();
    }

    @Test
    void idleLanesMakeRoomForActiveOnes() {
        addLanes(100);
        for (int round = 0; round < 10; round++) {
            for (int polls = 0; polls < 20_000; polls++) {
                produce(sources.get(round * 10 + polls % 4), polls);
                poll();
                poll();
            }
            for (int i = 0; i < 4; i++) {
                assertTrue(sources.get(round * 10 + i).isHot(), "lane " + i + " of round " + round + " is cold");
            }
        }
        drain();
    }

    @Test
    void busyHotLanesStarveNobody() {
        addLanes(100);
        for (int i = 0; i < MAX_HOT; i++) {
            produce(sources.get(i), 0);
        }
        drain();
        long longest = 0;
        for (long now = 0; now < 300_000; now++) {
            for (int i = 0; i < MAX_HOT; i++) {
                produce(sources.get(i), now);
            }
            if (now % 50 == 0) {
                produce(sources.get(MAX_HOT + random.nextInt(sources.size() - MAX_HOT)), now);
            }
            Source source = poll();
            longest = Math.max(longest, now - source.waitingSince);
            source.waitingSince = now;
        }
        assertTrue(longest < 2000, "a completion waited " + longest + " polls");
    }

    @Test
    void lanesAreRemovedInWhateverStateTheyAre() {
        addLanes(200);
        for (int round = 0; round < 500; round++) {
            for (int i = random.nextInt(100); i > 0; i--) {
                produce(sources.get(random.nextInt(sources.size())), 0);
            }
            for (int i = random.nextInt(100); i > 0; i--) {
                poll();
            }
            int number = random.nextInt(sources.size());
            Source gone = sources.get(number);
            core.remove(gone.lane, DEPTH);
            long memory = arena.allocate(SendLane.bytes(DEPTH), 64).address();
            SendLane lane = new SendLane(core, number, memory, DEPTH);
            core.add(lane, DEPTH);
            sources.set(number, new Source(lane, number));
        }
        drain();
    }
}
