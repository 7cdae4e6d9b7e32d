package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * Runs the sides of a test: first until they are warm, then measured, in runs of a fraction of a second. Used by one
 * coordinating thread, which allocates and reports only between runs.
 */
final class Session implements AutoCloseable {
    private static final double RUN_SECONDS = 0.05;
    private static final long WARM_ITERATIONS = 20_000;
    private static final int QUIET_RUNS = 3;
    private static final double NS = 1e9;

    private final Crew crew;
    private final Histogram histogram;
    private final Partner partner;
    private final AllocationMeter meter;
    private double perSecond = 1_000;
    private long leastRun = 1;
    private long own;
    private long partners;

    /**
     * What a measurement came to.
     *
     * @param iterations iterations done
     * @param seconds how long they took
     * @param allocatedBytes what all threads of this process but the coordinating one allocated meanwhile
     * @param partnerBytes the same in the other process, if there is one
     */
    record Totals(long iterations, double seconds, long allocatedBytes, long partnerBytes) {}

    Session(StopFlag stop, Histogram histogram, Side.Maker... sides) {
        this(stop, histogram, Partner.NONE, sides);
    }

    /** A session whose other sides are in another process. */
    Session(StopFlag stop, Histogram histogram, Partner partner, Side.Maker... sides) {
        this.histogram = histogram;
        this.partner = partner;
        meter = new AllocationMeter(partner.helper());
        crew = new Crew(stop, sides);
    }

    /** Sets how many iterations a run has at least, so that filling and emptying many queues weighs little. */
    Session withLeastRun(long iterations) {
        leastRun = iterations;
        return this;
    }

    /**
     * Runs until the code is warm: at least the time asked for and 20,000 iterations, and until some runs in a row
     * allocate nothing (when the JIT first compiles a method, the thread that calls it allocates the string constants
     * of its class). A test too slow for that is given up on after three times the time asked for.
     */
    void warmUp(double seconds, Progress progress, String what) {
        double spent = 0;
        long done = 0;
        long next = 100;
        int quiet = 0;
        while (spent < seconds || (done < WARM_ITERATIONS || quiet < QUIET_RUNS) && spent < 3 * seconds) {
            histogram.reset(); // as before measuring, so that first values find compiled code too
            double took = run(next);
            quiet = own + partners == 0 ? quiet + 1 : 0;
            spent += took;
            done += next;
            perSecond = next / Math.max(took, 1 / NS);
            next = clamp(perSecond * RUN_SECONDS, 4 * next);
            progress.at(what + ": warming up");
        }
    }

    /** Measures; the histogram then holds what these runs recorded. */
    Totals measure(RunLength length, Progress progress, String what) {
        histogram.reset();
        long most = length.iterations() > 0 ? length.iterations() : Long.MAX_VALUE;
        double seconds = length.iterations() > 0 ? Double.MAX_VALUE : length.seconds();
        long done = 0;
        double spent = 0;
        long allocated = 0;
        long allocatedThere = 0;
        while (done < most && spent < seconds) {
            double slice = Math.max(Math.min(RUN_SECONDS, seconds - spent), RUN_SECONDS / 100);
            long next = clamp(perSecond * slice, most - done);
            double took = run(next);
            allocated += own;
            allocatedThere += partners;
            done += next;
            spent += took;
            perSecond = next / Math.max(took, 1 / NS);
            double part = Math.min(1, done / (double) most + spent / seconds);
            progress.at(what + ": " + Math.round(100 * part) + " %");
        }
        return new Totals(done, spent, allocated, allocatedThere);
    }

    /** One run; returns its seconds and leaves what was allocated. */
    private double run(long count) {
        partner.begin(count);
        long before = meter.total();
        double took = crew.run(count) / NS;
        own = meter.total() - before;
        partners = partner.finish();
        return took;
    }

    private long clamp(double wanted, long most) {
        return Math.max(1, Math.min(Math.max((long) wanted, leastRun), most));
    }

    @Override
    public void close() {
        crew.close();
    }
}
