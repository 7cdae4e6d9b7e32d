package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * One process's half of a test that two processes run: first each describes itself to the other, then each joins the
 * other, then a thread of each runs its side. Closing undoes it.
 */
interface Half extends AutoCloseable {
    /** What the other half must know, in one line. */
    String describe();

    /** Takes up what the other half has described. */
    void join(String other);

    /** Waits until messages get through both ways, where that takes time after both have joined. */
    void settle(ControlChannel channel);

    /** What runs here; null when this process's memory is all that is needed. */
    Side.Maker side(StopFlag stop, Histogram times);

    /** Looks at what came, after the last run; throws when it is wrong. */
    default void check() {}

    @Override
    void close();

    /** Makes a half. */
    static Half of(PerfConfig config, boolean first, boolean spinHint) {
        return switch (config.test()) {
            case BARE_LAT -> config.path().transport().link() == Link.UDP ? new BareUdpHalf(config, first)
                    : new BareHalf(config, first, spinHint);
            case BARE_BW, MMSG_BW -> new BareUdpHalf(config, first);
            case TCP_LAT -> new TcpHalf(config, first);
            case NETTY_LAT -> new NettyHalf(config, first);
            case AERON_LAT -> new AeronHalf(config, first);
            case RING_BW -> new RingHalf(config, first);
            case ASYNC_LAT, ASYNC_READ_LAT -> new AsyncHalf(config, first);
            default -> VerbsHalf.of(config, first);
        };
    }
}
