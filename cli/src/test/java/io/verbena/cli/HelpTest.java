package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;

/** Every command explains itself, in lines that fit a terminal. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class HelpTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "", "--help", "demo --help", "devices -h", "devinfo --help", "pingpong --help", "pingpong rc --help",
        "pingpong uc --help", "pingpong ud --help", "pingpong srq --help",
        "perf --help", "compare --help", "stat --help", "shell --help"
    })
    void isPrintedAsResult(String line) {
        Outcome outcome = Outcome.ofLine(line);
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals("", outcome.err());
        assertTrue(outcome.out().startsWith("Usage: verbena"), outcome.toString());
        outcome.lines().forEach(text -> assertTrue(text.length() <= 100, text));
    }

    /** Lines that are set in columns come out as they were written: wrapping would break their columns. */
    @ParameterizedTest
    @ValueSource(strings = {"demo", "devices", "devinfo", "perf", "compare", "stat", "shell"})
    void columnsOfFootersAreKept(String command) {
        CommandSpec spec = Main.commands(Terminal.system()).getSubcommands().get(command).getCommandSpec();
        List<String> printed = Outcome.of(command, "--help").lines();
        for (String line : spec.usageMessage().footer()) {
            if (line.startsWith(" ")) {
                assertTrue(printed.contains(line), line);
            }
        }
    }

    @Test
    void perfTellsWhatItMeasuresInLinesThatAreNotWrapped() {
        List<String> printed = Outcome.of("perf", "--help").lines();
        List<String> footer = printed.subList(printed.indexOf(""), printed.size());
        assertTrue(footer.stream().anyMatch(line -> line.startsWith("Tests: send_lat ")), footer::toString);
        footer.stream().skip(1).forEach(line -> assertTrue(line.length() > 20, "a left-over: " + line));
    }

    @Test
    void listsTheCommands() {
        String out = Outcome.of().out();
        String[] commands = {
            "demo", "shell", "devices", "devinfo", "pingpong", "perf", "compare", "stat", "shm", "sim"};
        for (String command : commands) {
            assertTrue(out.contains("  " + command + " "), command);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc", "uc", "ud", "srq"})
    void pingpongShowsWhatGoesWithItsService(String service) {
        String out = Outcome.of("pingpong", service, "--help").out();
        assertEquals(service.equals("srq"), out.contains("--num-qp"), out);
        assertEquals(service.equals("ud"), out.contains("default 2048"), out);
        assertEquals(!service.equals("ud"), out.contains("default 4096"), out);
        assertTrue(out.indexOf("--self") < out.indexOf("--size") && out.indexOf("--size") < out.indexOf("--mtu"), out);
    }

    @Test
    void namesTheVersion() {
        Outcome outcome = Outcome.of("--version");
        assertEquals(0, outcome.status());
        assertTrue(outcome.out().startsWith("verbena "), outcome.toString());
    }
}
