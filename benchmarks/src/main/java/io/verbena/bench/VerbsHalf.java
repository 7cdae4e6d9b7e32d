package io.verbena.bench;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** One process's half of a test of verbs: an {@link Endpoint} that is connected to that of the other process. */
final class VerbsHalf implements Half {
    /** Makes what a thread runs here. */
    interface SideSource {
        /** A maker of a side; null when none is needed. */
        Side.Maker side(StopFlag stop, Endpoint own, PeerMemory peer, Histogram times);
    }

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final byte PROBE = 0x5A;
    private static final int PROBE_ROOM = 128;
    private static final long SETTLE_NS = 10_000_000_000L;
    private static final String REACHED = "REACHED";

    private final PathConfig path;
    private final SideSource source;
    private final Endpoint own;
    private final List<QueuePairEndpoint> ends = new ArrayList<>();
    private final List<QueuePairEndpoint> others = new ArrayList<>();
    private final long probeAt;
    private PeerMemory peer;

    VerbsHalf(EndpointConfig end, PathConfig path, SideSource source) {
        this.path = path;
        this.source = source;
        probeAt = end.bufferBytes();
        own = new Endpoint(end.withBuffer(probeAt + PROBE_ROOM));
        try {
            own.region().segment().set(ValueLayout.JAVA_BYTE, probeAt, (byte) 0);
            for (int i = 0; i < own.qps(); i++) {
                ends.add(own.describe(i, path));
            }
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /** Half of a perf test. */
    static VerbsHalf of(PerfConfig config, boolean first) {
        return new VerbsHalf(Rig.endpointConfig(config), config.path(), (stop, own, peer, times) -> {
            Credits credits = Sides.credits(config);
            if (first) {
                return () -> Sides.first(config, stop, own, peer, credits, times);
            }
            return Sides.hasSecond(config.test()) ? () -> Sides.second(config, stop, own, peer, credits) : null;
        });
    }

    /** What is connected. */
    Endpoint endpoint() {
        return own;
    }

    /** The queue pairs here. */
    List<QueuePairEndpoint> ends() {
        return ends;
    }

    /** Those of the other process, once joined. */
    List<QueuePairEndpoint> others() {
        return others;
    }

    @Override
    public String describe() {
        MemoryRegion region = own.region();
        return Long.toHexString(region.address()) + ' ' + Integer.toHexString(region.rkey()) + ' '
                + ends.stream().map(QueuePairEndpoint::format).collect(Collectors.joining(","));
    }

    @Override
    public void join(String other) {
        try {
            String[] words = other.split(" ");
            peer = new PeerMemory(Long.parseUnsignedLong(words[0], 16), Integer.parseUnsignedInt(words[1], 16));
            for (String text : words[2].split(",")) {
                others.add(QueuePairEndpoint.parse(text));
            }
        } catch (NumberFormatException | IndexOutOfBoundsException | VerbsException e) {
            throw new PerfException("the other process describes no end of a connection");
        }
        if (others.size() != ends.size()) {
            throw new PerfException("the other process has " + others.size() + " queue pairs, this one "
                    + ends.size());
        }
        for (int i = 0; i < ends.size(); i++) {
            own.connect(i, ends.get(i), others.get(i), path);
        }
    }

    /**
     * Through shared memory an unreliable connection loses without a word what it is given before the other end can be
     * reached, so each end writes a byte again and again until the other one has seen it. Packets reach whoever has
     * joined.
     */
    @Override
    public void settle(ControlChannel channel) {
        if (!path.transport().isLossy() || path.transport().link() != Link.SHM) {
            return;
        }
        long end = System.nanoTime() + SETTLE_NS;
        boolean told = false;
        boolean heard = false;
        while (!told || !heard) {
            probe();
            if (!told && (byte) BYTE.getAcquire(own.region().segment(), probeAt) == PROBE) {
                channel.send(REACHED);
                told = true;
            }
            if (!heard) {
                String line = channel.poll(1);
                heard = line != null && line.equals(REACHED);
            }
            if (System.nanoTime() - end > 0) {
                throw new PerfException("nothing gets through to the " + channel.other() + " process");
            }
        }
    }

    private void probe() {
        QueuePair qp = own.qp(0);
        MemoryRegion region = own.region();
        // The source is another byte, so that what the other end writes is not sent back.
        region.segment().set(ValueLayout.JAVA_BYTE, probeAt + 1, PROBE);
        int status = qp.postWrite(0, region.address() + probeAt + 1, 1, region.lkey(), peer.address() + probeAt,
                peer.rkey(), SendFlags.SIGNALED);
        if (status != PostStatus.OK) {
            throw PerfException.refused("a WRITE", status);
        }
        WorkCompletion completion = own.sends(0, new StopFlag()).takeAny();
        if (completion.statusCode() != 0) {
            throw PerfException.failed(1, completion);
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        return source.side(stop, own, peer, times);
    }

    @Override
    public void close() {
        own.close();
    }
}
