package io.verbena.sim;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Runs connections over simulated networks. Everything follows from a seed: the same seed makes the same run on every
 * machine. One thread.
 */
public final class Sim implements AutoCloseable {
    /** Work requests of each end in a swarm run, on average. */
    public static final int REQUESTS = 500;
    /** Where seeds that nobody has run before begin. */
    public static final long FIRST_FRESH_SEED = 1L << 40;
    /** What {@link #hunt} returns when nothing was found. */
    public static final long NOTHING = -1;

    private static final long TWICE_EVERY = 100;
    private static final long NANOS_PER_MINUTE = 60_000_000_000L;

    private final Slab slab = new Slab();
    private long packets;

    /** Makes the memory that runs share. */
    public Sim() {}

    /** Packets sent in all runs so far. */
    public long packets() {
        return packets;
    }

    /** Runs a scenario of a service; returns the hash of all that happened. */
    long run(Service service, Scenario scenario, PrintStream out, Capture capture) {
        if (service == Service.RC) {
            return run(scenario, out, capture);
        }
        try (var arena = Arena.ofConfined()) {
            var trace = new Trace(out, capture, scenario.ends().ipv4());
            packets += new UnreliableRun(scenario, service, slab, arena, trace).run();
            return trace.hash();
        }
    }

    private static Scenario draw(Service service, long seed, int requests) {
        return service == Service.RC ? Draw.swarm(seed, requests) : Draw.unreliable(service, seed, requests);
    }

    /** Runs a scenario of reliable connections; returns the hash of all that happened. */
    long run(Scenario scenario, PrintStream out, Capture capture) {
        try (var arena = Arena.ofConfined()) {
            var trace = new Trace(out, capture, scenario.ends().ipv4());
            packets += new Run(scenario, slab, arena, trace).run();
            return trace.hash();
        }
    }

    /**
     * Runs one seed of the swarm.
     *
     * @param service what is simulated; the same seed is another run for another one
     * @param seed 0 or more
     * @return the hash of all that happened
     * @throws Violation when something that must hold does not
     */
    public long run(Service service, long seed) {
        return run(service, draw(service, seed, REQUESTS), null, null);
    }

    /**
     * Replays one seed with a trace to read.
     *
     * @param service what is simulated
     * @param seed 0 or more
     * @param out where the trace goes
     * @param pcap a file that the packets are written to, as Wireshark reads it; null for none
     * @return 0, or 1 when something that must hold does not: then the trace ends with what
     * @throws IOException when the file cannot be written
     */
    public int replay(Service service, long seed, PrintStream out, Path pcap) throws IOException {
        Scenario scenario = draw(service, seed, REQUESTS);
        out.println("seed " + seed + ": " + scenario.ends());
        out.println(scenario.faults());
        out.println(scenario.incidents());
        try (var capture = pcap == null ? null : new Capture(pcap)) {
            long hash = run(service, scenario, out, capture);
            out.printf("seed %d: everything holds, trace hash %016x%n", seed, hash);
            return 0;
        } catch (Violation | AssertionError e) {
            out.println("seed " + seed + ": " + e.getMessage());
            return 1;
        }
    }

    /**
     * Runs fresh seeds for some time, each hundredth one twice.
     *
     * @param services each seed is run for all of these
     * @param minutes how long, 1 or more
     * @param firstSeed where to start, 0 or more
     * @param out where the outcome goes
     * @param progress told of each seed before it is run
     * @return 0, or 1 at the first seed that fails; its number and how to replay it have been printed
     */
    public int runFor(
            List<Service> services, int minutes, long firstSeed, PrintStream out, LongConsumer progress) {
        long end = System.nanoTime() + minutes * NANOS_PER_MINUTE;
        long seed = firstSeed;
        for (; System.nanoTime() - end < 0; seed++) {
            progress.accept(seed);
            for (Service service : services) {
                try {
                    check(service, seed);
                } catch (RuntimeException | AssertionError e) {
                    out.println("seed " + seed + ", " + service + ": " + e.getMessage());
                    out.println("replay it by: " + command(service, seed));
                    return 1;
                }
            }
        }
        out.println(seed - firstSeed + " seeds from " + firstSeed + " on, " + packets + " packets: everything holds");
        return 0;
    }

    /** What to type to see a run. */
    static String command(Service service, long seed) {
        return "./verbena sim --seed " + seed + (service == Service.RC ? "" : " --service " + service.option());
    }

    /** Runs a seed; some twice, for the same trace. */
    void check(Service service, long seed) {
        long hash = run(service, seed);
        if (seed % TWICE_EVERY == 0 && run(service, seed) != hash) {
            throw new Violation("O10: seed " + seed + " ran differently the second time");
        }
    }

    /**
     * Looks for a seed that shows a fault. Anything thrown counts.
     *
     * @param service name of what is simulated
     * @param firstSeed where to start, 0 or more
     * @param seeds how many
     * @return the seed, or {@link #NOTHING}
     */
    public static long hunt(String service, long firstSeed, int seeds) {
        try (var sim = new Sim()) {
            for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
                try {
                    Service simulated = Service.valueOf(service);
                    sim.run(simulated, draw(simulated, seed, REQUESTS / 10), null, null);
                } catch (RuntimeException | AssertionError found) {
                    return seed;
                }
            }
            return NOTHING;
        }
    }

    @Override
    public void close() {
        slab.close();
    }
}
