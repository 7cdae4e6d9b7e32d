package io.verbena.bench;

import io.verbena.verbs.SendFlags;
import org.HdrHistogram.Histogram;

/** Which {@link Side} does what in each test of verbs. The first side posts and measures. */
final class Sides {
    private Sides() {}

    /** The first side. */
    static Side first(PerfConfig config, StopFlag stop, Endpoint own, PeerMemory peer, Credits credits,
            Histogram times) {
        long size = config.size();
        return switch (config.test()) {
            case SEND_LAT -> new SendPing(stop, port(config, stop, own), times);
            case WRITE_LAT -> new WritePing(stop, new WritePort(own, peer, size, flags(config), stop), times);
            case READ_LAT -> new ReadLatency(stop, own, peer, size, 1, times);
            case READ_COMP_LAT -> new ReadLatency(stop, own, peer, size, Side.GROUP, times);
            case READ_FRESH_LAT -> new FreshReader(stop, own, peer, size, times);
            case WRITE_COMP_LAT -> new WriteLatency(stop, own, peer, size, flags(config), times);
            case ATOMIC_LAT -> new AtomicLatency(stop, own, peer, config.style().atomic(), 1, times);
            case ATOMIC_COMP_LAT -> new AtomicLatency(stop, own, peer, config.style().atomic(), Side.GROUP, times);
            case SEND_BW -> new SendBandwidth(stop, own, peer, config, times, credits);
            case WRITE_BW -> new WriteBandwidth(stop, own, peer, config, times);
            case READ_BW -> new ReadBandwidth(stop, own, peer, config, times);
            case ATOMIC_BW -> new AtomicBandwidth(stop, own, peer, config, times);
            case BARE_LAT, AERON_LAT, RING_BW, BARE_BW, MMSG_BW, TCP_LAT, NETTY_LAT, COPY_BW, ASYNC_LAT,
                    ASYNC_READ_LAT ->
                throw new IllegalArgumentException("has no verbs");
        };
    }

    /** Whether there is a second side; else the other end's memory is all there is. */
    static boolean hasSecond(PerfTest test) {
        return test.isSend() || test.watchesMemory();
    }

    /** The second side. */
    static Side second(PerfConfig config, StopFlag stop, Endpoint own, PeerMemory peer, Credits credits) {
        return switch (config.test()) {
            case SEND_LAT -> new SendPong(stop, port(config, stop, own));
            case WRITE_LAT -> new WritePong(stop, new WritePort(own, peer, config.size(), flags(config), stop));
            case READ_FRESH_LAT -> new FreshWriter(stop, own, peer, config.size());
            case SEND_BW -> new SendSink(stop, own, config, credits);
            default -> throw new IllegalArgumentException("has no second side");
        };
    }

    private static MessagePort port(PerfConfig config, StopFlag stop, Endpoint own) {
        return new MessagePort(own, 0, config.size(), config.queues().rxDepth(), flags(config), stop);
    }

    private static int flags(PerfConfig config) {
        return config.size() <= config.queues().inlineSize() ? SendFlags.INLINE : 0;
    }

    /** What holds the sender of an unreliable service back. */
    static Credits credits(PerfConfig config) {
        boolean shared = config.path().transport().srq();
        int qps = config.queues().qps();
        long receives = config.queues().rxDepth();
        return new Credits(qps, shared, shared ? receives * qps : receives);
    }
}
