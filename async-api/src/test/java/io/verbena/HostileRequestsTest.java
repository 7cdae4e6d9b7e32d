package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.message.Frame;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a peer that sends frames of its own making gets nowhere with, though each frame is in order. */
class HostileRequestsTest {
    private static final ConnectionConfig CAREFUL = ConnectionConfig.DEFAULT.withGrants(
            GrantConfig.DEFAULT.withMaxDuration(Duration.ofMinutes(1)));

    private RdmaNode node;
    private RdmaConnection victim;
    private RdmaConnection hostile;

    @BeforeEach
    void connect() {
        node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL));
        PreparedConnection one = node.prepare(CAREFUL);
        PreparedConnection other =
                node.prepare(ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true)));
        victim = one.connect(other.endpoint());
        hostile = other.connect(one.endpoint());
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void until(BooleanSupplier condition) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            node.poll();
        }
        assertTrue(condition.getAsBoolean());
    }

    /** The status that the victim answers a request for 64 bytes with. */
    private int answerTo(int what, long nanos) {
        LocalMemory answer = node.memory().allocate(256);
        RdmaFuture<RawMessage> answered = hostile.receiveRaw(answer);
        LocalMemory memory = node.memory().allocate(Frame.HEADER_BYTES + MemoryRequests.BYTES);
        MemorySegment frame = memory.writable();
        Frame.write(frame, 0, Frame.REQUEST, 0, 1, MemoryRequests.BYTES);
        long body = Frame.HEADER_BYTES;
        Frame.putInt(frame, body, what);
        Frame.putInt(frame, body + 4, Ends.REMOTE);
        Frame.putLong(frame, body + 8, 64);
        Frame.putLong(frame, body + 24, nanos);
        hostile.sendRaw(memory, null);
        until(answered::isDone);
        return Frame.getInt(answer.readable(), Frame.HEADER_BYTES);
    }

    @Test
    void aLeaseOfNoTimeIsNotOneWithoutEnd() {
        assertEquals(MemoryRequests.NOT_KNOWN, answerTo(MemoryRequests.ALLOCATE, 0));
        assertEquals(MemoryRequests.NOT_KNOWN, answerTo(MemoryRequests.ALLOCATE, -1));
        assertEquals(0, node.memory().leases());
        assertEquals(MemoryRequests.OK, answerTo(MemoryRequests.ALLOCATE, Long.MAX_VALUE));
        assertEquals(1, node.memory().leases());
        assertEquals(ConnectionState.OPEN, victim.state());
    }

    @Test
    void anExposureWithoutATokenIsRefused() {
        assertEquals(MemoryRequests.NOT_KNOWN, answerTo(MemoryRequests.EXPOSE, 1));
        assertEquals(ConnectionState.OPEN, victim.state());
    }

    @Test
    void writesWithImmediateDataBeyondWhatWasGrantedEndTheConnection() {
        LocalMemory nothing = node.memory().allocate(1).slice(0, 0);
        RemoteMemory nowhere = RemoteMemory.of(0, 0, 0, Ends.REMOTE);
        int receives = QueueConfig.DEFAULT.receives() + Frames.CONTROL_RECEIVES;
        for (int i = 0; i < receives; i++) {
            RdmaFuture<Void> written = hostile.writeWithImm(nothing, nowhere, i);
            until(written::isDone);
        }
        node.poll();
        assertEquals(ConnectionState.OPEN, victim.state());
        hostile.writeWithImm(nothing, nowhere, receives);
        until(() -> victim.state() == ConnectionState.FAILED);
        assertTrue(victim.failure().getMessage().contains("granted"), victim.failure().getMessage());
    }

    @Test
    void anAnswerToWhatWasNotAskedEndsTheConnection() {
        LocalMemory memory = node.memory().allocate(Frame.HEADER_BYTES + 4);
        Frame.write(memory.writable(), 0, Frame.RESPONSE, 0, 99, 4);
        hostile.sendRaw(memory, null);
        until(() -> victim.state() == ConnectionState.FAILED);
        assertTrue(victim.failure().getMessage().contains("not asked"), victim.failure().getMessage());
    }
}
