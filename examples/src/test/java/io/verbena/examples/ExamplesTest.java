package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people copy from works. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ExamplesTest {
    private static final String DEVICE = "soft";

    @Test
    void writeArrives() {
        assertEquals("Hello, RDMA", WriteExample.run(DEVICE));
    }

    @Test
    void serverAnswers() {
        assertEquals("you asked \"how are you?\"", SendReceiveExample.run(DEVICE, "how are you?"));
    }

    @Test
    void noCountIsLost() {
        assertEquals(20_000, AtomicCounterExample.run(DEVICE, 10_000));
    }

    @Test
    void datagramIsAnsweredToWhereItCameFrom() {
        assertEquals("you asked \"who is there?\"", DatagramExample.run(DEVICE, "who is there?"));
    }

    @Test
    void bothClientsFindReceives() {
        assertEquals(Map.of("Anna", "Hello, this is Anna", "Bob", "Hi, Bob here"), SharedReceiveExample.run(DEVICE));
    }

    @Test
    void windowIsOpenUntilItIsInvalidated() {
        assertEquals("through the window, then REM_ACCESS_ERR", MemoryWindowExample.run(DEVICE));
    }
}
