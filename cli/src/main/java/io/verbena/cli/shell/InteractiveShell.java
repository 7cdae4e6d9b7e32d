package io.verbena.cli.shell;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import jdk.jshell.tool.JavaShellToolBuilder;

/** The shell at a terminal: jshell with its line editing and commands, running snippets in this JVM. */
public final class InteractiveShell {
    private InteractiveShell() {}

    /**
     * Runs until the user leaves.
     *
     * @param device what to prepare two ends on; null for none
     * @param quiet whether to leave out what jshell says about itself
     * @return the exit status: 0, or what {@code /exit} said
     * @throws Exception what the tool throws; IOException when the start-up file can't be written
     */
    public static int run(String device, boolean quiet) throws Exception {
        Path startup = Files.createTempFile("verbena", ".jsh");
        try {
            Files.write(startup, Startup.snippets(device));
            return JavaShellToolBuilder.builder()
                    .persistence(new HashMap<>())
                    .interactiveTerminal(true)
                    .start("--execution", "local", "--class-path", String.join(File.pathSeparator, Startup.classPath()),
                            "--startup", startup.toString(), "--feedback", quiet ? "concise" : "normal");
        } finally {
            Files.deleteIfExists(startup);
        }
    }

    /** What is there when the shell starts. */
    public static String banner(String version, boolean prepared) {
        return Texts.banner(version, prepared);
    }
}
