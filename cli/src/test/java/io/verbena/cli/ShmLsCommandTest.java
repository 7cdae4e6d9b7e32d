package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What this process shares is listed, and nothing else of it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class ShmLsCommandTest {
    private static final Double PID = (double) ProcessHandle.current().pid();

    private static List<Map<String, Object>> listed(String kind) {
        Outcome outcome = Outcome.ofLine("shm ls --json");
        assertEquals(0, outcome.status(), outcome.toString());
        return outcome.lines().stream().map(JsonReader::object).filter(it -> kind.equals(it.get("kind"))).toList();
    }

    private static List<Map<String, Object>> own(String kind) {
        return listed(kind).stream()
                .filter(it -> Objects.equals(PID, it.get(kind.equals("nic") ? "pid" : "owner"))).toList();
    }

    @Test
    void listsTheNicAndItsMemory() {
        try (Context context = Devices.open("soft11?link=shm");
                AllocatedMemory memory = context.allocateMemory(1 << 20, 4_096)) {
            Map<String, Object> nic = own("nic").stream().filter(it -> "soft11".equals(it.get("device"))).findFirst()
                    .orElseThrow();
            assertEquals(context.queryGid(1, 0).gid().toString(), nic.get("gid"));
            assertEquals(0.0, nic.get("queue_pairs"));
            assertTrue(own("board").stream().anyMatch(it -> "verbena-board-soft11".equals(it.get("name"))));
            assertTrue(own("memory").stream().anyMatch(it -> (Double) it.get("bytes") >= memory.segment().byteSize()));
            Outcome text = Outcome.ofLine("shm ls -m");
            assertTrue(text.lines().stream().anyMatch(it -> it.startsWith("soft11 ")), text.toString());
            assertTrue(text.lines().stream().anyMatch(it -> it.startsWith("board ")), text.toString());
        }
        assertFalse(own("nic").stream().anyMatch(it -> "soft11".equals(it.get("device"))));
    }

    @Test
    void whatIsNotUnderstoodIsPassedOver(@TempDir Path proc) throws IOException {
        assertThrows(IOException.class, () -> ShmSurvey.of(proc));
        Files.createDirectories(proc.resolve("net"));
        Files.createDirectories(proc.resolve("77/fd"));
        String socket = "0000: 00000002 00000000 00010000 0005 01 9301%d @verbena/%s";
        Files.write(proc.resolve("net/unix"), List.of("Num RefCount Protocol Flags Type St Inode Path", "", "x y z",
                String.format(socket, 1, "0/fe80000000000000005645fffe22b201"),
                String.format(socket, 2, "0/fe80"), String.format(socket, 3, "x/fe80000000000000005645fffe22b201"),
                "0000: 00000003 00000000 00000000 0005 03 93019 @verbena/0/fe80000000000000005645fffe22b201"));
        Files.write(proc.resolve("77/maps"), List.of("7f0000000000-7f0000002000 rw-s 00000000 00:01 55 "
                + " /memfd:verbena-inbox (deleted)", "nonsense", "7f00-7f01 rw-p 0 0:0 0"));
        ShmSurvey survey = ShmSurvey.of(proc);
        assertEquals(1, survey.nics().size());
        assertEquals(-1, survey.nics().getFirst().pid());
        assertEquals("soft0", survey.nics().getFirst().device());
        assertEquals(List.of(new ShmSegment(55, "verbena-inbox", 8_192, -1, List.of(77L))), survey.segments());
    }
}
