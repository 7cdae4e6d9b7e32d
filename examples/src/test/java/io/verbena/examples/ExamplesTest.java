package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
