package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages in frames, over every link. */
class MessagesTest {
    @EveryLink
    void messagesOfEveryLengthArriveWholeAndInOrder(String link) {
        try (Ends ends = Ends.open(link)) {
            int[] lengths = {0, 1, 255, 256, 257, 4079, 4080, 4081, 100_000, 3, 1 << 20, 17};
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            for (int length : lengths) {
                LocalMemory memory = ends.leftMemory(Math.max(1, length)).slice(0, length);
                memory.writable().fill((byte) length);
                sent.add(ends.left.send(memory));
            }
            for (int length : lengths) {
                try (ReceivedMessage message = ends.await(ends.right.receive())) {
                    assertEquals(length, message.length());
                    assertFalse(message.hasImmediate());
                    for (byte each : message.toArray()) {
                        assertEquals((byte) length, each);
                    }
                }
            }
            sent.forEach(ends::await);
        }
    }

    @EveryLink
    void immediateDataComesWithMessagesAndWrites(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory big = ends.leftMemory(10_000);
            ends.left.sendWithImm(Ends.text(ends.here, "small"), 0x80000001);
            ends.left.sendWithImm(big, 77);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            ends.left.writeWithImm(ends.leftMemory(8), remote, -2);
            try (ReceivedMessage message = ends.await(ends.right.receive())) {
                assertEquals("small", Ends.text(message));
                assertTrue(message.hasImmediate());
                assertEquals(0x80000001, message.immediate());
            }
            try (ReceivedMessage message = ends.await(ends.right.receive())) {
                assertEquals(10_000, message.length());
                assertEquals(77, message.immediate());
            }
            assertEquals(-2, ends.await(ends.right.receiveWriteImm()));
        }
    }

    @EveryLink
    void aHandlerGetsManyMoreMessagesThanThereAreReceives(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(4).withSends(8))
                .withBackPressure(BackPressure.queue(1_000));
        try (Ends ends = Ends.open(link, config)) {
            List<String> arrived = new ArrayList<>();
            ends.right.onMessage(message -> arrived.add(Ends.text(message)));
            for (int i = 0; i < 500; i++) {
                ends.left.send(Ends.text(ends.here, "message " + i));
            }
            ends.until(() -> arrived.size() == 500);
            for (int i = 0; i < 500; i++) {
                assertEquals("message " + i, arrived.get(i));
            }
        }
    }

    @Test
    void aMessageThatIsNotClosedHoldsThePeerBackAndNothingFails() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withReceives(3));
        try (Ends ends = Ends.open("soft", config)) {
            LocalMemory one = ends.leftMemory(8);
            List<ReceivedMessage> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ends.await(ends.left.send(one));
                held.add(ends.await(ends.right.receive()));
            }
            assertTrue(ends.failure(ends.left.send(one)) instanceof BackPressureException);
            held.get(1).close();
            ends.here.poll();
            ends.here.poll();
            ends.await(ends.left.send(one));
            assertEquals(8, ends.await(ends.right.receive()).length());
        }
    }

    @Test
    void aCancelledReceiveTakesNoMessage() {
        try (Ends ends = Ends.open("soft")) {
            RdmaFuture<ReceivedMessage> first = ends.right.receive();
            RdmaFuture<ReceivedMessage> second = ends.right.receive();
            assertTrue(first.cancel(false));
            ends.await(ends.left.send(Ends.text(ends.here, "kept")));
            assertEquals("kept", Ends.text(ends.await(second)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 10_000})
    void aHandlerMayCloseItsMessages(int length) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withReceives(4)).withBackPressure(BackPressure.queue(100));
        try (Ends ends = Ends.open("soft", config)) {
            List<Long> arrived = new ArrayList<>();
            ends.right.onMessage(message -> {
                try (message) {
                    arrived.add(message.length());
                }
            });
            for (int i = 0; i < 60; i++) {
                ends.left.send(ends.leftMemory(length));
            }
            ends.until(() -> arrived.size() == 60);
        }
    }

    @Test
    void aHandlerMayEndItselfWhileItIsGivenWhatHasArrived() {
        try (Ends ends = Ends.open("soft")) {
            for (String each : List.of("one", "two", "three")) {
                ends.await(ends.left.send(Ends.text(ends.here, each)));
            }
            ends.here.poll();
            List<String> handled = new ArrayList<>();
            ends.right.onMessage(message -> {
                handled.add(Ends.text(message));
                ends.right.onMessage(null);
            });
            assertEquals(List.of("one"), handled);
            assertEquals("two", Ends.text(ends.await(ends.right.receive())));
            assertEquals("three", Ends.text(ends.await(ends.right.receive())));
        }
    }

    @Test
    void aDependentMayWaitForTheNextMessage() throws Exception {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withInlineDependents(true);
        try (RdmaNode node = RdmaNode.open(config)) {
            RdmaConnection[] pair = node.pair(ConnectionConfig.DEFAULT);
            CompletableFuture<String> both = pair[1].receive().thenApply(first -> {
                try {
                    return Ends.text(first) + Ends.text(pair[1].receive().get(5, TimeUnit.SECONDS));
                } catch (Exception e) {
                    throw new AssertionError("the second message did not come", e);
                }
            });
            pair[0].send(Ends.text(node, "a"));
            pair[0].send(Ends.text(node, "b")).join();
            assertEquals("ab", both.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void aValueInPlaceOfImmediateDataGivesThePeerNoReceive() {
        try (Ends ends = Ends.open("soft")) {
            for (int i = 0; i < 200; i++) {
                CompletableFuture<Integer> early =
                        ends.right.receiveWriteImm().completeOnTimeout(-1, 1, TimeUnit.MICROSECONDS);
                ends.until(early::isDone);
            }
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            ends.left.writeWithImm(ends.leftMemory(8), remote, 7);
            assertEquals(7, ends.await(ends.right.receiveWriteImm()));
            assertEquals(ConnectionState.OPEN, ends.left.state());
            assertEquals(ConnectionState.OPEN, ends.right.state());
        }
    }

    /** Whoever starts one after another is not overtaken by itself as the line becomes empty. */
    @Test
    void whatWaitsInLineIsNotOvertaken() {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(1).withReceives(64))
                .withBackPressure(BackPressure.queue(4));
        try (Ends ends = Ends.open("soft", config, PollerMode.BUSY_SPIN)) {
            List<Long> arrived = Collections.synchronizedList(new ArrayList<>());
            ends.right.onWriteImm((token, status, imm) -> arrived.add(imm));
            LocalMemory mine = ends.leftMemory(8).slice(0, 0);
            RemoteMemory remote = RemoteMemory.of(0, 0, 0, Ends.REMOTE);
            int count = 50_000;
            for (int i = 0; i < count; i++) {
                while (ends.left.writeWithImm(mine, remote, i, (token, status, value) -> { }, i)
                        == OperationStatus.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            }
            Waiting.until("all arrive", () -> arrived.size() == count);
            for (int i = 0; i < count; i++) {
                assertEquals(i, arrived.get(i));
            }
        }
    }
}
