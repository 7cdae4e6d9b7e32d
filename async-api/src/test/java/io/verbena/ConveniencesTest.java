package io.verbena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Short forms of what is done often. */
class ConveniencesTest {
    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        return bytes;
    }

    @Test
    void bytesAreSentAsACopyWhateverTheirLength() {
        try (Ends ends = Ends.open("soft")) {
            long used = ends.here.memory().statistics().usedBytes();
            for (int length : new int[] {0, 1, 200, 3_000, 70_000}) {
                byte[] message = bytes(length);
                RdmaFuture<Void> sent = ends.left.send(message);
                Arrays.fill(message, (byte) -1);
                try (ReceivedMessage received = ends.await(ends.right.receive())) {
                    assertArrayEquals(bytes(length), received.toArray());
                }
                ends.await(sent);
            }
            assertEquals(used, ends.here.memory().statistics().usedBytes());
        }
    }

    @Test
    void aSegmentOfAnyKindIsSentAsACopy() {
        try (Ends ends = Ends.open("soft"); Arena arena = Arena.ofConfined()) {
            MemorySegment confined = arena.allocateFrom("confined", StandardCharsets.UTF_8);
            ends.left.send(confined.asSlice(0, 8));
            confined.fill((byte) 0);
            try (ReceivedMessage received = ends.await(ends.right.receive())) {
                assertEquals("confined", Ends.text(received));
            }
        }
    }

    @Test
    void bytesThatAreTooManyAreRefusedWithoutMemory() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withMaxBytes(100));
        try (Ends ends = Ends.open("soft", config)) {
            RdmaFuture<Void> refused = ends.left.send(new byte[101]);
            String why = assertInstanceOf(IllegalArgumentException.class, refused.exceptionNow()).getMessage();
            assertTrue(why.contains("101") && why.contains("100"), why);
            assertTrue(refused.quiesced().isDone());
        }
    }

    @Test
    void aPoolWithoutRoomFailsTheFuture() {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL)
                .withPool(PoolConfig.DEFAULT.withSlabBytes(1 << 20).withMaxBytes(2 << 20));
        try (RdmaNode node = RdmaNode.open(config); ConnectionPair pair = ConnectionPair.open(node)) {
            assertInstanceOf(MemoryExhaustedException.class, pair.left().send(bytes(3 << 20)).exceptionNow());
            assertEquals(ConnectionState.OPEN, pair.left().state());
        }
    }

    @Test
    void aPairHasNames() throws Exception {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.ADAPTIVE))) {
            try (ConnectionPair pair = ConnectionPair.open(node)) {
                pair.left().send(bytes(10));
                try (ReceivedMessage received = Ends.get(pair.right().receive())) {
                    assertEquals(10, received.length());
                }
            }
            assertEquals(0, node.connections());
        }
    }

    @Test
    void memoryOfNoBytesIsRefusedWithWhatToDoInstead() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            String why = assertThrows(IllegalArgumentException.class, () -> node.memory().allocate(0)).getMessage();
            assertTrue(why.contains("slice(0, 0)"), why);
        }
    }

    @Test
    void rawMessagesNeedNoOptions() {
        ConnectionConfig raw = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (Ends ends = Ends.open("soft", raw)) {
            RdmaFuture<RawMessage> received = ends.right.receiveRaw(ends.rightMemory(64));
            ends.await(ends.left.sendRaw(ends.leftMemory(5)));
            assertEquals(5, ends.await(received).length());
        }
    }

    @Test
    void connectionsAreMadeByAddressWithAConfigurationAlone() throws Exception {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(7));
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.ADAPTIVE));
                RdmaServer server = node.listen(Met.anyPort(), config)) {
            try (RdmaConnection asked = Met.get(node.connect(server.address(), config));
                    RdmaConnection accepted = Met.get(server.accept())) {
                assertEquals(7, asked.config().queues().sends());
                assertEquals(7, accepted.config().queues().sends());
            }
        }
    }
}
