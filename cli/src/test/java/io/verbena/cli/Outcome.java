package io.verbena.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What one run of the command in this process came to.
 *
 * @param status exit status
 * @param out what it printed as results
 * @param err what it printed as progress and errors
 */
record Outcome(int status, String out, String err) {
    /** Runs the command. */
    static Outcome of(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = Main.run(new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)), args);
        return new Outcome(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Runs the command with words separated by blanks. */
    static Outcome ofLine(String line) {
        return line.isBlank() ? of() : of(line.strip().split("\\s+"));
    }

    /** The lines printed as results. */
    List<String> lines() {
        return out.lines().toList();
    }

    /** Everything, for the message of a failed assertion. */
    @Override
    public String toString() {
        return "status " + status + "\nout: " + out + "\nerr: " + err;
    }
}
