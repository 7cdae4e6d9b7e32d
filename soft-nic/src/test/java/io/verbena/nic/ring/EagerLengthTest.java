package io.verbena.nic.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The eager length never exceeds what fits every receive that is not polled, and recovers. */
class EagerLengthTest {
    private static final int MAX = 64;
    private static final long BUFFER = Rings.block(1024).address();

    private final WorkCompletion completion = new WorkCompletion();

    /** A receive queue, its lane, and a model of them. */
    private static final class Model {
        final ReceiveQueue queue;
        final ReceiveLane lane;
        final ArrayDeque<Integer> unpolled = new ArrayDeque<>();
        int produced;
        long posted;

        Model(boolean singleThreaded) {
            queue = Rings.receiveQueue(singleThreaded);
            lane = Rings.receiveLane(Rings.core(Rings.DEPTH), queue);
        }

        void post(int length, boolean goodKey) {
            int status = queue.post(posted, BUFFER, length, goodKey ? Rings.KEY : Rings.KEY + 1);
            if (unpolled.size() == Rings.DEPTH) {
                assertEquals(PostStatus.QUEUE_FULL, status);
                return;
            }
            assertEquals(PostStatus.OK, status);
            posted++;
            unpolled.addLast(goodKey || length == 0 ? Math.min(length, MAX) : 0);
        }

        int eager() {
            return ReceiveQueue.eagerOf(queue.offered());
        }

        void produce() {
            if (produced < unpolled.size()) {
                lane.produce(Detail.of(0, 0, 0, 0), 0, false);
                produced++;
            }
        }

        void poll(WorkCompletion into) {
            assertEquals(produced > 0 ? 1 : 0, lane.poll(into));
            if (produced > 0) {
                assertEquals(posted - unpolled.size(), into.wrId());
                unpolled.removeFirst();
                produced--;
            }
        }

        void check() {
            assertEquals(posted, ReceiveQueue.postedOf(queue.offered()));
            int least = unpolled.stream().mapToInt(fits -> fits).min().orElse(MAX);
            assertTrue(eager() <= least, "eager " + eager() + " but receives fit " + unpolled);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shortReceiveLowersItUntilPolled(boolean singleThreaded) {
        Model model = new Model(singleThreaded);
        assertEquals(MAX, model.eager());
        model.post(200, true);
        assertEquals(MAX, model.eager());
        model.post(10, true);
        assertEquals(10, model.eager());
        model.post(50, true);
        assertEquals(10, model.eager());
        for (int i = 0; i < 3; i++) {
            model.produce();
            model.poll(completion);
        }
        model.post(64, true);
        assertTrue(model.eager() >= 50, "eager stays at " + model.eager());
        model.produce();
        model.poll(completion);
        model.post(64, true);
        assertEquals(MAX, model.eager());
    }

    @Test
    void shortReceiveLowersItOnlyUntilItIsPolledEvenWhenOthersWait() {
        Model model = new Model(true);
        model.post(10, true);
        model.post(64, true);
        model.produce();
        model.poll(completion);
        model.post(64, true);
        assertEquals(MAX, model.eager());
    }

    @Test
    void receiveUnderWrongKeyAllowsNothing() {
        Model model = new Model(true);
        model.post(64, false);
        assertEquals(0, model.eager());
        model.post(0, false);
        assertEquals(0, model.eager());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void neverExceedsWhatFitsEveryReceive(boolean singleThreaded) {
        Random random = new Random(1);
        Model model = new Model(singleThreaded);
        int lengths = 1;
        for (int i = 0; i < 500_000; i++) {
            if (i % 1000 == 0) {
                lengths = 1 + random.nextInt(128);
            }
            switch (random.nextInt(3)) {
                case 0 -> model.post(random.nextInt(lengths), random.nextInt(20) != 0);
                case 1 -> model.produce();
                default -> model.poll(completion);
            }
            model.check();
        }
    }
}
