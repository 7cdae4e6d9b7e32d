package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What processes share to reach each other's NICs. */
@Command(name = "shm", description = "Look at what processes share (soft?link=shm).", synopsisSubcommandLabel = "WHAT")
final class ShmCommand implements Callable<Integer> {
    @Mixin
    private HelpOption help;

    @Parameters(arity = "0..1", paramLabel = "WHAT", hidden = true)
    private String what;

    ShmCommand() {}

    @Override
    public Integer call() {
        if (what == null) {
            throw new BadOptionException("WHAT is missing; allowed: ls");
        }
        throw BadOptionException.value("WHAT", '"' + what + '"', "ls");
    }
}
