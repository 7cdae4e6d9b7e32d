package io.verbena.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command itself: lists its subcommands. */
@Command(
        name = "verbena",
        description = "RDMA verbs on the JVM, with a software NIC that needs no hardware. Start with: verbena demo",
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Version.class,
        footer = {"", "verbena COMMAND --help tells more. Exit status: 0 success, 1 failure, 2 bad argument."})
final class VerbenaCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "List the commands.")
    private boolean help;

    @Option(names = {"-V", "--version"}, versionHelp = true, description = "Print the version.")
    private boolean version;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "a command is missing; allowed: "
                + String.join(", ", spec.commandLine().getSubcommands().keySet()));
    }
}
