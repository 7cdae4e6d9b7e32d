package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Cases of interop/ with these classes against Linux's soft-RoCE driver. Skipped, with the reason, where no guest
 * can be made: {@code interop/run --prepare}, as root, gets what that takes.
 */
@Tag("ci")
class InteropTest {
    /** Each kind of case, most at path MTU 1024 and a size of some packets; all of them take several times as long. */
    private static final String CASES = "^(pingpong|operation) .* (4096|5000|8) 1024$"
            + "|ud[a-z_]* (server|client) 1024 4096$|^loss .* (8 1024|4096)$";
    private static final Path RUN = Path.of("..", "interop", "run").toAbsolutePath().normalize();

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void linuxAndVerbenaUnderstandEachOther() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                RUN.toString(), "--json", "--no-install", "--only", CASES, "--classpath", classPath());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread ending = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(ending);
        List<Map<String, Object>> cases = new ArrayList<>();
        try (var lines = process.inputReader(StandardCharsets.UTF_8).lines()) {
            lines.map(JsonReader::object).filter(it -> it.containsKey("case")).forEach(cases::add);
        }
        int status = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(ending);
        assertFalse(cases.isEmpty());
        List<Map<String, Object>> skipped = of(cases, "skipped");
        assumeTrue(skipped.size() < cases.size(), () -> String.valueOf(skipped.getFirst().get("reason")));
        assertEquals(List.of(), of(cases, "failed"));
        assertEquals(List.of(), skipped);
        assertEquals(0, status);
    }

    @Test
    @Timeout(60)
    void everyKindOfCaseIsAmongTheChosen() throws IOException, InterruptedException {
        assertEquals(kinds("."), kinds(CASES));
    }

    /** What is done and by whom, but not how long a message and a packet are. */
    private static Set<String> kinds(String cases) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(RUN.toString(), "--list", "--only", cases).start();
        try (var lines = process.inputReader(StandardCharsets.UTF_8).lines()) {
            return lines.map(line -> line.replaceAll("( \\d+)+$", "")).collect(Collectors.toCollection(TreeSet::new));
        } finally {
            process.waitFor();
        }
    }

    private static List<Map<String, Object>> of(List<Map<String, Object>> cases, String result) {
        return cases.stream().filter(it -> result.equals(it.get("result"))).toList();
    }

    /** Absolute, since the guests' side of the script runs elsewhere. */
    private static String classPath() {
        List<String> parts = new ArrayList<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(part).toAbsolutePath();
            if (Files.exists(path)) {
                parts.add(path.toString());
            }
        }
        return String.join(File.pathSeparator, parts);
    }
}
