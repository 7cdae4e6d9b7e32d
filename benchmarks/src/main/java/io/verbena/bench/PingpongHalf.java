package io.verbena.bench;

import io.verbena.verbs.QueuePairEndpoint;
import java.util.List;
import org.HdrHistogram.Histogram;

/** One process's half of {@link Pingpong}. */
final class PingpongHalf implements Half {
    private final Pingpong.Config config;
    private final boolean first;
    private final VerbsHalf half;

    PingpongHalf(Pingpong.Config config, boolean first) {
        this.config = config;
        this.first = first;
        half = new VerbsHalf(Pingpong.endpointConfig(config), config.path(),
                (stop, own, peer, times) -> () -> new PingpongSide(stop, own, config, first));
        Pingpong.prepare(config, half.endpoint(), first);
    }

    /** The queue pairs here. */
    List<QueuePairEndpoint> ends() {
        return half.ends();
    }

    /** Those of the other process. */
    List<QueuePairEndpoint> others() {
        return half.others();
    }

    @Override
    public String describe() {
        return half.describe();
    }

    @Override
    public void join(String other) {
        half.join(other);
    }

    @Override
    public void settle(ControlChannel channel) {
        half.settle(channel);
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        return half.side(stop, times);
    }

    @Override
    public void check() {
        Pingpong.check(config, half.endpoint(), first);
    }

    @Override
    public void close() {
        half.close();
    }
}
