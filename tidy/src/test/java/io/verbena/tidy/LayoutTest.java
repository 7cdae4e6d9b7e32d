package io.verbena.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What lies at the top of the repository: a file that strayed there is seen. */
class LayoutTest {
    /** A new entry is a decision. */
    private static final Set<String> TOP = Set.of(
            ".ci", ".editorconfig", ".gitattributes", ".gitignore", ".mvn", "ARCHITECTURE.md", "CHANGELOG.md",
            "CONTRIBUTING.md", "LICENSE", "README.md", "async-api", "benchmarks", "cli", "docs", "examples", "interop",
            "mvnw", "mvnw.cmd", "pom.xml", "simulation", "soft-nic", "tidy", "transport-rc", "verbena", "verbs-core");

    @Test
    void nothingElseIsCommittedAtTheTop() throws Exception {
        assumeTrue(Files.exists(Project.root().resolve(".git")), "no repository here, so nothing is committed");
        assertEquals(new TreeSet<>(TOP), new TreeSet<>(committed()));
    }

    private static Set<String> committed() throws IOException, InterruptedException {
        var git = new ProcessBuilder("git", "ls-tree", "--name-only", "HEAD")
                .directory(Project.root().toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
        var process = start(git);
        var names = new TreeSet<>(new String(process.getInputStream().readAllBytes()).lines().toList());
        assertTrue(process.waitFor(10, TimeUnit.SECONDS));
        assumeTrue(process.exitValue() == 0, "git can't tell what is committed");
        return names;
    }

    private static Process start(ProcessBuilder git) {
        try {
            return git.start();
        } catch (IOException e) {
            assumeTrue(false, "no git here: " + e.getMessage());
            throw new AssertionError(e);
        }
    }
}
