package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.cli.PingpongServiceCommand.Service;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/** The ping-pong programs of libibverbs. */
@Command(name = "pingpong", description = "Ping-pong (like ibv_rc_pingpong, ibv_uc_pingpong, ...).",
        synopsisSubcommandLabel = "SERVICE")
final class PingpongCommand implements Callable<Integer> {
    @Mixin
    private HelpOption help;

    /** What stands where a service is missing: a name that is none, or the first of its options. */
    @Unmatched
    private final List<String> rest = new ArrayList<>();

    PingpongCommand(Terminal terminal) {}

    @Override
    public Integer call() {
        String allowed = Arrays.stream(Service.values()).map(Service::label).collect(Collectors.joining(", "));
        if (rest.isEmpty()) {
            throw new BadOptionException("SERVICE is missing; allowed: " + allowed);
        }
        String first = rest.getFirst();
        if (first.startsWith("-")) {
            throw new BadOptionException("SERVICE is missing before " + first + "; allowed: " + allowed);
        }
        throw BadOptionException.value("SERVICE", '"' + first + '"', allowed);
    }
}
