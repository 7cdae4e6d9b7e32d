package io.verbena.async.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Bounds within bounds. */
class QuotaTest {
    private final Quota node = new Quota(100, null);
    private final Quota first = new Quota(80, node);
    private final Quota second = new Quota(80, node);

    @Test
    void bothBoundsHold() {
        assertFalse(first.take(81));
        assertTrue(first.take(80));
        assertFalse(second.take(21));
        assertTrue(second.take(20));
        assertEquals(100, node.used());
    }

    @Test
    void whatIsRefusedIsNotCounted() {
        first.take(80);
        second.take(30);
        assertEquals(0, second.used());
        assertEquals(80, node.used());
        first.give(80);
        assertTrue(second.take(80));
        assertEquals(80, node.used());
    }

    @Test
    void hugeRequestsDoNotWrapAround() {
        first.take(1);
        assertFalse(first.take(Long.MAX_VALUE));
    }
}
