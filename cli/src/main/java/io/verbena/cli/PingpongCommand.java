package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.cli.PingpongServiceCommand.Service;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The ping-pong programs of libibverbs. */
@Command(name = "pingpong", description = "Ping-pong (like ibv_rc_pingpong, ibv_uc_pingpong, ...).",
        synopsisSubcommandLabel = "SERVICE")
final class PingpongCommand implements Callable<Integer> {
    @Mixin
    private HelpOption help;

    @Parameters(arity = "0..1", paramLabel = "SERVICE", hidden = true)
    private String service;

    PingpongCommand(Terminal terminal) {}

    @Override
    public Integer call() {
        String allowed = Arrays.stream(Service.values()).map(Service::label).collect(Collectors.joining(", "));
        if (service == null) {
            throw new BadOptionException("SERVICE is missing; allowed: " + allowed);
        }
        throw BadOptionException.value("SERVICE", '"' + service + '"', allowed);
    }
}
