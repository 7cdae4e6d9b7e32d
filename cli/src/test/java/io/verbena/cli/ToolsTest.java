package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools but perf: they succeed, and print what people and machines expect. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ToolsTest {
    @Test
    void devicesListsTheSoftwareDevice() {
        Outcome text = Outcome.of("devices");
        assertEquals(0, text.status(), text.toString());
        assertTrue(text.lines().getFirst().contains("node GUID"), text.toString());
        Map<String, Object> device = JsonReader.object(Outcome.of("devices", "--json").lines().getFirst());
        assertEquals("soft", device.get("provider"));
        assertTrue(((String) device.get("node_guid")).matches("[0-9a-f]{16}"), device.toString());
        assertTrue(text.out().contains((String) device.get("device")), text.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"devices", "devinfo -v", "pingpong rc --self", "--help", "perf --help", "--version", ""})
    void resultsThatCanNotBeWrittenAreAFailure(String line) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException("no space left on device");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Main.run(new Terminal(new PrintStream(full), new PrintStream(err, true, StandardCharsets.UTF_8)),
                line.isEmpty() ? new String[0] : line.split(" "));
        assertEquals(1, status);
        assertEquals("verbena: the results could not be written to standard output",
                err.toString(StandardCharsets.UTF_8).strip());
    }

    @Test
    void devinfoTellsStateAndLimits() {
        Outcome brief = Outcome.of("devinfo");
        assertEquals(0, brief.status(), brief.toString());
        assertTrue(brief.out().startsWith("hca_id:\t"), brief.toString());
        assertTrue(brief.out().contains("PORT_ACTIVE (4)"), brief.toString());
        Outcome verbose = Outcome.of("devinfo", "-v", "-d", "soft", "-i", "1");
        assertEquals(0, verbose.status(), verbose.toString());
        assertTrue(verbose.out().contains("max_qp:") && verbose.out().contains("GID["), verbose.toString());
        Outcome list = Outcome.of("devinfo", "-l");
        assertEquals("1 HCA found:", list.lines().getFirst());
    }

    @Test
    void devinfoPrintsAnObject() {
        Map<String, Object> device = JsonReader.object(Outcome.of("devinfo", "-v", "--json").lines().getFirst());
        Map<?, ?> port = (Map<?, ?>) ((List<?>) device.get("ports")).getFirst();
        assertEquals("PORT_ACTIVE", port.get("state"));
        assertTrue((Double) ((Map<?, ?>) device.get("limits")).get("max_qp") > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-c -s 5000 -n 50", "-e -n 100", "-r 1 -n 30", "-s 1 -m 256 -l 3 -g 0 -i 1", "-p 1234"})
    void pingpongPrintsTheLinesOfTheOriginal(String options) {
        Outcome outcome = Outcome.ofLine("pingpong rc --self " + options);
        assertEquals(0, outcome.status(), outcome.toString());
        List<String> lines = outcome.lines();
        assertTrue(lines.get(0).startsWith("  local address:  LID 0x0000, QPN 0x"), outcome.toString());
        assertTrue(lines.get(1).startsWith("  remote address: LID 0x0000, QPN 0x"), outcome.toString());
        assertTrue(lines.get(2).matches("\\d+ bytes in [\\d.]+ seconds = [\\d.]+ Mbit/sec"), outcome.toString());
        assertTrue(lines.get(3).matches("\\d+ iters in [\\d.]+ seconds = [\\d.]+ usec/iter"), outcome.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"uc", "uc -s 1 -n 30 -r 2", "ud", "ud -s 4096 -e -n 50", "ud -s 1 -n 30 -r 1",
        "srq", "srq -q 3 -r 4 -n 70", "srq -q 40 -r 10 -n 7 -e"})
    void otherServicesCarryTheSameData(String options) {
        Outcome outcome = Outcome.ofLine("pingpong " + options + " --self -c");
        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.lines().getLast().startsWith("data checked"), outcome.toString());
    }

    @Test
    void pingpongPrintsAnObject() {
        Outcome outcome = Outcome.ofLine("pingpong rc --self -n 100 -s 64 -c --json");
        Map<String, Object> result = JsonReader.object(outcome.out().strip());
        assertEquals(12_800.0, result.get("bytes"));
        assertEquals(Boolean.TRUE, result.get("validated"));
    }

    @Test
    void demoTellsItsStory() {
        Outcome outcome = Outcome.ofLine("demo -D 0.05");
        assertEquals(0, outcome.status(), outcome.toString());
        for (String part : new String[] {"SEND", "RDMA WRITE", "RDMA READ", "REM_ACCESS_ERR", "QP_ACCESS_ERR", "TCP"}) {
            assertTrue(outcome.out().contains(part), () -> part + " in " + outcome);
        }
        outcome.lines().forEach(text -> assertTrue(text.length() <= 110, text));
    }

    @Test
    void demoPrintsAnObject() {
        Outcome outcome = Outcome.ofLine("demo -D 0.05 --json");
        assertEquals(0, outcome.status(), outcome.toString());
        Map<String, Object> result = JsonReader.object(outcome.out().strip());
        List<?> steps = (List<?>) result.get("steps");
        assertEquals(7, steps.size());
        steps.forEach(step -> assertEquals(Boolean.TRUE, ((Map<?, ?>) step).get("ok")));
        assertEquals(6, ((List<?>) result.get("round_trips")).size());
    }

    @Test
    void compareRunsFreshProcesses() {
        Outcome outcome = Outcome.of("compare", "send_lat -s 32", "bare_lat", "-n", "100", "--warmup", "0",
                "--launches", "2", "--json");
        assertEquals(0, outcome.status(), outcome.toString());
        Map<String, Object> result = JsonReader.object(outcome.out().strip());
        assertEquals(2.0, result.get("launches"));
        assertTrue((Double) ((Map<?, ?>) result.get("p50")).get("ratio_of_medians") > 0);
    }
}
