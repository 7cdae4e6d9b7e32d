package io.verbena;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Memory may be closed as soon as its message was started; the message arrives all the same. */
class ClosedAfterSendTest {
    private static final int LONG = 100_000;

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[LONG];
        for (int i = 0; i < LONG; i++) {
            bytes[i] = (byte) (i * 31 + seed);
        }
        return bytes;
    }

    private static LocalMemory filled(RdmaNode node, int seed) {
        LocalMemory memory = node.memory().allocate(LONG);
        memory.writable().copyFrom(MemorySegment.ofArray(bytes(seed)));
        return memory;
    }

    @EveryLink
    void aLongMessageArrivesThoughItsMemoryIsClosedBeforeItIsFetched(String link) {
        try (Ends ends = Ends.open(link)) {
            long used = ends.here.memory().statistics().usedBytes();
            LocalMemory message = filled(ends.here, 1);
            RdmaFuture<Void> sent = ends.left.send(message);
            message.close();
            try (ReceivedMessage received = ends.await(ends.right.receive())) {
                assertArrayEquals(bytes(1), received.toArray());
            }
            ends.await(sent);
            assertEquals(ConnectionState.OPEN, ends.left.state());
            assertEquals(ConnectionState.OPEN, ends.right.state());
            assertEquals(used, ends.here.memory().statistics().usedBytes(), "given back once it was fetched");
            assertEquals(0, ends.here.memory().leases());
        }
    }

    @Test
    void aLongMessageThatWaitsInLineArrivesThoughItsMemoryIsClosed() {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(1)).withBackPressure(BackPressure.queue(4));
        try (Ends ends = Ends.open("soft", config)) {
            for (int i = 0; i < 3; i++) {
                LocalMemory message = filled(ends.here, i);
                ends.left.send(message);
                message.close();
            }
            for (int i = 0; i < 3; i++) {
                try (ReceivedMessage received = ends.await(ends.right.receive())) {
                    assertArrayEquals(bytes(i), received.toArray());
                }
            }
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @Test
    void aRegistrationThatIsClosedStaysUntilItsMessageWasFetched() {
        try (Ends ends = Ends.open("soft"); Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(LONG).copyFrom(MemorySegment.ofArray(bytes(5)));
            LocalMemory message = ends.here.memory().register(segment);
            RdmaFuture<Void> sent = ends.left.send(message);
            message.close();
            assertEquals(1, ends.here.memory().registrations());
            try (ReceivedMessage received = ends.await(ends.right.receive())) {
                assertArrayEquals(bytes(5), received.toArray());
            }
            ends.await(sent);
            ends.until(() -> ends.here.memory().registrations() == 0);
        }
    }

    @Test
    void exposuresAreRevokedAtOnceThoughAMessageIsUnderWay() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory message = filled(ends.here, 2);
            MemoryLease lease = message.expose(Ends.REMOTE);
            RdmaFuture<Void> sent = ends.left.send(message);
            message.close();
            assertFalse(lease.isActive());
            ends.await(ends.right.receive()).close();
            ends.await(sent);
            assertTrue(message.isClosed());
            assertEquals(0, message.inUse());
        }
    }

    @Test
    void closingTheConnectionEndsWhatWasNotFetched() {
        try (Ends ends = Ends.open("soft")) {
            LocalMemory message = filled(ends.here, 3);
            RdmaFuture<Void> sent = ends.left.send(message);
            message.close();
            ends.left.closeNow();
            assertTrue(sent.isCompletedExceptionally());
            assertEquals(0, message.inUse());
            assertEquals(0, ends.here.memory().leases());
        }
    }
}
