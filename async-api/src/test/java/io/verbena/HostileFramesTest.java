package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.message.Frame;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames that no peer of ours would send end the connection and touch nothing. */
class HostileFramesTest {
    static Stream<Arguments> frames() {
        int receives = QueueConfig.DEFAULT.receives() + Frames.CONTROL_RECEIVES;
        return Stream.of(
                Arguments.of("shorter than a header", new byte[5]),
                Arguments.of("longer than it says", frame(Frame.DATA, receives, 3, 10)),
                Arguments.of("shorter than it says", frame(Frame.DATA, receives, 10, 3)),
                Arguments.of("of a negative length", frame(Frame.DATA, receives, -1, 0)),
                Arguments.of("of no known type", frame(99, receives, 0, 0)),
                Arguments.of("granting more than there is", frame(Frame.CREDIT, receives + 1, 0, 0)),
                Arguments.of("answering what was not offered", frame(Frame.DONE, receives, 12, 12)),
                Arguments.of("an answer that is too short", frame(Frame.DONE, receives, 3, 3)),
                Arguments.of("an offer that is too short", frame(Frame.OFFER, receives, 8, 8)),
                Arguments.of("an offer of no bytes", frame(Frame.OFFER, receives, 28, 28)),
                Arguments.of("a request that is too short", frame(Frame.REQUEST, receives, 4, 4)),
                Arguments.of("an answer to a request that is too short", frame(Frame.RESPONSE, receives, 1, 1)));
    }

    private static byte[] frame(int type, int credits, int length, int bytes) {
        byte[] frame = new byte[Frame.HEADER_BYTES + bytes];
        Frame.write(MemorySegment.ofArray(frame), 0, type, credits, 0, length);
        return frame;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("frames")
    void isTheEndOfTheConnection(String what, byte[] frame) {
        ConnectionConfig raw = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            PreparedConnection victim = node.prepare(ConnectionConfig.DEFAULT);
            PreparedConnection attacker = node.prepare(raw);
            RdmaConnection connection = victim.connect(attacker.endpoint());
            RdmaConnection hostile = attacker.connect(victim.endpoint());
            LocalMemory memory = node.memory().allocate(frame.length);
            memory.writable().copyFrom(MemorySegment.ofArray(frame));
            hostile.sendRaw(memory, null);
            long end = System.nanoTime() + 20_000_000_000L;
            while (connection.state() == ConnectionState.OPEN && System.nanoTime() < end) {
                node.poll();
            }
            assertEquals(ConnectionState.FAILED, connection.state());
            String why = connection.failure().getMessage();
            assertTrue(why.startsWith("the peer sent"), why);
        }
    }
}
