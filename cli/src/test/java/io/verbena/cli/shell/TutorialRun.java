package io.verbena.cli.shell;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs all snippets of a tutorial in one session, as {@code verbena shell} does. */
final class TutorialRun {
    private TutorialRun() {}

    /** What went wrong: snippets that do not compile or throw, and output that is not as shown. */
    static List<String> problems(String markdown) {
        List<Tutorial.Step> steps = Tutorial.steps(markdown);
        List<String> problems = new ArrayList<>();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream failures = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PrintStream usual = System.out;
        // Snippets and helpers print where every program does.
        System.setOut(out);
        try (SnippetSession session = new SnippetSession(
                out, new PrintStream(failures, true, StandardCharsets.UTF_8), true, "soft")) {
            for (Tutorial.Step step : steps) {
                int before = session.failures();
                printed.reset();
                failures.reset();
                session.begin("tutorial", step.line());
                step.source().forEach(session::add);
                session.end();
                if (session.failures() != before) {
                    problems.add(failures.toString(StandardCharsets.UTF_8));
                } else if (step.shown() != null) {
                    String difference = ShownOutput.difference(
                            step.shown(), printed.toString(StandardCharsets.UTF_8).lines().toList());
                    if (!difference.isEmpty()) {
                        problems.add("tutorial:" + step.line() + ": " + difference);
                    }
                }
            }
        } finally {
            System.setOut(usual);
        }
        return problems;
    }
}
