package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.Loans;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a piece of memory lets its owner do, and when. */
class LocalMemoryTest {
    private final Context context = Devices.open("soft");
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final MemoryPool pool = new MemoryPool(domain, PoolConfig.DEFAULT, false);
    private final LocalMemory memory = pool.allocate(128);

    @AfterEach
    void close() {
        pool.close();
        domain.close();
        context.close();
    }

    @Test
    void anOperationThatWritesKeepsEverybodyOut() {
        long loan = memory.acquire(true, true, "READ");
        assertThrows(OwnershipException.class, memory::readable);
        OwnershipException refused = assertThrows(OwnershipException.class, memory::writable);
        assertTrue(refused.getMessage().contains("bytes 0 to 127, which READ in flight writes"), refused.getMessage());
        assertNull(memory.tryReadable());
        assertNull(memory.tryWritable());
        assertFalse(memory.isReadable());
        assertNotNull(memory.unchecked());
        memory.loans().release(loan);
        assertEquals(128, memory.writable().byteSize());
        assertEquals(128, memory.readable().byteSize());
    }

    @Test
    void anOperationThatReadsLeavesReading() {
        long loan = memory.acquire(false, true, "WRITE");
        assertTrue(memory.readable().isReadOnly());
        assertNotNull(memory.tryReadable());
        assertNull(memory.tryWritable());
        assertThrows(OwnershipException.class, memory::writable);
        memory.loans().release(loan);
        assertTrue(memory.isWritable());
    }

    @Test
    void slicesAreOwnedApart() {
        LocalMemory left = memory.slice(0, 64);
        LocalMemory right = memory.slice(64, 64).slice(8, 8);
        assertEquals(memory.address() + 72, right.address());
        left.acquire(true, true, "READ");
        assertTrue(right.isWritable());
        assertFalse(left.isReadable());
        assertFalse(memory.isReadable());
        long code = memory.slice(63, 2).acquire(false, true, "WRITE");
        assertEquals(Loans.CONFLICT, code);
        assertInstanceOf(OwnershipException.class, memory.slice(63, 2).refusal(code, false));
        assertTrue(right.acquire(true, true, "READ") > 0);
    }

    @Test
    void withoutChecksOperationsOnlyCount() {
        long loan = memory.acquire(true, false, "READ");
        assertTrue(memory.isWritable());
        assertEquals(1, memory.inUse());
        memory.loans().release(loan);
        assertEquals(0, memory.inUse());
    }

    @Test
    void closedMemoryIsRefusedEverywhere() {
        LocalMemory slice = memory.slice(0, 8);
        slice.close();
        assertFalse(memory.isClosed());
        memory.close();
        assertTrue(slice.isClosed());
        assertThrows(IllegalStateException.class, memory::readable);
        assertThrows(IllegalStateException.class, slice::writable);
        assertThrows(IllegalStateException.class, () -> memory.slice(0, 1));
        assertThrows(IllegalStateException.class, () -> memory.expose(AllocationOptions.REMOTE));
        assertNull(slice.tryReadable());
        assertEquals(Loans.CLOSED, slice.acquire(false, true, "WRITE"));
        assertInstanceOf(IllegalStateException.class, memory.refusal(Loans.CLOSED, false));
    }

    @Test
    void slicesStayWithinTheirWhole() {
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(-1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(0, 129));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(120, Long.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(8, 64).slice(0, 65));
        assertEquals(0, memory.slice(128, 0).length());
    }

    @Test
    void readableCanNotBeWritten() {
        assertThrows(IllegalArgumentException.class, () -> memory.readable().set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
    }
}
