package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that no header can be read from is refused by name. */
@Timeout(10)
class RouteHeaderTest {
    private static void assertRefused(MemorySegment buffer, String hint) {
        WorkCompletion completion = new WorkCompletion();
        completion.setDetail(WcOpcode.RECV.code(), RouteHeader.BYTES, WcFlags.GRH, 0, 7);
        VerbsException e = assertThrows(VerbsException.class, () -> RouteHeader.replyTo(null, completion, buffer, 1));
        assertEquals(Errno.EINVAL, e.errno());
        assertTrue(e.getMessage().contains("buffer") && e.getMessage().contains(hint), e.getMessage());
        assertThrows(VerbsException.class, () -> RouteHeader.source(buffer));
    }

    @Test
    void bufferThatIsMissingOrTooSmall() {
        assertRefused(null, "at least 40 bytes");
        assertRefused(Arena.ofAuto().allocate(RouteHeader.BYTES - 1), "at least 40 bytes");
    }

    @Test
    void bufferOfAClosedArena() {
        MemorySegment buffer;
        try (Arena arena = Arena.ofShared()) {
            buffer = arena.allocate(RouteHeader.BYTES);
        }
        assertRefused(buffer, "closed arena");
    }

    @Test
    void bufferOfAnotherThread() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(RouteHeader.BYTES);
            CompletableFuture.runAsync(() -> assertRefused(buffer, "another thread's confined arena")).join();
        }
    }
}
