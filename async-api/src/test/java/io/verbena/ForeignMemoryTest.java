package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory of another node is refused before anything is posted, and the connection goes on. */
class ForeignMemoryTest {
    private Ends ends;
    private LocalMemory foreign;
    private RemoteMemory remote;

    @BeforeEach
    void open() {
        ends = Ends.open("shm");
        foreign = ends.there.memory().allocate(64);
        remote = ends.rightMemory(64).expose(Ends.REMOTE).remote();
    }

    @AfterEach
    void theConnectionGoesOn() {
        assertEquals(0, foreign.inUse());
        assertEquals(0, ends.left.core.user.inUse());
        ends.await(ends.left.write(ends.leftMemory(64), remote));
        assertEquals(ConnectionState.OPEN, ends.left.state());
        ends.close();
    }

    private static void isRefused(RdmaFuture<?> future) {
        Throwable why = assertInstanceOf(IllegalArgumentException.class, future.exceptionNow());
        assertTrue(why.getMessage().contains("another node"), why.getMessage());
        assertTrue(future.quiesced().isDone());
    }

    @Test
    void oneSidedOperationsRefuseIt() {
        isRefused(ends.left.read(foreign, remote));
        isRefused(ends.left.write(foreign.slice(0, 64), remote));
        isRefused(ends.left.writeWithImm(foreign, remote, 1));
        isRefused(ends.left.readVectored(
                List.of(ends.leftMemory(32), foreign.slice(0, 32)), remote, null));
        assertEquals(OperationStatus.FOREIGN_MEMORY,
                ends.left.write(foreign, remote, (token, status, value) -> { }, 0));
    }

    @Test
    void messagesOfEveryLengthRefuseIt() {
        isRefused(ends.left.send(foreign));
        isRefused(ends.left.sendWithImm(foreign.slice(0, 0), 1));
        try (LocalMemory longer = ends.there.memory().allocate(100_000)) {
            isRefused(ends.left.send(longer));
        }
    }

    @Test
    void aBatchRefusesIt() {
        OperationBatch batch = ends.left.batch();
        RdmaFuture<Void> fine = batch.write(ends.leftMemory(64), remote);
        isRefusedWith(batch, batch.read(foreign, remote));
        isRefused(fine);
    }

    private static void isRefusedWith(OperationBatch batch, RdmaFuture<Void> future) {
        assertEquals(OperationStatus.FOREIGN_MEMORY, batch.post());
        isRefused(future);
    }

    @Test
    void thePeerIsNotToldOfAnotherNodesMemory() {
        try (MemoryLease lease = foreign.expose(Ends.REMOTE)) {
            IllegalArgumentException why =
                    assertThrows(IllegalArgumentException.class, () -> ends.left.sendMemory(lease));
            assertTrue(why.getMessage().contains("another node"), why.getMessage());
        }
        assertEquals(0, foreign.inUse());
    }

    @Test
    void receivesWithoutFramesRefuseIt() {
        ConnectionConfig raw = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (PreparedConnection prepared = ends.here.prepare(raw); PreparedConnection other = ends.there.prepare(raw)) {
            RdmaConnection one = prepared.connect(other.endpoint());
            isRefused(one.receiveRaw(foreign));
            isRefused(one.sendRaw(foreign, null));
            one.closeNow();
        }
    }
}
