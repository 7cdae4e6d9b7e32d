package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @Test
    void listsTheCommands() {
        String out = Outcome.of().out();
        String[] commands = {"demo", "shell", "devices", "devinfo", "pingpong", "perf", "compare", "stat"};
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
