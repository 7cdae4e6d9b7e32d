package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WcStatus;

/** Case 1: memory that its user gives up in the middle of an operation stays taken until the completion. */
class Case01ClosedInFlightTest {
    @EveryLink
    void memoryGivenUpInFlightIsNobodyElsesBeforeTheCompletion(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            fixture.peerBytes().fill((byte) 9);
            LocalMemory memory = fixture.pool.allocate(4_096);
            long address = memory.address();
            long loan = memory.acquire(true, true, "READ");
            fixture.readIntoOwn(memory);
            memory.close();
            LocalMemory other = fixture.pool.allocate(4_096);
            assertNotEquals(address, other.address());
            assertEquals(2, fixture.pool.statistics().usedBlocks());
            assertEquals(WcStatus.SUCCESS, fixture.next(fixture.owner));
            memory.loans().release(loan);
            assertEquals(1, fixture.pool.statistics().usedBlocks());
            assertTrue(MemoryFixture.holds(other.readable(), 0));
            assertEquals(address, fixture.pool.allocate(4_096).address());
        }
    }

    /** The same by an operation whose future nobody keeps. */
    @EveryLink
    void aDroppedFutureFreesNothing(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(4_096);
            theirs.writable().fill((byte) 9);
            RemoteMemory remote = theirs.expose(Ends.REMOTE).remote();
            LocalMemory memory = ends.leftMemory(4_096);
            long address = memory.address();
            ends.left.read(memory, remote);
            memory.close();
            LocalMemory other = ends.leftMemory(4_096);
            assertNotEquals(address, other.address());
            ends.until(() -> ends.left.core.isIdle());
            assertTrue(MemoryFixture.holds(other.readable(), 0));
            assertEquals(address, ends.leftMemory(4_096).address());
        }
    }

    /** The peer is still to fetch a long message when its sender gives the memory up. */
    @EveryLink
    void aLongMessageWhoseMemoryIsClosedArrivesAllTheSame(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory memory = ends.leftMemory(20_000);
            memory.writable().fill((byte) 9);
            RdmaFuture<Void> sent = ends.left.send(memory);
            memory.close();
            assertNotEquals(0, memory.inUse());
            try (ReceivedMessage message = ends.await(ends.right.receive())) {
                assertEquals(20_000, message.length());
                assertTrue(MemoryFixture.holds(message.segment(), 9));
            }
            ends.await(sent);
            assertEquals(0, memory.inUse());
            assertEquals(0, ends.here.memory().leases());
        }
    }

    /** The same while it waits in line to be sent. */
    @EveryLink
    void aLongMessageThatWaitsInLineDoesToo(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT
                .withQueues(QueueConfig.DEFAULT.withSends(1)).withBackPressure(BackPressure.queue(2));
        try (Ends ends = Ends.open(link, config)) {
            ends.left.send(ends.leftMemory(8));
            LocalMemory memory = ends.leftMemory(20_000);
            RdmaFuture<Void> sent = ends.left.send(memory);
            memory.close();
            assertEquals(8, ends.await(ends.right.receive()).length());
            assertEquals(20_000, ends.await(ends.right.receive()).length());
            ends.await(sent);
            assertEquals(0, memory.inUse());
        }
    }
}
