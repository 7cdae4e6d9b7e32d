package io.verbena.nic.shm;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A NIC that waits for something shows that its process runs, and does not wait long for one that does not. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
@Timeout(90)
class LifeTest {
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < LIMIT_NS, what);
            Thread.onSpinWait();
        }
    }

    @Test
    void aLongControlCallDoesNotMakeAProcessLookStopped() throws Exception {
        try (Context context = Devices.open("soft7?link=shm"); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(context.queryGid(1, 0).gid(), ended -> { })) {
            Fabric.LOCAL.controlLock().lock();
            CompletableFuture<Void> asking;
            try {
                // Its thread needs the lock for the answer.
                asking = CompletableFuture.runAsync(() -> {
                    try {
                        attachment.openRegion(1);
                    } catch (IOException e) {
                        // There is no such key.
                    }
                });
                for (int beats = 0; beats < 5; beats++) {
                    long pulse = Board.pulse(attachment.board());
                    await("a beat", () -> Board.pulse(attachment.board()) != pulse);
                }
            } finally {
                Fabric.LOCAL.controlLock().unlock();
            }
            asking.get(LIMIT_NS, TimeUnit.NANOSECONDS);
        }
    }

    @Test
    void closingDoesNotWaitForAProcessThatTakesNobodyIn() throws Exception {
        Gid stopped = FakeNic.anyGid();
        try (UnixSocket listener = UnixSocket.listen(AttachmentService.address(FakeNic.uid(), stopped))) {
            Context context = Devices.open("soft7?link=shm&peer_timeout_ms=60000");
            ProtectionDomain pd = context.allocateProtectionDomain();
            CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(16));
            QueuePair qp = pd.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(8)));
            qp.modify(QueuePairAttributes.init(1, 0));
            CompletableFuture<Void> connecting = CompletableFuture.runAsync(() ->
                    qp.modify(QueuePairAttributes.readyToReceive(new QueuePairEndpoint(stopped, 77, 5))),
                    task -> Thread.ofPlatform().daemon().start(task));
            assertNotEquals(null, listener.accept((int) TimeUnit.NANOSECONDS.toMillis(LIMIT_NS)));
            long start = System.nanoTime();
            qp.close();
            cq.close();
            pd.close();
            context.close();
            assertTrue(System.nanoTime() - start < LIMIT_NS, "closing waited for an answer");
            connecting.get(LIMIT_NS, TimeUnit.NANOSECONDS);
        }
    }
}
