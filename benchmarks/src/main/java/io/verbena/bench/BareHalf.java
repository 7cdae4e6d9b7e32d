package io.verbena.bench;

import java.nio.file.Path;
import org.HdrHistogram.Histogram;

/** One process's half of bare_lat: the memory is a file that both map and that has lost its name by then. */
final class BareHalf implements Half {
    private final PerfConfig config;
    private final boolean first;
    private final boolean spinHint;

    BareHalf(PerfConfig config, boolean first, boolean spinHint) {
        this.config = config;
        this.first = first;
        this.spinHint = spinHint;
    }

    @Override
    public String describe() {
        return first ? "-" : SharedFile.BARE.offer(BareMemory.BYTES).toString();
    }

    @Override
    public void join(String other) {
        if (first) {
            SharedFile.BARE.take(Path.of(other), BareMemory.BYTES);
        }
    }

    @Override
    public void settle(ControlChannel channel) {
        if (first) {
            channel.send("MAPPED");
        } else {
            channel.expect("MAPPED", ControlChannel.ANSWER_MS);
            SharedFile.BARE.removeName();
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        return first ? () -> new BarePing(stop, config.size(), spinHint, times)
                : () -> new BarePong(stop, config.size(), spinHint);
    }

    @Override
    public void close() {
        // The memory stays for the next size.
    }
}
