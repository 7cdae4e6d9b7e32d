package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What shared receive queues cost as they grow and as queue pairs come and go. */
class SharedQueueMemoryTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long MIB = 1 << 20;

    private final End end = new End("soft", Setup.of(Threading.SAFE, 1));
    private final int most = (int) end.context.queryDevice().limit(DeviceLimit.MAX_SRQ_WR);

    @AfterEach
    void close() {
        end.close();
    }

    private SharedReceiveQueue open(int places) {
        return end.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(places, 1, Threading.SAFE));
    }

    @Test
    void theSmallestGrowsToTheLargestInFewSteps() {
        try (SharedReceiveQueue srq = open(1)) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            srq.resize(most);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            assertTrue(allocated < 64 * MIB, allocated + " bytes of heap for growing");
            for (int i = 0; i < most; i++) {
                End.ok0(srq.postReceive(i, end.at(0), 64, end.region.lkey()));
            }
            assertEquals(PostStatus.QUEUE_FULL, srq.postReceive(most, end.at(0), 64, end.region.lkey()));
        }
    }

    @Test
    void queuePairsThatComeAndGoLeaveNoMemoryBehind() {
        SoftNic nic = ((SoftContext) end.context).nic();
        try (SharedReceiveQueue srq = open(most)) {
            attachAndClose(srq);
            Footprint before = Footprint.of(nic);
            // Each needs room for as many completions as there are receives: a quarter of a mebibyte.
            for (int i = 0; i < 100; i++) {
                attachAndClose(srq);
            }
            Crew.await("giving memory back", () -> Footprint.of(nic).minus(before).direct() < 4 * MIB);
        }
    }

    private void attachAndClose(SharedReceiveQueue srq) {
        end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(1))
                .withRecvCq(end.recvCq).withSrq(srq)).close();
        assertEquals(0, end.recvCq.poll(new WorkCompletion()));
    }
}
