package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** D1: atomics give the prior value, so their user knows whether they swapped; and there is fetch and add. */
class D01PriorValueTest {
    @EveryLink
    void atomicsReturnWhatWasThereBefore(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(16);
            theirs.writable().set(ValueLayout.JAVA_LONG, 8, 40);
            RemoteMemory word = theirs.expose(Ends.REMOTE).remote().slice(8, 8);
            assertEquals(40, ends.await(ends.left.compareAndSwap(word, 40, Long.MIN_VALUE)));
            assertEquals(Long.MIN_VALUE, ends.await(ends.left.compareAndSwap(word, 40, 1)));
            assertEquals(Long.MIN_VALUE, ends.await(ends.left.fetchAndAdd(word, -1)));
            assertEquals(Long.MAX_VALUE, ends.await(ends.left.fetchAndAdd(word, 0)));
            long[] prior = {0};
            ends.left.fetchAndAdd(word, 3, (token, status, value) -> prior[0] = value, 0);
            ends.await(ends.left.flush());
            assertEquals(Long.MAX_VALUE, prior[0]);
            assertEquals(0, theirs.readable().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @EveryLink
    void manyAtATimeFromBothEndsEachGetTheirOwn(String link) {
        try (Ends ends = Ends.open(link)) {
            RemoteMemory word = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            RdmaConnection[] second = RdmaNode.pair(ends.here, ends.there, ends.left.config());
            List<RdmaFuture<Long>> all = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                all.add(ends.left.fetchAndAdd(word, 1));
                all.add(second[0].fetchAndAdd(word, 1));
            }
            Set<Long> prior = new HashSet<>();
            all.forEach(each -> prior.add(ends.await(each)));
            assertEquals(200, prior.size());
            assertEquals(200, ends.await(ends.left.fetchAndAdd(word, 0)));
            second[0].closeNow();
            second[1].closeNow();
        }
    }
}
