package io.verbena.nic.os;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Whether a process runs. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "/proc is a folder of Linux")
class ProcessLifeTest {
    @Test
    void aProcessRunsUntilItHasEnded() throws Exception {
        Process process = new ProcessBuilder("cat").start();
        ProcessLife life = ProcessLife.of((int) process.pid());
        assertTrue(life.mayRun());
        process.destroyForcibly().waitFor();
        assertFalse(life.mayRun());
    }

    @Test
    void anotherOfTheSameNumberIsNotTheSame() {
        ProcessLife self = ProcessLife.of((int) ProcessHandle.current().pid());
        assertTrue(self.mayRun());
        assertFalse(new ProcessLife(self.pid(), self.startTicks() + 1).mayRun());
    }

    @Test
    void whatIsUnknownMayRun() {
        assertTrue(ProcessLife.of(0).mayRun());
    }
}
