package io.verbena;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.RnrTimer;
import io.verbena.verbs.VerbsException;
import java.security.SecureRandom;

/**
 * This side of a connection before it knows its peer: the two sides tell each other their {@link #endpoint()} by
 * whatever way there is, and connect. Receives are posted already, so the peer may send as soon as it is connected.
 */
public final class PreparedConnection implements AutoCloseable {
    private static final int PEER_MAY = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
    private static final int MAX_ACK_TIMEOUT = 31;
    private static final int RNR_CODES = 32;
    /** Who can't see packets is to have no idea of their numbers. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private final RdmaNode node;
    private final ConnectionCore core;
    private final QueuePairEndpoint endpoint;
    private boolean connected;

    private PreparedConnection(RdmaNode node, ConnectionCore core) {
        this.node = node;
        this.core = core;
        PortConfig port = node.config().port();
        QueuePair queuePair = core.queuePair;
        queuePair.modify(QueuePairAttributes.init(port.port(), PEER_MAY).pkeyIndex(port.pkeyIndex()));
        core.inbound.prepare();
        endpoint = new QueuePairEndpoint(node.context().queryGid(port.port(), port.gidIndex()).gid(),
                queuePair.qpNum(), RANDOM.nextInt(1 << 24));
    }

    static PreparedConnection make(RdmaNode node, ConnectionCore core) {
        node.remember(core);
        node.home().poller().add(core.queuePair.qpNum(), core);
        try {
            core.inbound = core.config.messages().raw() ? new RawReceives(core) : new Frames(core);
            return new PreparedConnection(node, core);
        } catch (RuntimeException | Error e) {
            core.life.closeNow("not prepared");
            throw e;
        }
    }

    /**
     * What the peer must know.
     *
     * @return this side's address, queue pair number and first packet number
     */
    public QueuePairEndpoint endpoint() {
        return endpoint;
    }

    /**
     * The longest payload of a packet that this side would use.
     *
     * @return the configured one, or what the port does
     */
    public Mtu mtu() {
        Mtu configured = core.config.transport().path().mtu();
        return configured != null ? configured : node.context().queryPort(node.config().port().port()).activeMtu();
    }

    /**
     * Connects with a peer that was prepared with an equal configuration, or, without frames, with any. Does not wait
     * for the peer, which may connect before or later.
     *
     * @param peer its endpoint
     * @return the connection; the caller closes it
     * @throws VerbsException when the device refuses the endpoint or a setting; this side can still be closed
     * @throws IllegalStateException when it is connected or closed already
     */
    public RdmaConnection connect(QueuePairEndpoint peer) {
        return connect(peer, mtu(), PeerLimits.like(core.config));
    }

    RdmaConnection connect(QueuePairEndpoint peer, Mtu mtu, PeerLimits limits) {
        Checks.present("peer", peer);
        if (connected || core.life.state() != ConnectionState.PREPARED) {
            throw new IllegalStateException(
                    "it is " + (connected ? "connected" : "closed") + " already; prepare another");
        }
        TransportConfig transport = core.config.transport();
        PathConfig path = transport.path();
        int rdAtomic = Math.min(transport.rdAtomic(), limits.rdAtomic());
        PortConfig port = node.config().port();
        // First: a peer that is connected already may send as soon as this end receives.
        core.inbound.opened(limits);
        core.queuePair.modify(QueuePairAttributes.readyToReceive(peer)
                .addressVector(new AddressVector(peer.gid(), port.gidIndex(), port.port(), path.hopLimit(),
                        path.trafficClass(), path.flowLabel()))
                .pathMtu(mtu)
                .maxDestRdAtomic(rdAtomic)
                .minRnrTimer(rnrCode(Checks.nanos(transport.minRnrTimer()))));
        core.queuePair.modify(QueuePairAttributes.readyToSend(endpoint.psn())
                .timeout(ackCode(Checks.nanos(transport.ackTimeout())))
                .retryCount(transport.retryCount())
                .rnrRetry(transport.rnrRetry())
                .maxRdAtomic(rdAtomic));
        connected = true;
        core.life.opened();
        return new RdmaConnection(core, peer);
    }

    /** The code of the shortest ACK timeout that is not shorter. */
    static int ackCode(long nanos) {
        for (int code = 1; code < MAX_ACK_TIMEOUT; code++) {
            if (RnrTimer.ackTimeoutNanos(code) >= nanos) {
                return code;
            }
        }
        return MAX_ACK_TIMEOUT;
    }

    /** The code of the shortest receiver-not-ready wait that is not shorter. */
    static int rnrCode(long nanos) {
        int longest = 0;
        for (int code = RNR_CODES - 1; code > 0; code--) {
            if (RnrTimer.nanos(code) >= nanos) {
                longest = code;
            }
        }
        return longest;
    }

    ConnectionCore core() {
        return core;
    }

    /** Gives up this side, unless it is connected: then the connection is to be closed. Closing twice does nothing. */
    @Override
    public void close() {
        if (!connected) {
            core.life.closeNow("given up");
        }
    }
}
