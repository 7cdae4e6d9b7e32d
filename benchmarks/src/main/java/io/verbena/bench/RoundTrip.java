package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * A ping-pong that is measured slice by slice, so that several of them can take turns and meet the same moods of the
 * machine. Used by one thread; its two measuring threads sleep between slices.
 */
public final class RoundTrip implements AutoCloseable {
    private final String name;
    private final Session session;
    private final AutoCloseable ends;
    private final Histogram slice;
    private final Histogram all = Rig.histogram();

    private RoundTrip(String name, Session session, AutoCloseable ends, Histogram slice) {
        this.name = name;
        this.session = session;
        this.ends = ends;
        this.slice = slice;
    }

    /**
     * One of the latency tests.
     *
     * @param config the test, with a single size
     * @return set up, not yet warm
     */
    public static RoundTrip of(PerfConfig config) {
        Rig rig = Rig.of(config);
        return new RoundTrip(config.test().label(), rig.session(), rig, rig.times());
    }

    /**
     * The same over TCP.
     *
     * @param busy true to spin on non-blocking channels, false to block
     * @param size bytes of a message
     * @return set up, not yet warm
     */
    public static RoundTrip tcp(boolean busy, int size) {
        TcpPair pair = new TcpPair(busy);
        Histogram times = Rig.histogram();
        StopFlag stop = new StopFlag();
        Session session = new Session(stop, times, () -> pair.first(stop, size, times),
                () -> pair.second(stop, size));
        return new RoundTrip("tcp", session, pair, times);
    }

    /**
     * Runs unmeasured.
     *
     * @param seconds least time
     * @param progress told how far it is
     */
    public void warmUp(double seconds, Progress progress) {
        session.warmUp(seconds, progress, name);
    }

    /**
     * Measures for a while more.
     *
     * @param seconds how long
     * @param progress told how far it is
     */
    public void slice(double seconds, Progress progress) {
        session.measure(RunLength.ofSeconds(seconds), progress, name);
        all.add(slice);
    }

    /**
     * The times of all slices.
     *
     * @return their distribution
     */
    public Percentiles percentiles() {
        return Percentiles.of(all);
    }

    @Override
    public void close() {
        session.close();
        try {
            ends.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
