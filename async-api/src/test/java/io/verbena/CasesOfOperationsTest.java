package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.QueuePairEndpoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Acceptance cases and defects of other libraries that are about operations and messages, by their numbers.
 * Elsewhere: 8 to 10, 21 and 22 in the tests of connecting, futures and closing; 1 to 5, 11 to 13 and 25 in those of
 * memory.
 */
class CasesOfOperationsTest {
    static List<String> links() {
        return Ends.links().toList();
    }

    @ParameterizedTest
    @MethodSource("links")
    void case15AndD2UnequalLengthsAreRefusedBeforePosting(String link) {
        try (Ends ends = Ends.open(link)) {
            RemoteMemory remote = ends.rightMemory(64).expose(Ends.REMOTE).remote();
            LocalMemory longer = ends.leftMemory(65);
            assertEquals(OperationStatus.LENGTHS, ends.left.write(longer, remote, (token, status, value) -> { }, 0));
            assertEquals(OperationStatus.LENGTHS, ends.left.read(longer, remote, (token, status, value) -> { }, 0));
            assertInstanceOf(IllegalArgumentException.class, ends.failure(ends.left.read(longer, remote)));
            longer.writable();
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void case16EveryFlushCarriesTheRootCause(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(64);
            RemoteMemory wrong = RemoteMemory.of(4096, 64, 0x12345678, Ends.REMOTE);
            List<RdmaFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(ends.left.read(ends.leftMemory(64), wrong));
            }
            RdmaFuture<ReceivedMessage> receive = ends.left.receive();
            Throwable root = ends.failure(all.getFirst());
            for (RdmaFuture<?> each : all.subList(1, 10)) {
                assertSame(root, ends.failure(each).getCause());
            }
            assertSame(root, ends.failure(receive).getCause());
            assertSame(root, ends.failure(ends.left.read(mine, wrong)).getCause());
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void case19NoByteIsLostOrDoubledUnderMixedTraffic(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(7).withSends(16))
                .withMessages(MessageConfig.DEFAULT.withSlotBytes(1_024))
                .withBackPressure(BackPressure.queue(64));
        try (Ends ends = Ends.open(link, config)) {
            Random random = new Random(19);
            int[] arrived = new int[2];
            ends.left.onMessage(message -> check(message, arrived[0]++));
            ends.right.onMessage(message -> check(message, arrived[1]++));
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                for (RdmaConnection from : new RdmaConnection[] {ends.left, ends.right}) {
                    LocalMemory memory = ends.leftMemory(4 + random.nextInt(3_000));
                    if (from == ends.right) {
                        memory = ends.rightMemory(memory.length());
                    }
                    MemorySegment bytes = memory.writable();
                    bytes.fill((byte) i);
                    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, i);
                    sent.add(from.send(memory));
                }
                if (i % 20 == 19) {
                    ends.await(sent.getLast());
                }
            }
            ends.until(() -> arrived[0] == 300 && arrived[1] == 300);
            sent.forEach(ends::await);
        }
    }

    private static void check(ReceivedMessage message, int number) {
        MemorySegment bytes = message.segment();
        assertEquals(number, bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        for (long i = 4; i < bytes.byteSize(); i++) {
            assertEquals((byte) number, bytes.get(ValueLayout.JAVA_BYTE, i));
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void case20TheImmediateDataOfAWriteComeAfterItsBytes(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(8_192);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            LocalMemory mine = ends.leftMemory(8_192);
            for (int i = 1; i <= 50; i++) {
                mine.writable().fill((byte) i);
                RdmaFuture<Integer> told = ends.right.receiveWriteImm();
                RdmaFuture<Void> written = ends.left.writeWithImm(mine, remote, i);
                assertEquals(i, ends.await(told));
                assertEquals((byte) i, theirs.unchecked().get(ValueLayout.JAVA_BYTE, 8_191));
                assertEquals((byte) i, theirs.unchecked().get(ValueLayout.JAVA_BYTE, 0));
                ends.await(written);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void case23AndD5ManyMorePeerCreditsThanPlacesOverflowNothing(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(2).withReceives(64))
                .withBackPressure(BackPressure.queue(400));
        try (Ends ends = Ends.open(link, config)) {
            int[] arrived = new int[1];
            ends.right.onMessage(message -> arrived[0]++);
            LocalMemory one = ends.leftMemory(16);
            int[] ended = new int[1];
            for (int i = 0; i < 400; i++) {
                assertEquals(OperationStatus.SUCCESS, ends.left.send(one, (token, status, value) -> {
                    assertEquals(OperationStatus.SUCCESS, status);
                    ended[0]++;
                }, i));
            }
            ends.until(() -> arrived[0] == 400 && ended[0] == 400);
        }
    }

    @Test
    void case24NoCompletionIsStrandedBetweenPollingAndArming() throws Exception {
        try (Ends ends = Ends.open("soft", ConnectionConfig.DEFAULT, PollerMode.EVENT)) {
            LocalMemory ping = ends.leftMemory(8);
            LocalMemory pong = ends.leftMemory(8);
            Thread echo = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 2_000; i++) {
                    ends.right.receive().join().close();
                    ends.right.send(pong).join();
                }
            });
            for (int i = 0; i < 2_000; i++) {
                Ends.get(ends.left.send(ping));
                Ends.get(ends.left.receive()).close();
            }
            echo.join();
        }
    }

    @Test
    void d6ARefusedPostGivesMemoryAndPlaceBack() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(2));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory mine = ends.leftMemory(200);
            RemoteMemory remote = ends.rightMemory(200).expose(Ends.REMOTE).remote();
            // Too long to be inline: the device refuses it after everything was prepared.
            OperationOptions inline = OperationOptions.DEFAULT.withInline(true);
            for (int i = 0; i < 10; i++) {
                assertInstanceOf(IllegalArgumentException.class,
                        ends.failure(ends.left.write(mine, remote, inline)));
                assertEquals(0, mine.inUse());
                mine.writable();
            }
            ends.await(ends.left.write(mine, remote));
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void d9ImmediateDataAreTheNumberThatWasGiven(String link) {
        try (Ends ends = Ends.open(link)) {
            for (int imm : new int[] {0, 1, 0x01020304, 0x80000000, -1}) {
                ends.left.sendWithImm(ends.leftMemory(1), imm);
                assertEquals(imm, ends.await(ends.right.receive()).immediate());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("links")
    void d12TheStateIsTheRealOneAfterAFailure(String link) {
        try (Ends ends = Ends.open(link)) {
            assertNull(ends.left.failure());
            RemoteMemory wrong = RemoteMemory.of(4096, 8, 0x12345678, Ends.REMOTE);
            ends.failure(ends.left.write(ends.leftMemory(8), wrong));
            assertEquals(ConnectionState.FAILED, ends.left.state());
            ends.until(() -> ends.right.state() == ConnectionState.FAILED);
            assertNotNull(ends.right.failure());
        }
    }

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

    @ParameterizedTest
    @MethodSource("links")
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
