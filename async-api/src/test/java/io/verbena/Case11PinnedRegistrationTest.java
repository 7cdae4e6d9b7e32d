package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;

/** Case 11: registered memory is not collected, even when its user forgets everything about it. */
class Case11PinnedRegistrationTest {
    @EveryLink
    void aForgottenRegistrationKeepsItsMemory(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            WeakReference<MemorySegment> forgotten = register(fixture, false);
            WeakReference<MemorySegment> closed = register(fixture, true);
            Waiting.until("what was closed is collected", () -> {
                System.gc();
                return closed.get() == null;
            });
            assertNotNull(forgotten.get());
            assertEquals(WcStatus.SUCCESS, fixture.write(remote, 6));
            assertTrue(MemoryFixture.holds(forgotten.get(), 6));
        }
    }

    private RemoteMemory remote;

    private WeakReference<MemorySegment> register(MemoryFixture fixture, boolean close) {
        MemorySegment segment = Arena.ofAuto().allocate(4_096);
        LocalMemory memory = fixture.pool.register(segment);
        if (close) {
            memory.close();
        } else {
            remote = memory.expose(Access.REMOTE_WRITE).remote();
        }
        return new WeakReference<>(segment);
    }
}
