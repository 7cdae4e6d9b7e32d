package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shell as scripts use it: what it prints, and its exit status. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ShellCommandTest {
    @TempDir
    private Path folder;

    private String script(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** Runs the command in a process of its own, which reads a text and starts with the usual flags. */
    private Outcome process(String input, String... words) throws IOException, InterruptedException {
        return process(List.of("-ea"), input, words);
    }

    private Outcome process(List<String> moreFlags, String input, String... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(moreFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "shell"));
        command.addAll(List.of(words));
        File out = folder.resolve("out").toFile();
        File err = folder.resolve("err").toFile();
        Process process = new ProcessBuilder(command).directory(folder.toFile())
                .redirectInput(Path.of(script("in", input)).toFile()).redirectOutput(out).redirectError(err).start();
        try {
            assertTrue(process.waitFor(100, TimeUnit.SECONDS), "the shell did not end");
        } finally {
            process.destroyForcibly();
        }
        return new Outcome(process.exitValue(), Files.readString(out.toPath()), Files.readString(err.toPath()));
    }

    @Test
    void pipedInputRunsOnRawMemoryWithoutWarnings() throws Exception {
        Outcome outcome = process("""
                a.put(0, "piped")
                var posted = qpA.postWrite(1, mrA.address(), 6, mrA.lkey(), mrB.address(), mrB.rkey(), SIGNALED);
                System.out.println(await(cqA).status());
                b.text(0)
                show(device, qpA)
                int last = 3""");
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals("", outcome.err(), outcome.toString());
        List<String> lines = outcome.lines();
        assertEquals(List.of("posted ==> 0", "SUCCESS", "$4 ==> \"piped\""), lines.subList(0, 3), outcome.toString());
        assertTrue(lines.get(3).startsWith("device soft0 of provider soft"), outcome.toString());
        assertEquals("last ==> 3", lines.getLast(), outcome.toString());
    }

    @Test
    void aJavaWithoutJshellIsToldClearly() throws Exception {
        String without = "java.base,java.management,jdk.unsupported";
        Outcome outcome = process(List.of("--limit-modules", without), "int i = 1;");
        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals("", outcome.out());
        assertTrue(outcome.err().startsWith("verbena shell: the Java in "), outcome.toString());
        assertTrue(outcome.err().contains("no jshell (module jdk.jshell); set JAVA_HOME"), outcome.toString());
    }

    @Test
    void failedSnippetsMakeTheStatusOneAndTheRestStillRuns() throws Exception {
        Outcome outcome = process("""
                int x = "text";
                throw new IllegalStateException("outer", new RuntimeException("inner"));
                /vars
                System.out.println("the rest")
                """, "--no-setup");
        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals(List.of("the rest"), outcome.lines());
        List<String> err = outcome.err().lines().toList();
        assertTrue(err.get(0).startsWith("stdin:1: error: incompatible types"), outcome.toString());
        assertEquals("stdin:2: java.lang.IllegalStateException: outer", err.get(2));
        assertEquals("    caused by java.lang.RuntimeException: inner", err.get(3));
        assertTrue(err.get(4).startsWith("stdin:3: /vars: a script may use /exit"), outcome.toString());
    }

    @Test
    void filesRunOneAfterAnotherInOneSession() throws IOException {
        String first = script("first.jsh", "#!/usr/bin/env verbena\nint twice(int x) {\n    return 2 * x;\n}\n");
        String second = script("second.jsh", "// a comment\nint y = twice(21); y + 1\n/exit\nnever reached\n");
        Outcome outcome = Outcome.of("shell", "--no-setup", first, second);
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(List.of("|  created method twice(int)", "y ==> 42", "$3 ==> 43"), outcome.lines());
        Outcome quiet = Outcome.of("shell", "--no-setup", "-q", first, second);
        assertEquals(new Outcome(0, "", ""), quiet);
    }

    @Test
    void whatNeverBecomesUsableIsAFailure() throws IOException {
        String undefined = script("undefined.jsh", "int f() { return g(); }\n");
        Outcome outcome = Outcome.of("shell", "--no-setup", undefined);
        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("never became usable: int f()"), outcome.toString());
        Outcome unfinished = Outcome.of("shell", "--no-setup", script("open.jsh", "int f() {\n"));
        assertEquals(1, unfinished.status(), unfinished.toString());
        Outcome defined = Outcome.of("shell", "--no-setup", undefined, script("g.jsh", "int g() { return 1; }\n"));
        assertEquals(1, defined.status(), "each script is whole: " + defined);
        Outcome inOrder = Outcome.of("shell", "--no-setup",
                script("both.jsh", "int f() { return g(); }\nint g() { return 1; }\nint z = f();\n"));
        assertEquals(0, inOrder.status(), inOrder.toString());
    }

    @Test
    void scriptsMayChooseTheirStatus() throws IOException {
        assertEquals(7, Outcome.of("shell", "--no-setup", script("seven.jsh", "/exit 7")).status());
        assertEquals(1, Outcome.of("shell", "--no-setup", script("bad.jsh", "int i = x;\n/exit\n")).status());
    }

    @Test
    void badArgumentsAreToldBeforeAnythingRuns() throws IOException {
        String good = script("good.jsh", "int i = 1;\n");
        Outcome missing = Outcome.of("shell", good, folder.resolve("missing").toString());
        assertEquals(2, missing.status(), missing.toString());
        assertEquals("", missing.out());
        Outcome folderGiven = Outcome.of("shell", folder.toString());
        assertTrue(folderGiven.err().contains("allowed: a script that can be read"), folderGiven.toString());
        Outcome device = Outcome.of("shell", "--dev", "nix", good);
        assertEquals(2, device.status(), device.toString());
        assertTrue(device.err().contains("no device named \"nix\""), device.toString());
        Outcome setting = Outcome.of("shell", "--dev", "soft?progress=\"x\\", good);
        assertEquals(2, setting.status(), setting.toString());
        assertEquals(0, Outcome.of("shell", "-q", "--dev", "soft?progress=inline", good).status());
    }
}
