package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The ping-pong programs of libibverbs; of the services, RC is there. */
@Command(name = "pingpong", description = "Ping-pong over one connection (like ibv_rc_pingpong).",
        synopsisSubcommandLabel = "rc")
final class PingpongCommand implements Callable<Integer> {
    @Mixin
    private HelpOption help;

    @Parameters(arity = "0..1", paramLabel = "SERVICE", hidden = true)
    private String service;

    PingpongCommand(Terminal terminal) {}

    @Override
    public Integer call() {
        if (service == null) {
            throw new BadOptionException("SERVICE is missing; allowed: rc");
        }
        if (service.equals("uc") || service.equals("ud") || service.equals("srq")) {
            throw BadOptionException.value("SERVICE", service, "rc; " + service + " comes with a later version");
        }
        throw BadOptionException.value("SERVICE", '"' + service + '"', "rc");
    }
}
