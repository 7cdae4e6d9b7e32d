package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Off-heap memory stays flat when objects come and go, without waiting for a collection that nothing may trigger. */
class FlatMemoryTest {
    private static final int CYCLES = 60;
    private static final long ALLOWED_BYTES = 16 << 20;

    /** Bytes of the memory of all arenas. */
    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals("direct")).findFirst().orElseThrow().getMemoryUsed();
    }

    private static void assertFlat(Runnable cycle) {
        cycle.run();
        long before = direct();
        for (int i = 0; i < CYCLES; i++) {
            cycle.run();
        }
        long grown = direct() - before;
        assertTrue(grown < ALLOWED_BYTES, CYCLES + " cycles took " + grown + " bytes");
    }

    @Test
    void sharedReceiveQueuesGiveTheirMemoryBack() {
        try (End end = new End("soft", Setup.of(Threading.SAFE, 1))) {
            long before = ((SoftContext) end.context).nic().pool().bytesInUse();
            assertFlat(() -> {
                SharedReceiveQueue srq = end.pd.createSharedReceiveQueue(
                        new SharedReceiveQueueConfig(4_096, 8, Threading.SAFE));
                end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(1)).withSrq(srq))
                        .close();
                End.ok(srq.postReceive(1, end.at(0), 8, end.region.lkey()));
                srq.resize(8_192);
                srq.close();
            });
            assertEquals(before, ((SoftContext) end.context).nic().pool().bytesInUse());
        }
    }

    @Test
    void datagramQueuePairsGiveTheirMemoryBack() {
        try (End end = new End("soft", Setup.of(Threading.SAFE, 1))) {
            long before = ((SoftContext) end.context).nic().pool().bytesInUse();
            QueuePairCapabilities sizes = new QueuePairCapabilities(16, 16_384, 1, 4, 64);
            assertFlat(() -> end.pd.createQueuePair(
                    QueuePairConfig.rc(end.sendCq, sizes).withType(QueuePairType.UD)).close());
            assertEquals(before, ((SoftContext) end.context).nic().pool().bytesInUse());
        }
    }

    @Test
    void aDeviceOpenedAgainUsesTheMemoryOfTheOneClosed() {
        assertFlat(() -> {
            try (End end = new End("soft13", Setup.of(Threading.SAFE, 64));
                    Context other = Devices.open("soft13")) {
                assertEquals(end.context.device(), other.device());
            }
        });
    }

    /** A thread that posts to whatever queue there is, though it may be closed by then and its memory be another's. */
    @Test
    void latePostsToAClosedQueueHarmNobody() {
        try (End end = new End("soft", Setup.of(Threading.SAFE, 1))) {
            AtomicReference<SharedReceiveQueue> current = new AtomicReference<>();
            current.set(queueOf(end));
            Crew crew = new Crew();
            for (int t = 0; t < 2; t++) {
                crew.start("poster " + t, () -> {
                    for (SharedReceiveQueue srq = current.get(); srq != null; srq = current.get()) {
                        int status;
                        do {
                            status = srq.postReceive(1, end.at(0), 8, end.region.lkey());
                        } while (status == PostStatus.OK || status == PostStatus.QUEUE_FULL);
                        assertEquals(PostStatus.CLOSED, status);
                    }
                });
            }
            ArrayDeque<SharedReceiveQueue> closed = new ArrayDeque<>();
            for (int i = 0; i < 2_000 && !crew.hasFailed(); i++) {
                SharedReceiveQueue old = current.getAndSet(queueOf(end));
                old.close();
                assertHoldsAsManyAsPromised(end);
                closed.add(old);
            }
            current.getAndSet(null).close();
            crew.join();
            closed.forEach(each -> assertEquals(
                    PostStatus.CLOSED, each.postReceive(1, end.at(0), 8, end.region.lkey())));
        }
    }

    private static SharedReceiveQueue queueOf(End end) {
        return end.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(16, 1, Threading.SAFE));
    }

    /** In the memory of the queue closed just before. */
    private static void assertHoldsAsManyAsPromised(End end) {
        SharedReceiveQueue srq = queueOf(end);
        for (int i = 0; i < 16; i++) {
            End.ok(srq.postReceive(i, end.at(0), 8, end.region.lkey()));
        }
        assertEquals(PostStatus.QUEUE_FULL, srq.postReceive(16, end.at(0), 8, end.region.lkey()));
        srq.close();
    }
}
