package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;

/** D16: an exposure has the rights that were asked for, within those of its memory. */
class D16GrantedRightsTest {
    @EveryLink
    void eachExposureHasItsOwnRights(String link) {
        try (MemoryFixture fixture = new MemoryFixture(link)) {
            LocalMemory memory = fixture.pool.allocate(64);
            RemoteMemory readable = memory.expose(Access.REMOTE_READ).remote();
            RemoteMemory writable = memory.expose(Access.REMOTE_WRITE).remote();
            assertEquals(Access.REMOTE_READ, readable.rights());
            assertEquals(WcStatus.SUCCESS, fixture.read(readable));
            assertEquals(WcStatus.SUCCESS, fixture.write(writable, 1));
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.write(readable, 2));
            fixture.connect();
            assertEquals(WcStatus.REM_ACCESS_ERR, fixture.read(writable));
            assertTrue(MemoryFixture.holds(memory.readable(), 1));
        }
    }
}
