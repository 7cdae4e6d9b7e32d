package io.verbena.cli;

import io.verbena.bench.Progress;
import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Where a command writes: results to one stream, progress and errors to another, so that results stay clean.
 *
 * @param out for results
 * @param err for progress and errors
 */
record Terminal(PrintStream out, PrintStream err) {
    /** Set to false in processes that run for another one. */
    static final String PROGRESS = "verbena.progress";

    private static final long FIRST_NS = 2_000_000_000L;

    /** The streams of this process. */
    static Terminal system() {
        return new Terminal(System.out, System.err);
    }

    /** Prints one result line. */
    void line(String text) {
        out.println(text);
    }

    /** Prints one formatted result line. */
    void format(String pattern, Object... values) {
        out.println(String.format(Locale.ROOT, pattern, values));
    }

    /** A progress line that first appears after two seconds, and goes on every two seconds or in place. */
    ProgressLine progress(String name) {
        return new ProgressLine(err, name);
    }

    /** Writes what goes on: in place on a terminal, else a line now and then. */
    static final class ProgressLine implements Progress, AutoCloseable {
        private final PrintStream err;
        private final String name;
        private long due = System.nanoTime() + FIRST_NS;
        private final boolean silent = "false".equals(System.getProperty(PROGRESS));
        private boolean started;
        private boolean inPlace;
        private int width;

        private ProgressLine(PrintStream err, String name) {
            this.err = err;
            this.name = name;
        }

        @Override
        public void at(String text) {
            long now = System.nanoTime();
            if (silent || now - due < 0) {
                return;
            }
            if (!started) {
                Console console = err == System.err ? System.console() : null;
                inPlace = console != null && console.isTerminal();
                started = true;
            }
            String line = name + ": " + text;
            if (inPlace) {
                err.print('\r' + line + " ".repeat(Math.max(0, width - line.length())));
                err.flush();
                width = line.length();
                due = now + FIRST_NS / 10;
            } else {
                err.println(line);
                due = now + FIRST_NS;
            }
        }

        /** Removes a line written in place. */
        @Override
        public void close() {
            if (inPlace && width > 0) {
                err.print('\r' + " ".repeat(width) + '\r');
                err.flush();
                width = 0;
            }
        }
    }
}
