package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Station;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Sizes at creation: what is granted is at least what was asked for, and what is absurd is refused. */
@DisplayName("C04 creation limits")
@Timeout(60)
class CreationLimitsC04Test extends FixtureTest {
    private long limit(DeviceLimit limit) {
        return fixture.a().context().queryDevice().limit(limit);
    }

    private CompletionQueue cq(int cqe) {
        return fixture.a().keep(fixture.a().context().createCompletionQueue(CompletionQueueConfig.of(cqe)));
    }

    private QueuePair qp(QueuePairType type, QueuePairCapabilities capabilities) {
        QueuePairConfig config = QueuePairConfig.rc(cq(16), capabilities).withType(type);
        return fixture.a().keep(fixture.a().domain().createQueuePair(config));
    }

    private static void invalid(Executable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EINVAL, refusal.errno(), refusal.getMessage());
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void grantsAtLeastTheSizesAskedFor(QueuePairType type) throws Throwable {
        Fixture.orSkip(() -> {
            for (int size : new int[] {0, 1, 3, 16, 17}) {
                QueuePairCapabilities asked =
                        new QueuePairCapabilities(size, size, Math.min(size, 8), Math.min(size, 8), size);
                QueuePairCapabilities granted = qp(type, asked).capabilities();
                assertTrue(granted.maxSendWr() >= asked.maxSendWr() && granted.maxRecvWr() >= asked.maxRecvWr()
                        && granted.maxSendSge() >= asked.maxSendSge() && granted.maxRecvSge() >= asked.maxRecvSge()
                        && granted.maxInlineData() >= asked.maxInlineData(), asked + " gave " + granted);
            }
        });
    }

    static List<QueuePairCapabilities> absurd() {
        int max = Integer.MAX_VALUE;
        return List.of(
                new QueuePairCapabilities(max, 1, 1, 1, 0),
                new QueuePairCapabilities(1, max, 1, 1, 0),
                new QueuePairCapabilities(1, 1, max, 1, 0),
                new QueuePairCapabilities(1, 1, 0xFFFF, 1, 0),
                new QueuePairCapabilities(1, 1, 1, max, 0),
                new QueuePairCapabilities(1, 1, 1, 0xFFFF, 0),
                new QueuePairCapabilities(1, 1, 1, 1, max));
    }

    @ParameterizedTest
    @MethodSource("absurd")
    void absurdSizesAreRefused(QueuePairCapabilities asked) {
        invalid(() -> qp(QueuePairType.RC, asked));
    }

    @Test
    void sizesJustAboveTheDevicesLimitsAreRefused() {
        int wr = (int) limit(DeviceLimit.MAX_QP_WR);
        int sge = (int) limit(DeviceLimit.MAX_SGE);
        int inline = (int) limit(DeviceLimit.MAX_INLINE_DATA);
        invalid(() -> qp(QueuePairType.RC, new QueuePairCapabilities(wr + 1, 1, 1, 1, 0)));
        invalid(() -> qp(QueuePairType.RC, new QueuePairCapabilities(1, wr + 1, 1, 1, 0)));
        invalid(() -> qp(QueuePairType.RC, new QueuePairCapabilities(1, 1, sge + 1, 1, 0)));
        invalid(() -> qp(QueuePairType.RC, new QueuePairCapabilities(1, 1, 1, sge + 1, 0)));
        invalid(() -> qp(QueuePairType.RC, new QueuePairCapabilities(1, 1, 1, 1, inline + 1)));
    }

    @Test
    void entriesAndInlineBytesUpToTheDevicesLimitsAreGranted() {
        int sge = (int) limit(DeviceLimit.MAX_SGE);
        int inline = (int) limit(DeviceLimit.MAX_INLINE_DATA);
        QueuePairCapabilities granted = qp(QueuePairType.RC, new QueuePairCapabilities(1, 1, sge, sge, inline))
                .capabilities();
        assertTrue(granted.maxSendSge() >= sge && granted.maxInlineData() >= inline, granted.toString());
    }

    @Test
    void queuesOfNoPlacesAreLegal() {
        PairSpec spec = new PairSpec();
        spec.a().depth(0, 0).maxSge(0).maxInline(0);
        Pair pair = fixture.connected(spec);
        int sends = pair.qp().capabilities().maxSendWr();
        int receives = pair.qp().capabilities().maxRecvWr();
        if (receives == 0) {
            assertEquals(PostStatus.QUEUE_FULL, pair.qp().postReceive(1, 0, 0, 0));
        }
        if (sends == 0) {
            assertEquals(PostStatus.QUEUE_FULL, pair.tryPost(WorkSpec.send(1, Opcode.RDMA_WRITE)));
        } else {
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
            pair.await(WcStatus.SUCCESS);
        }
    }

    @Test
    void completionQueueOfBadSizeIsRefused() {
        int most = (int) limit(DeviceLimit.MAX_CQE);
        invalid(() -> cq(0));
        invalid(() -> cq(-1));
        invalid(() -> cq(most + 1));
        invalid(() -> cq(Integer.MAX_VALUE));
    }

    @Test
    void completionQueueOfAnyLegalSizeHoldsAtLeastThat() {
        int most = (int) limit(DeviceLimit.MAX_CQE);
        for (int size : new int[] {1, 2, 3, 100, most / 2, most}) {
            assertTrue(cq(size).capacity() >= size, "capacity for " + size);
        }
    }

    @Test
    void everyCompletionVectorWorksAndTheNextIsRefused() {
        int vectors = (int) limit(DeviceLimit.NUM_COMP_VECTORS);
        assertTrue(vectors >= 1);
        var context = fixture.a().context();
        for (int vector = 0; vector < vectors; vector++) {
            fixture.a().keep(context.createCompletionQueue(CompletionQueueConfig.of(4).withCompletionVector(vector)));
        }
        invalid(() -> context.createCompletionQueue(CompletionQueueConfig.of(4).withCompletionVector(vectors)));
        invalid(() -> CompletionQueueConfig.of(4).withCompletionVector(-1));
    }

    @Test
    void objectsOfAnotherContextAreRefused() {
        try (Station other = new Station()) {
            CompletionQueue foreign = other.keep(other.context().createCompletionQueue(CompletionQueueConfig.of(4)));
            CompletionQueue own = cq(4);
            QueuePairConfig config = QueuePairConfig.rc(own, QueuePairCapabilities.ofDepth(4));
            invalid(() -> fixture.a().domain().createQueuePair(config.withRecvCq(foreign)));
            invalid(() -> fixture.a().domain()
                    .createQueuePair(QueuePairConfig.rc(foreign, QueuePairCapabilities.ofDepth(4))));
            var channel = other.keep(other.context().createCompletionChannel());
            invalid(() -> fixture.a().context()
                    .createCompletionQueue(CompletionQueueConfig.of(4).withChannel(channel)));
        }
    }

    @Test
    void queuePairNumbersAreUniqueAndNotReusedSoon() {
        Set<Integer> seen = new HashSet<>();
        CompletionQueue cq = cq(4);
        for (int i = 0; i < 500; i++) {
            try (QueuePair qp = fixture.a().domain()
                    .createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(1)))) {
                assertTrue(seen.add(qp.qpNum()), "number " + qp.qpNum() + " came again after " + i);
                assertEquals(0, qp.qpNum() >>> 24, "24 bits");
            }
        }
    }
}
