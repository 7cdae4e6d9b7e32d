package io.verbena.cli;

import picocli.CommandLine.Option;

/** The --help of every subcommand. */
final class HelpOption {
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Explain this command.")
    private boolean help;
}
