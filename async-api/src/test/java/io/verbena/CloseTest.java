package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.verbs.WcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing, in every state and from everywhere. */
class CloseTest {
    @Test
    void whatWasNeverConnectedIsClosedAnyNumberOfTimes() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            PreparedConnection prepared = node.prepare(ConnectionConfig.DEFAULT);
            prepared.close();
            prepared.close();
            assertEquals(0, node.connections());
            assertThrows(IllegalStateException.class, () -> prepared.connect(prepared.endpoint()));
        }
    }

    @ParameterizedTest
    @EnumSource(PollerMode.class)
    void closingTellsThePeerWhichThenTakesNothingMore(PollerMode mode) throws Exception {
        try (Ends ends = Ends.open("soft", ConnectionConfig.DEFAULT, mode)) {
            RdmaFuture<ReceivedMessage> waiting = ends.right.receive();
            long start = System.nanoTime();
            ends.left.close(Duration.ofSeconds(10));
            assertTrue(System.nanoTime() - start < 5_000_000_000L, "the peer's answer ends the wait");
            assertEquals(ConnectionState.CLOSED, ends.left.state());
            ends.until(waiting::isDone);
            ConnectionClosedException told = assertInstanceOf(ConnectionClosedException.class, waiting.exceptionNow());
            assertTrue(told.getCause().getMessage().contains("peer has closed"), told.getCause().getMessage());
            assertInstanceOf(ConnectionClosedException.class, ends.right.send(ends.rightMemory(8)).exceptionNow());
            ends.left.close();
            ends.right.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void closingNowFailsWhateverWaitsAndGivesTheMemoryBack(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(1 << 20);
            LocalMemory offered = ends.leftMemory(1 << 20);
            RemoteMemory remote = ends.rightMemory(1 << 20).expose(Ends.REMOTE).remote();
            List<RdmaFuture<?>> all = new ArrayList<>();
            all.add(ends.left.receive());
            all.add(ends.left.receiveWriteImm());
            all.add(ends.left.requestMemory(10, Ends.REMOTE, null));
            all.add(ends.left.send(offered));
            for (int i = 0; i < 10; i++) {
                all.add(ends.left.write(mine, remote));
            }
            ends.left.closeNow();
            for (RdmaFuture<?> each : all) {
                assertTrue(each.isDone());
                assertTrue(each.quiesced().isDone());
            }
            assertEquals(0, mine.inUse());
            assertEquals(0, offered.inUse());
        }
    }

    @Test
    void aCallbackMayCloseItsConnection() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ends.left.write(mine, remote, (token, status, value) -> {
                    statuses.add(status);
                    ends.left.closeNow();
                }, i);
            }
            ends.until(() -> statuses.size() == 5);
            assertEquals(ConnectionState.CLOSED, ends.left.state());
        }
    }

    @Test
    void aThousandConnectionsLeaveNothing() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            long before = 0;
            for (int i = 0; i < 1_000; i++) {
                RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT.withQueues(
                        QueueConfig.DEFAULT.withSends(8).withReceives(8)));
                try (LocalMemory message = node.memory().allocate(64)) {
                    pair[0].send(message).join();
                    pair[1].receive().join().close();
                    if (i % 2 == 0) {
                        pair[0].close();
                        pair[1].close();
                    } else {
                        pair[1].closeNow();
                        pair[0].closeNow();
                    }
                }
                long used = node.memory().statistics().usedBytes();
                before = i == 0 ? used : before;
                assertEquals(before, used);
                assertEquals(0, node.connections());
                assertEquals(0, node.memory().leases());
            }
        }
    }

    @Test
    void closingANodeClosesItsConnections() {
        RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL));
        RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT);
        RdmaFuture<ReceivedMessage> waiting = pair[0].receive();
        node.close();
        node.close();
        assertTrue(waiting.isCompletedExceptionally());
        assertEquals(ConnectionState.CLOSED, pair[1].state());
        assertThrows(IllegalStateException.class, () -> node.prepare(ConnectionConfig.DEFAULT));
    }

    @Test
    void aFailureBeforeItIsOpenIsNotForgotten() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            PreparedConnection prepared = node.prepare(ConnectionConfig.DEFAULT);
            prepared.core().life.fail(new ConnectionClosedException("its peer is gone already"));
            RdmaConnection connection = prepared.connect(prepared.endpoint());
            assertEquals(ConnectionState.FAILED, connection.state());
        }
    }

    @Test
    void whatGetsInLineAsTheConnectionIsClosedIsToldSo() {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(2)).withBackPressure(BackPressure.queue(4));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory message = ends.leftMemory(8);
            ends.await(ends.left.send(message));
            ends.await(ends.left.send(message));
            // What send does, with a pause before its last step.
            Operation place = ends.left.core.reserve(OpCode.SEND);
            assertTrue(place.isInLine());
            place.length = 8;
            ends.left.core.lend(place, message, false);
            ends.left.closeNow();
            List<Integer> told = new ArrayList<>();
            ends.left.core.start(place, null, (CompletionCallback) (token, status, value) -> told.add(status), 7);
            ends.until(() -> !told.isEmpty());
            assertEquals(List.of(OperationStatus.CLOSED), told);
            assertEquals(0, message.inUse());
        }
    }

    @Test
    void closingWhileALongMessageIsFetchedGivesItsMemoryBack() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory message = ends.leftMemory(1 << 20);
            long before = ends.here.memory().statistics().usedBytes();
            ends.left.send(message);
            while (ends.here.memory().statistics().usedBytes() < before + message.length()) {
                ends.here.poll(1);
            }
            ends.right.closeNow();
            ends.left.closeNow();
            assertEquals(1, ends.here.memory().statistics().usedBlocks(), "the message that was sent");
        }
    }

    @Test
    void aConnectionThatFindsNoMemoryLeavesNothing() {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL)
                .withPool(PoolConfig.DEFAULT.withSlabBytes(1 << 20).withMaxBytes(1 << 20));
        try (RdmaNode node = RdmaNode.open(config)) {
            List<LocalMemory> all = new ArrayList<>();
            assertThrows(MemoryExhaustedException.class, () -> {
                while (true) {
                    all.add(node.memory().allocate(4_096));
                }
            });
            int capacity = node.home().poller().queue().capacity();
            ConnectionConfig small = ConnectionConfig.DEFAULT
                    .withQueues(QueueConfig.DEFAULT.withReceives(16))
                    .withMessages(MessageConfig.DEFAULT.withSlotBytes(1_024));
            for (int i = 0; i < 20; i++) {
                assertThrows(MemoryExhaustedException.class, () -> node.prepare(small));
            }
            PreparedConnection prepared = null;
            while (prepared == null) {
                long used = node.memory().statistics().usedBytes();
                try {
                    prepared = node.prepare(small);
                } catch (MemoryExhaustedException e) {
                    assertEquals(used, node.memory().statistics().usedBytes());
                    assertEquals(0, node.connections());
                }
                all.removeLast().close();
            }
            assertEquals(capacity, node.home().poller().queue().capacity());
            prepared.close();
        }
    }

    @Test
    void theFailedSendIsTheCauseEvenWhenASweptReceiveIsSeenFirst() {
        try (Ends ends = Ends.open("soft")) {
            ConnectionLife life = ends.left.core.life;
            life.receiveFailed(WcStatus.WR_FLUSH_ERR.code(), 0);
            assertEquals(ConnectionState.OPEN, ends.left.state());
            life.failedBy(WcStatus.REM_ACCESS_ERR.code(), 0, OpCode.WRITE, 4_096);
            OperationFailedException cause =
                    assertInstanceOf(OperationFailedException.class, ends.left.failure());
            assertEquals(WcStatus.REM_ACCESS_ERR, cause.status());
        }
    }

    @Test
    void aSweptReceiveThatNothingExplainsIsAFailureToo() {
        try (Ends ends = Ends.open("soft")) {
            ends.left.core.life.receiveFailed(WcStatus.WR_FLUSH_ERR.code(), 0);
            ends.until(() -> ends.left.state() == ConnectionState.FAILED);
        }
    }
}
