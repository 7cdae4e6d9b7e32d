package io.verbena.nic.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often the head of a send queue is tried, with the time given. */
class RetryTest {
    private static final long WAIT_NS = 1000;
    private static final int RNR_EXHAUSTED = WcStatus.RNR_RETRY_EXC_ERR.code();

    private final Retry retry = new Retry();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void givesUpAfterAsManyRetriesAsAllowed(int allowed) {
        long now = Long.MAX_VALUE - 2500;
        for (int tries = 0; tries < allowed; tries++) {
            assertEquals(Retry.AGAIN, retry.notReady(now, allowed, WAIT_NS));
            assertTrue(retry.isWaiting());
            assertFalse(retry.isDue(now + WAIT_NS - 1));
            assertTrue(retry.isDue(now + WAIT_NS));
            assertFalse(retry.isExhausted(0), "an answer came");
            now += WAIT_NS;
        }
        assertEquals(RNR_EXHAUSTED, retry.notReady(now, allowed, WAIT_NS));
    }

    @Test
    void sevenMeansWithoutEnd() {
        for (int tries = 0; tries < 1000; tries++) {
            assertEquals(Retry.AGAIN, retry.notReady(tries, 7, WAIT_NS));
        }
    }

    @Test
    void countsFromTheStartForTheNextRequest() {
        for (int request = 0; request < 3; request++) {
            assertFalse(retry.hasBegun());
            assertFalse(retry.isWaiting());
            assertTrue(retry.isDue(0));
            assertEquals(Progress.NEVER, retry.deadline());
            assertEquals(Retry.AGAIN, retry.notReady(0, 1, WAIT_NS));
            assertTrue(retry.hasBegun());
            assertEquals(RNR_EXHAUSTED, retry.notReady(0, 1, WAIT_NS));
            retry.reset();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 7})
    void triesWithoutAnswerAreUsedUpAfterTheLastWait(int allowed) {
        for (int tries = 0; tries <= allowed; tries++) {
            assertFalse(retry.isExhausted(allowed));
            assertEquals(Retry.AGAIN, retry.unanswered(0, WAIT_NS));
        }
        assertTrue(retry.isExhausted(allowed));
    }

    @Test
    void answerThatTheReceiverIsNotReadyStartsTheCountOfUnansweredTriesAgain() {
        retry.unanswered(0, WAIT_NS);
        retry.unanswered(0, WAIT_NS);
        assertTrue(retry.isExhausted(1));
        retry.notReady(0, 7, WAIT_NS);
        assertFalse(retry.isExhausted(0));
        retry.unanswered(0, WAIT_NS);
        assertFalse(retry.isExhausted(1));
    }

    @Test
    void timeoutZeroWaitsForEver() {
        assertEquals(Retry.AGAIN, retry.unanswered(5, 0));
        assertEquals(Progress.NEVER, retry.deadline());
        assertTrue(retry.isWaiting());
        assertFalse(retry.isDue(Long.MAX_VALUE));
        assertFalse(retry.isDue(5 + WAIT_NS));
    }
}
