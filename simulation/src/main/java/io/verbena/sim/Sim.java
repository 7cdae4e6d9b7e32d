package io.verbena.sim;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Runs connections over simulated networks. Everything follows from a seed: the same seed makes the same run on every
 * machine. One thread.
 */
public final class Sim implements AutoCloseable {
    /** Work requests of each end in a swarm run, on average. */
    public static final int REQUESTS = 500;
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

    /** Runs a scenario; returns the hash of all that happened. */
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
     * @param seed 0 or more
     * @return the hash of all that happened
     * @throws Violation when something that must hold does not
     */
    public long run(long seed) {
        return run(Draw.swarm(seed, REQUESTS), null, null);
    }

    /**
     * Replays one seed with a trace to read.
     *
     * @param seed 0 or more
     * @param out where the trace goes
     * @param pcap a file that the packets are written to, as Wireshark reads it; null for none
     * @return 0, or 1 when something that must hold does not: then the trace ends with what
     * @throws IOException when the file cannot be written
     */
    public int replay(long seed, PrintStream out, Path pcap) throws IOException {
        Scenario scenario = Draw.swarm(seed, REQUESTS);
        out.println("seed " + seed + ": " + scenario.ends());
        out.println(scenario.faults());
        out.println(scenario.incidents());
        try (var capture = pcap == null ? null : new Capture(pcap)) {
            long hash = run(scenario, out, capture);
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
     * @param minutes how long, 1 or more
     * @param firstSeed where to start, 0 or more
     * @param out where the outcome goes
     * @param progress told of each seed before it is run
     * @return 0, or 1 at the first seed that fails; its number and how to replay it have been printed
     */
    public int runFor(int minutes, long firstSeed, PrintStream out, LongConsumer progress) {
        long end = System.nanoTime() + minutes * NANOS_PER_MINUTE;
        long seed = firstSeed;
        for (; System.nanoTime() - end < 0; seed++) {
            progress.accept(seed);
            try {
                check(seed);
            } catch (RuntimeException | AssertionError e) {
                out.println("seed " + seed + ": " + e.getMessage());
                out.println("replay it by: ./verbena sim --seed " + seed);
                return 1;
            }
        }
        out.println(seed - firstSeed + " seeds from " + firstSeed + " on, " + packets + " packets: everything holds");
        return 0;
    }

    /** Runs a seed; some twice, for the same trace. */
    void check(long seed) {
        long hash = run(seed);
        if (seed % TWICE_EVERY == 0 && run(seed) != hash) {
            throw new Violation("O10: seed " + seed + " ran differently the second time");
        }
    }

    /**
     * Looks for a seed that shows a fault. Anything thrown counts.
     *
     * @param firstSeed where to start, 0 or more
     * @param seeds how many
     * @return the seed, or {@link #NOTHING}
     */
    public static long hunt(long firstSeed, int seeds) {
        try (var sim = new Sim()) {
            for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
                try {
                    sim.run(Draw.swarm(seed, REQUESTS / 10), null, null);
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
