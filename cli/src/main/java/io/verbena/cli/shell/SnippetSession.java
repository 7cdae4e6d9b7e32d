package io.verbena.cli.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.util.List;
import java.util.Locale;
import jdk.jshell.Diag;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.UnresolvedReferenceException;

/**
 * Runs snippets one after another in this JVM, as scripts do: reports what each came to as jshell does, goes on after
 * a failure, and counts failures. Snippets are told where they are at fault by script and line.
 */
public final class SnippetSession implements AutoCloseable {
    private final PrintStream out;
    private final PrintStream err;
    private final boolean echo;
    private final JShell shell;
    private final StringBuilder pending = new StringBuilder();
    private String script = "";
    private int line;
    private int firstLine = 1;
    private int snippets;
    private int failures;
    private Integer exitStatus;

    /**
     * Starts a session.
     *
     * @param out where the values of snippets go
     * @param err where failures go
     * @param echo whether to print values
     * @param device what to prepare two ends on; null for none
     */
    public SnippetSession(PrintStream out, PrintStream err, boolean echo, String device) {
        this.out = out;
        this.err = err;
        this.echo = echo;
        shell = JShell.builder().executionEngine("local").out(out).err(err)
                .idGenerator(this::id).tempVariableNameGenerator(() -> "$" + (snippets + 1)).build();
        Startup.classPath().forEach(shell::addToClasspath);
        Startup.snippets(device).forEach(this::start);
        snippets = 0;
    }

    /** Counts as jshell does, so that $3 is the value of the third snippet. */
    private String id(Snippet snippet, int number) {
        return shell.status(snippet).isActive() ? Integer.toString(++snippets) : "e" + number;
    }

    private void start(String source) {
        for (SnippetEvent event : shell.eval(source)) {
            if (event.status() != Snippet.Status.VALID || event.exception() != null) {
                String why = event.exception() != null ? event.exception().toString()
                        : String.join("; ", messages(event.snippet()));
                throw new IllegalStateException("the shell can't start: " + source + ": " + why, event.exception());
            }
        }
    }

    /**
     * Runs a script to its end or to {@code /exit}.
     *
     * @param name what it is called in messages
     * @param text where it is read from
     * @throws IOException when it can't be read
     */
    public void run(String name, Reader text) throws IOException {
        begin(name, 1);
        BufferedReader lines = new BufferedReader(text);
        String next;
        while (!hasExited() && (next = lines.readLine()) != null) {
            add(next);
        }
        end();
    }

    /** Begins a script, whose first line has a number; its lines come by {@link #add}, then {@link #end}. */
    void begin(String name, int first) {
        script = name;
        line = first - 1;
        pending.setLength(0);
    }

    /** Takes the next line of the script, and evaluates what is complete. */
    void add(String text) {
        line++;
        if (pending.toString().isBlank()) {
            pending.setLength(0);
            firstLine = line;
            if (text.startsWith("#!") && line == 1) {
                return;
            }
            if (isCommand(text.strip())) {
                command(text.strip());
                return;
            }
        }
        pending.append(text).append('\n');
        evaluateComplete();
    }

    private void evaluateComplete() {
        while (!hasExited() && !pending.isEmpty()) {
            CompletionInfo info = shell.sourceCodeAnalysis().analyzeCompletion(pending.toString());
            Completeness state = info.completeness();
            if (state == Completeness.EMPTY) {
                pending.setLength(0);
                return;
            }
            if (!state.isComplete()) {
                return;
            }
            String rest = info.remaining();
            evaluate(info.source());
            pending.setLength(0);
            pending.append(rest);
            firstLine = line;
        }
    }

    /** Ends the script: what is left must be complete, and nothing may be undefined any more. */
    void end() {
        if (!hasExited() && !pending.toString().isBlank()) {
            if (shell.sourceCodeAnalysis().analyzeCompletion(pending.toString()).completeness()
                    == Completeness.DEFINITELY_INCOMPLETE) {
                fail("the script ends within this snippet: " + pending.toString().lines().findFirst().orElse(""));
            } else {
                evaluate(pending.toString());
            }
        }
        pending.setLength(0);
        if (!hasExited()) {
            shell.snippets().filter(snippet -> isUnresolved(shell.status(snippet))).forEach(snippet ->
                    fail("never became usable: " + snippet.source().strip().lines().findFirst().orElse("")));
        }
    }

    private static boolean isUnresolved(Snippet.Status status) {
        return status == Snippet.Status.RECOVERABLE_DEFINED || status == Snippet.Status.RECOVERABLE_NOT_DEFINED;
    }

    // Commands

    private static boolean isCommand(String text) {
        return text.startsWith("/") && !text.startsWith("//") && !text.startsWith("/*");
    }

    private void command(String text) {
        String[] words = text.split("\\s+");
        if (words[0].equals("/exit") && words.length == 1) {
            exitStatus = failures == 0 ? 0 : 1;
        } else if (words[0].equals("/exit") && words.length == 2 && words[1].matches("\\d{1,3}")) {
            exitStatus = Integer.parseInt(words[1]);
        } else {
            fail(text + ": a script may use /exit and /exit NUMBER; other commands work in the interactive shell");
        }
    }

    /** Whether the script has asked to end. */
    public boolean hasExited() {
        return exitStatus != null;
    }

    /**
     * What the process should end with.
     *
     * @return what {@code /exit} said, else 0 when every snippet ran without an error or exception, else 1
     */
    public int exitStatus() {
        return exitStatus != null ? exitStatus : failures == 0 ? 0 : 1;
    }

    /** How many snippets failed. */
    int failures() {
        return failures;
    }

    // Snippets

    private void evaluate(String source) {
        for (SnippetEvent event : shell.eval(source)) {
            if (event.exception() != null) {
                fail(describe(event.exception()));
            } else if (event.causeSnippet() != null) {
                continue;
            } else if (event.status() == Snippet.Status.REJECTED) {
                fail("error: " + String.join("\n    ", messages(event.snippet()))
                        + "\n    " + source.strip().lines().findFirst().orElse(""));
            } else if (echo) {
                String text = Echo.of(event);
                if (!text.isEmpty()) {
                    out.println(text);
                }
            }
        }
    }

    private List<String> messages(Snippet snippet) {
        return shell.diagnostics(snippet).filter(Diag::isError).map(error -> error.getMessage(Locale.ROOT)).toList();
    }

    private static String describe(JShellException exception) {
        if (exception instanceof UnresolvedReferenceException unresolved) {
            return "this needs what is not defined yet: " + unresolved.getSnippet().source().strip();
        }
        StringBuilder text = new StringBuilder();
        for (Throwable at = exception; at != null; at = at.getCause()) {
            String name = at instanceof EvalException thrown ? thrown.getExceptionClassName() : at.getClass().getName();
            text.append(text.isEmpty() ? "" : "\n    caused by ").append(name)
                    .append(at.getMessage() == null ? "" : ": " + at.getMessage());
        }
        return text.toString();
    }

    private void fail(String text) {
        failures++;
        // What snippets have printed comes first.
        System.out.flush();
        out.flush();
        err.println(script + ':' + firstLine + ": " + text);
    }

    /** Ends the session; what its snippets have opened stays open until the process ends. */
    @Override
    public void close() {
        shell.close();
    }
}
