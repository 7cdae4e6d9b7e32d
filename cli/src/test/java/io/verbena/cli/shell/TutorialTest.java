package io.verbena.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tutorials in docs work as written; and what would tell that they do not can tell. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TutorialTest {
    @ParameterizedTest
    @CsvSource({"tutorial.md, 20", "async.md, 12"})
    void everySnippetRunsAndShowsWhatIsWritten(String name, int fewestSteps) throws IOException {
        String tutorial = Files.readString(Path.of("../docs", name));
        List<Tutorial.Step> steps = Tutorial.steps(tutorial);
        assertTrue(steps.size() >= fewestSteps, () -> steps.size() + " steps found");
        assertTrue(steps.stream().filter(step -> step.shown() != null).count() >= fewestSteps / 2);
        List<String> problems = TutorialRun.problems(tutorial);
        assertEquals(List.of(), problems, () -> String.join("\n", problems));
    }

    @Test
    void brokenSnippetsAndWrongOutputAreFound() {
        List<String> problems = TutorialRun.problems("""
                ```java
                int good = 1 +
                        1;
                var id = qpA.qpNum();
                ```

                ```text
                good ==> 2
                id ==> «17»
                ```
                ```java
                int bad = "text";
                ```
                ```java
                System.out.println("before");
                check(-1);
                ```
                ```java
                int third = 3;
                ```
                ```text
                third ==> 4
                ```
                ```java
                int fourth = 4;
                ```
                ```text
                ```
                ```java
                int unfinished() { return 5;
                ```
                """);
        assertEquals(5, problems.size(), () -> String.join("\n", problems));
        assertTrue(problems.get(0).startsWith("tutorial:12: error: incompatible types"), problems.get(0));
        assertTrue(problems.get(1).startsWith("tutorial:16: io.verbena.verbs.VerbsException: ENOMEM"), problems.get(1));
        assertEquals("tutorial:19: output line 1\n  shown:   third ==> 4\n  printed: third ==> 3", problems.get(2));
        assertEquals("tutorial:25: output line 1\n  shown:   null\n  printed: fourth ==> 4", problems.get(3));
        assertTrue(problems.get(4).startsWith("tutorial:30: the script ends within"), problems.get(4));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "```text\nwithout snippet\n```\n",
        "```java\nint i;\n```\nin between\n```text\ni ==> 0\n```\n",
        "```java\nint i;\n",
        "```jshell\nint i;\n```\n"
    })
    void blocksThatWouldBeLeftOutAreRefused(String markdown) {
        assertThrows(IllegalArgumentException.class, () -> Tutorial.steps(markdown));
    }

    @Test
    void onlyMarkedPartsMayDiffer() {
        List<String> shown = List.of("qp=«0x12» SUCCESS «(a: b)»", "end");
        assertEquals("", ShownOutput.difference(shown, List.of("qp=0x9 SUCCESS x", "end  ")));
        for (List<String> other : List.of(
                List.of("qp=0x9 FAILURE x", "end"), List.of("qp= SUCCESS x", "end"), List.of("qp=0x9 SUCCESS x"),
                List.of("qp=0x9 SUCCESS x", "end", "more"), List.of("qp=0x9 SUCCESS x", "End"))) {
            assertTrue(!ShownOutput.difference(shown, other).isEmpty(), other::toString);
        }
    }
}
