package io.verbena.cli;

import picocli.CommandLine.Option;

/** The --json of commands that machines run. */
final class JsonOption {
    @Option(names = "--json", description = "Print one JSON object a line instead of text.")
    boolean json;
}
