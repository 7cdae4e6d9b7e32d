package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.bench.OptionRange;
import io.verbena.sim.Service;
import io.verbena.sim.Sim;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the protocol engine against simulated networks: one seed with a trace, or fresh seeds for some time. */
@Command(
        name = "sim",
        description = "Run queue pairs over simulated networks that lose, delay and damage packets.",
        footer = {
            "",
            "A seed decides everything that happens: the network, the faults, the work, the times. --seed prints each"
                    + " packet of one run; --minutes tries fresh seeds until the time is over or one fails.",
            "",
            "Exit status: 0 when all that must hold has held; 1 when not, with the seed that shows it; 2 for a bad"
                    + " argument."})
final class SimCommand implements Callable<Integer> {
    private static final OptionRange SEED = new OptionRange("--seed", 0, Long.MAX_VALUE, "as a failed run printed it");
    private static final OptionRange MINUTES = new OptionRange("--minutes", 1, 100_000, "minutes");
    private static final long FRESH_SEEDS = 1L << 40;
    private static final List<Service> SERVICES = List.of(Service.values());

    private final Terminal terminal;

    @Spec
    private CommandSpec spec;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Option(names = "--seed", paramLabel = "N",
            description = "Replay this run, with a trace; with --minutes the first of the seeds.")
    private String seed;

    @Option(names = "--minutes", paramLabel = "M", description = "Run fresh seeds for so long.")
    private String minutes;

    @Option(names = "--service", paramLabel = "rc|uc|ud",
            description = "What to simulate. With --seed rc if not given; with --minutes all three in turn.")
    private String service;

    @Option(names = "--pcap", paramLabel = "FILE",
            description = "With --seed: write the packets, as Wireshark reads them.")
    private Path pcap;

    SimCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (seed == null && minutes == null) {
            throw new ParameterException(spec.commandLine(), "what to run is missing; allowed: --seed N, --minutes M");
        }
        if (pcap != null && minutes != null) {
            throw new ParameterException(spec.commandLine(), "--pcap holds one run; allowed: with --seed N alone");
        }
        if (pcap != null) {
            requireWritable();
        }
        List<Service> services = services();
        long first = seed != null ? SEED.parse(seed)
                : Sim.FIRST_FRESH_SEED + ThreadLocalRandom.current().nextLong(FRESH_SEEDS);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        try (Sim sim = new Sim(); Terminal.ProgressLine progress = terminal.progress("verbena sim")) {
            PrintStream out = json.json ? new PrintStream(told, false, StandardCharsets.UTF_8) : terminal.out();
            int status = minutes == null ? sim.replay(services.getFirst(), first, out, pcap)
                    : sim.runFor(services, (int) MINUTES.parse(minutes), first, out,
                            now -> progress.at("seed " + now + ", " + sim.packets() + " packets so far"));
            out.flush();
            if (json.json) {
                terminal.line(new Json().put("first_seed", first).put("packets", sim.packets())
                        .put("holds", status == 0).put("text", lastLines(told)).toString());
            }
            return status;
        }
    }

    /** Before anything is run: what is in the way is the caller's to mend. */
    private void requireWritable() {
        try {
            Files.newOutputStream(pcap).close();
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "--pcap is " + pcap + ", which can't be written (" + e
                    + "); allowed: a file in a folder that exists");
        }
    }

    private List<Service> services() {
        if (service == null) {
            return SERVICES;
        }
        for (Service known : SERVICES) {
            if (known.option().equalsIgnoreCase(service)) {
                return List.of(known);
            }
        }
        throw new ParameterException(spec.commandLine(), "--service " + service + " is unknown; allowed: rc, uc, ud");
    }

    /** What was said at the end; the trace before is for people. */
    private String lastLines(ByteArrayOutputStream told) {
        String text = told.toString(StandardCharsets.UTF_8).strip();
        return minutes != null ? text : text.substring(text.lastIndexOf('\n') + 1);
    }
}
