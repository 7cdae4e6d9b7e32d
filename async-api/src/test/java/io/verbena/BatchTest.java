package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.QueuePairEndpoint;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Operations that are posted together, and those of several buffers. */
class BatchTest {
    @Test
    void aBatchIsPostedAsAWholeOrNotAtAll() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(4));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory mine = ends.leftMemory(16);
            RemoteMemory remote = ends.rightMemory(16).expose(Ends.REMOTE).remote();
            mine.writable().set(ValueLayout.JAVA_LONG, 0, 42);
            OperationBatch batch = ends.left.batch();
            RdmaFuture<Void> written = batch.write(mine.slice(0, 8), remote.slice(0, 8));
            RdmaFuture<Long> prior = batch.fetchAndAdd(remote.slice(0, 8), 1);
            RdmaFuture<Void> read = batch.read(mine.slice(8, 8), remote.slice(0, 8));
            assertEquals(OperationStatus.SUCCESS, batch.post());
            ends.await(written);
            assertEquals(42, ends.await(prior));
            ends.await(read);
            assertEquals(43, mine.readable().get(ValueLayout.JAVA_LONG, 8));

            OperationBatch tooMany = ends.left.batch();
            for (int i = 0; i < 5; i++) {
                tooMany.fetchAndAdd(remote.slice(0, 8), 1);
            }
            assertEquals(OperationStatus.BACK_PRESSURED, tooMany.post());
            assertEquals(43, ends.await(ends.left.fetchAndAdd(remote.slice(0, 8), 0)));
        }
    }

    @EveryLink
    void severalBuffersAreOneOperationAndFlushWaitsForAll(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(100);
            LocalMemory theirs = ends.rightMemory(60);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            mine.slice(0, 20).writable().fill((byte) 1);
            mine.slice(50, 40).writable().fill((byte) 2);
            List<LocalMemory> parts = List.of(mine.slice(0, 20), mine.slice(50, 40));
            RdmaFuture<Void> written = ends.left.writeVectored(parts, remote, null);
            ends.await(ends.left.flush());
            assertTrue(written.isDone());
            assertEquals((byte) 1, theirs.readable().get(ValueLayout.JAVA_BYTE, 19));
            assertEquals((byte) 2, theirs.readable().get(ValueLayout.JAVA_BYTE, 20));
            List<LocalMemory> into = List.of(mine.slice(0, 1), mine.slice(1, 59));
            ends.await(ends.left.readVectored(into, remote, null));
            assertEquals(-1, mine.slice(0, 60).readable().mismatch(theirs.readable()));
            assertEquals(0, mine.inUse());
        }
    }

    @Test
    void aBatchOvertakesNobody() {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(2)).withBackPressure(BackPressure.queue(4));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            for (int i = 0; i < 3; i++) {
                ends.left.send(mine);
            }
            ends.until(() -> ends.left.core.user.inUse() == 0);
            OperationBatch batch = ends.left.batch();
            assertThrows(IllegalArgumentException.class, () -> batch.read(null, remote));
            batch.read(ends.leftMemory(8), remote);
            assertEquals(OperationStatus.BACK_PRESSURED, batch.post());
        }
    }

    @Test
    void aBatchHasTheConnectionsDeadline() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withDeadline(Duration.ofMillis(20));
        try (RdmaNode node = RdmaNode.open(Ends.node("udp", PollerMode.MANUAL))) {
            PreparedConnection prepared = node.prepare(config);
            QueuePairEndpoint mine = prepared.endpoint();
            RdmaConnection lonely =
                    prepared.connect(new QueuePairEndpoint(mine.gid(), mine.qpNum() ^ 0x5A5A, mine.psn()));
            OperationBatch batch = lonely.batch();
            RdmaFuture<Void> read =
                    batch.read(node.memory().allocate(8), RemoteMemory.of(4_096, 8, 1, Ends.REMOTE));
            assertEquals(OperationStatus.SUCCESS, batch.post());
            assertInstanceOf(DeadlineExceededException.class,
                    assertThrows(ExecutionException.class, () -> Ends.get(read)).getCause());
            lonely.closeNow();
        }
    }
}
