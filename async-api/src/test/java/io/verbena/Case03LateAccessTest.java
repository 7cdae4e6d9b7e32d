package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/** Case 3: a READ or WRITE that comes after the end of an exposure finds no key, whoever has the memory by then. */
class Case03LateAccessTest {
    @EveryLink
    void aLateReadOfReusedMemoryGetsNothing(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            RemoteMemory late = reuse(fixture, Access.REMOTE_READ);
            fixture.peerBytes().fill((byte) 0);
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.read(late));
            assertTrue(MemoryFixture.holds(fixture.peerBytes(), 0));
        }
    }

    @EveryLink
    void aLateWriteOfReusedMemoryTouchesNothing(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            RemoteMemory late = reuse(fixture, Access.REMOTE_WRITE);
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(late, 1));
            assertTrue(MemoryFixture.holds(secret.readable(), 42));
        }
    }

    private LocalMemory secret;

    /** Exposes memory, closes it without a word to the peer, and has another user get the same bytes. */
    private RemoteMemory reuse(MemoryFixture fixture, int rights) {
        LocalMemory memory = fixture.pool.allocate(256);
        RemoteMemory remote = memory.expose(rights).remote();
        memory.close();
        secret = fixture.pool.allocate(256);
        assertEquals(remote.address(), secret.address());
        secret.writable().fill((byte) 42);
        return remote;
    }
}
