package io.verbena.bench;

import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.PortAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairType;
import org.HdrHistogram.Histogram;

/** A test set up for one message size: two connected endpoints and the sides that will run. Closing undoes it. */
final class Rig implements TestRig {
    /** Longer times are recorded as this. */
    static final long LONGEST_NS = 60_000_000_000L;

    private static final int DIGITS = 3;
    private static final int LINE = 128;

    private final Histogram histogram = new Histogram(LONGEST_NS, DIGITS);
    private final StopFlag stop = new StopFlag();
    private final Endpoint a;
    private final Endpoint b;
    private final Session session;

    private Rig(PerfConfig config, boolean spinHint) {
        if (!config.test().usesVerbs()) {
            a = null;
            b = null;
            session = withoutVerbs(config, spinHint);
            return;
        }
        EndpointConfig end = endpointConfig(config);
        a = new Endpoint(end);
        try {
            b = new Endpoint(end);
            try {
                check(config);
                Endpoint.connect(a, b, config.path());
                session = start(config).withLeastRun((long) config.queues().qps() * config.queues().txDepth());
            } catch (RuntimeException e) {
                b.close();
                throw e;
            }
        } catch (RuntimeException e) {
            a.close();
            throw e;
        }
    }

    /** Sets a test up; the size must be a single one. */
    static Rig of(PerfConfig config) {
        return new Rig(config, true);
    }

    /** Sets bare_lat up, with or without Thread.onSpinWait in its waits. */
    static Rig bare(PerfConfig config, boolean spinHint) {
        return new Rig(config, spinHint);
    }

    /** Distance of two buffers of this size, so that they share no cache line. */
    static long stride(long size) {
        return (size + LINE - 1) / LINE * LINE;
    }

    static Histogram histogram() {
        return new Histogram(LONGEST_NS, DIGITS);
    }

    /** What each end of a test is made from. */
    static EndpointConfig endpointConfig(PerfConfig config) {
        QueueShape shape = config.queues();
        PerfTest test = config.test();
        boolean latency = !test.isBandwidth();
        int sends = latency ? Math.max(MessagePort.SENDS, shape.txDepth()) : shape.txDepth();
        int receives = 0;
        if (test.isSend()) {
            receives = latency ? shape.rxDepth() + 1 : shape.rxDepth();
        }
        long buffers = latency ? 2 : shape.qps();
        Transport transport = config.path().transport();
        long bytes = test == PerfTest.READ_FRESH_LAT ? FreshWriter.BUFFER_AT + FreshWriter.buffers(config.size())
                : buffers * stride(config.size() + transport.headerBytes());
        return new EndpointConfig(config.device(), bytes, shape.qps(),
                new QueuePairCapabilities(sends, receives, 1, 1, shape.inlineSize()),
                new Sharing(CqLayout.TWO, transport), config.style().events(), config.style().threading());
    }

    /** Compares a configuration with what a device can do, before anything runs. */
    static void check(PerfConfig config, DeviceAttributes device, PortAttributes port) {
        QueueShape shape = config.queues();
        atMost("-I", shape.inlineSize(), device.limit(DeviceLimit.MAX_INLINE_DATA), "bytes on this device");
        atMost("-q", 2L * shape.qps(), device.limit(DeviceLimit.MAX_QP), "queue pairs of both ends on this device");
        atMost("-t", shape.txDepth(), device.limit(DeviceLimit.MAX_QP_WR), "work requests on this device");
        atMost("-r", shape.rxDepth(), device.limit(DeviceLimit.MAX_QP_WR), "work requests on this device");
        if (config.path().transport().type() == QueuePairType.UD) {
            atMost("-s", config.size(), port.activeMtu().bytes(), "bytes in a datagram on this port");
        } else {
            atMost("-m", config.path().mtu().bytes(), port.activeMtu().bytes(), "bytes on this port");
        }
        if (config.size() != PerfConfig.ALL_SIZES) {
            atMost("-s", config.size(), port.maxMessageBytes(), "bytes on this port");
        }
        long entries = (long) shape.qps() * Math.max(shape.txDepth(), config.test().isSend() ? shape.rxDepth() : 0);
        atMost("-q times -t or -r", entries, device.limit(DeviceLimit.MAX_CQE), "completions on this device");
    }

    private static void atMost(String option, long value, long limit, String unit) {
        if (value > limit) {
            throw BadOptionException.value(option, value, "up to " + limit + ' ' + unit);
        }
    }

    private void check(PerfConfig config) {
        check(config, a.context().queryDevice(), a.context().queryPort(config.path().port()));
    }

    private Session start(PerfConfig config) {
        Credits credits = Sides.credits(config);
        Side.Maker first = () -> Sides.first(config, stop, a, PeerMemory.of(b), credits, histogram);
        return Sides.hasSecond(config.test())
                ? session(first, () -> Sides.second(config, stop, b, PeerMemory.of(a), credits))
                : session(first);
    }

    private Session withoutVerbs(PerfConfig config, boolean spinHint) {
        return config.test() == PerfTest.COPY_BW
                ? session(() -> new CopyBandwidth(stop, config.size(), histogram))
                : session(() -> new BarePing(stop, config.size(), spinHint, histogram),
                        () -> new BarePong(stop, config.size(), spinHint));
    }

    private Session session(Side.Maker... sides) {
        return new Session(stop, histogram, sides);
    }

    /** What runs the sides. */
    Session session() {
        return session;
    }

    /** Where the sides record. */
    Histogram times() {
        return histogram;
    }

    @Override
    public PerfResult measure(PerfConfig config, Progress progress) {
        return measure(config, session, histogram, progress);
    }

    /** Warms a session up and measures. */
    static PerfResult measure(PerfConfig config, Session session, Histogram times, Progress progress) {
        String what = config.test().label() + ' ' + config.size() + " B";
        session.warmUp(config.length().warmUpSeconds(), progress, what);
        return PerfResult.of(config, times, session.measure(config.length(), progress, what));
    }

    @Override
    public void close() {
        session.close();
        if (a != null) {
            try {
                a.close();
            } finally {
                b.close();
            }
        }
    }
}
