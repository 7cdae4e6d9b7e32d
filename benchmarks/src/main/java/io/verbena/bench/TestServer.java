package io.verbena.bench;

import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** The serving half of a test over two processes: does what the client tells it through the channel. */
final class TestServer {
    /** Makes the half of one size. */
    interface HalfSource {
        /** A half of the second side. */
        Half make(long size, boolean spinHint);
    }

    // What the client says, and what is answered.
    static final String SETUP = "SETUP";
    static final String PEER = "PEER";
    static final String READY = "READY";
    static final String RUN = "RUN";
    static final String BEGUN = "BEGUN";
    static final String DONE = "DONE";
    static final String CLOSE = "CLOSE";
    static final String CLOSED = "CLOSED";
    static final String RESULT = "RESULT";
    static final String END = "END";

    private final HalfSource source;
    private final ControlChannel channel;
    private final Runnable progress;
    private final Histogram unused = Rig.histogram();
    private final int cpu;
    private Half half;
    private Crew crew;

    TestServer(HalfSource source, Meeting meeting, Runnable progress) {
        this.source = source;
        this.progress = progress;
        channel = meeting.channel();
        cpu = meeting.cpu();
    }

    /** Serves until the client is done; returns what it says last. Results are handed on. */
    String serve(Consumer<String> results) {
        try {
            for (;;) {
                String line = channel.next(0);
                int blank = line.indexOf(' ');
                String verb = blank < 0 ? line : line.substring(0, blank);
                String rest = line.substring(verb.length()).strip();
                if (verb.equals(END)) {
                    return rest;
                }
                execute(verb, rest, results);
            }
        } catch (PerfException e) {
            PerfException why = channel.explain(e);
            channel.fail(why.getMessage());
            throw why;
        } catch (RuntimeException e) {
            channel.fail(String.valueOf(e.getMessage()));
            throw e;
        } finally {
            close();
        }
    }

    private void execute(String verb, String rest, Consumer<String> results) {
        switch (verb) {
            case SETUP -> setUp(rest.split(" ", 3));
            case RUN -> run(number(rest));
            case CLOSE -> {
                if (half != null) {
                    half.check();
                }
                close();
                channel.send(CLOSED);
            }
            case RESULT -> results.accept(rest);
            default -> throw new PerfException("the client wants " + verb + ", which is unknown");
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new PerfException("the client sends " + text + " where a number belongs");
        }
    }

    private void setUp(String[] words) {
        if (words.length != 3 || half != null) {
            throw new PerfException("the client does not set up one test after another");
        }
        StopFlag stop = new StopFlag();
        half = source.make(number(words[0]), Boolean.parseBoolean(words[1]));
        String description = half.describe();
        half.join(words[2]);
        channel.send(PEER + ' ' + description);
        half.settle(channel);
        channel.watch(stop);
        Side.Maker side = half.side(stop, unused);
        crew = side == null ? new Crew(stop) : new Crew(stop, () -> {
            Cores.pin(cpu);
            return side.make();
        });
        channel.send(READY);
    }

    private void run(long count) {
        if (crew == null) {
            throw new PerfException("the client runs a test before it sets one up");
        }
        AllocationMeter meter = new AllocationMeter(channel.reader());
        long before = meter.total();
        crew.begin(count);
        crew.awaitBegun();
        channel.send(BEGUN);
        crew.finish();
        channel.send(DONE + ' ' + (meter.total() - before));
        progress.run();
    }

    private void close() {
        channel.watch(null);
        if (crew != null) {
            crew.close();
        }
        if (half != null) {
            half.close();
        }
        crew = null;
        half = null;
    }
}
