package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Case 7: registered memory is bytes outside the heap, so nothing in it is an object that could move. */
class Case07BytesOnlyTest {
    @EveryLink
    void heapSegmentsAndThoseOfOneThreadAreRefused(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link); Arena confined = Arena.ofConfined()) {
            MemorySegment heap = MemorySegment.ofArray(new byte[64]);
            VerbsException onHeap = assertThrows(VerbsException.class, () -> fixture.pool.register(heap));
            assertTrue(onHeap.getMessage().contains("native memory"), onHeap.getMessage());
            MemorySegment own = confined.allocate(64);
            VerbsException ofOne = assertThrows(VerbsException.class, () -> fixture.pool.register(own));
            assertTrue(ofOne.getMessage().contains("every thread"), ofOne.getMessage());
            assertEquals(0, fixture.pool.registrations());
        }
    }
}
