package io.verbena.bench;

import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/**
 * One process's half of bare_lat, bare_bw and mmsg_bw over UDP: a socket, and datagrams as long as the packets of the
 * verbs test that it is compared with.
 */
final class BareUdpHalf implements Half {
    /** Of a packet that is sent over UDP: its base transport header and its CRC. */
    static final int PACKET_EXTRA = 16;

    private static final Pattern BIND = Pattern.compile("[?&]bind=([^&]+)");
    private static final String USUAL = "127.0.0.1";

    private final PerfConfig config;
    private final boolean first;
    private final BareSocket socket;

    BareUdpHalf(PerfConfig config, boolean first) {
        this.config = config;
        this.first = first;
        socket = new BareSocket(own(config));
    }

    /** This end's address, as a device of verbs would have it. */
    static InetAddress own(PerfConfig config) {
        Matcher bind = BIND.matcher(config.device());
        return InetAddress.ofLiteral(bind.find() ? bind.group(1) : USUAL);
    }

    @Override
    public String describe() {
        return HostAndPort.describe(socket.address(), socket.port());
    }

    @Override
    public void join(String other) {
        socket.sendTo(HostAndPort.of(other));
    }

    @Override
    public void settle(ControlChannel channel) {
        // A bound socket takes what comes.
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        if (config.test() == PerfTest.BARE_LAT) {
            int bytes = (int) config.size() + PACKET_EXTRA;
            return () -> new BareUdpPing(stop, socket, bytes, first ? times : null, Patience.of(config.path()));
        }
        BareStream.Shape shape = BareStream.Shape.of(config);
        return first ? () -> new BareStream.Source(stop, socket, shape)
                : () -> new BareStream.Sink(stop, socket, shape);
    }

    @Override
    public void close() {
        socket.close();
    }
}
