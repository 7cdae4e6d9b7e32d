package io.verbena.nic.wire;

import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Outlet;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.PostedRequests;
import io.verbena.nic.direct.SharedReceives;
import io.verbena.nic.link.Marks;
import io.verbena.nic.link.PacketPath;
import io.verbena.rc.Host;
import io.verbena.rc.HostMemory;
import io.verbena.rc.ReceiveSource;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A queue pair that packets reach: its rings on one side, the protocol engine on the other, which exists from RTR on.
 * Everything but {@link #ring} is by the holder of the progress role, or while nobody holds it.
 */
public final class WiredPair implements Outlet {
    private static final VarHandle RUNG;
    private static final int FLUSHED = WcStatus.WR_FLUSH_ERR.code();

    static {
        try {
            RUNG = MethodHandles.lookup().findVarHandle(WiredPair.class, "rung", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // What belongs to the loop
    long deadline;
    int place = Deadlines.NOWHERE;
    boolean active;
    WiredPair nextActive;
    WiredPair nextRung;
    private volatile boolean rung;

    private final NicLoop loop;
    private final Endpoint endpoint;
    private final PostedRequests requests;
    private final Sends sends;
    private final ReceiveSource receives;
    private final Completions completions;
    private final Host host;
    private Transport transport;
    private PacketPath way;
    private Marks marks;
    private boolean sending;
    private boolean closed;

    WiredPair(NicLoop loop, Endpoint endpoint, HostMemory memory, HostMemory receiveMemory) {
        this.loop = loop;
        this.endpoint = endpoint;
        requests = new PostedRequests(endpoint);
        sends = new Sends(requests, endpoint.type() == QueuePairType.UD);
        SharedReceives shared = endpoint.shared();
        receives = shared == null ? new OwnReceives(endpoint.receiveQueue(), endpoint.receiveLane())
                : new SharedReceiveSource(shared.queue());
        completions = new Completions(this, endpoint, requests);
        host = new Host(memory, receiveMemory, sends, receives, completions);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    // Bells

    @Override
    public void ring() {
        loop.ring(this);
    }

    /** Notes that it was rung; false when it was before. */
    boolean setRung() {
        return !rung && RUNG.compareAndSet(this, false, true);
    }

    /** What was posted before this will be seen. */
    void clearRung() {
        rung = false;
        VarHandle.fullFence();
    }

    // States

    @Override
    public void apply(Path path, QueuePairState from, QueuePairState to) {
        if (to == QueuePairState.INIT || from == QueuePairState.ERR) {
            return;
        }
        Marks newMarks = path.requester().marks();
        if (path.remoteGid() != null
                && (way == null || !way.peer().equals(path.remoteGid()) || !newMarks.equals(marks))) {
            marks = newMarks;
            way = loop.pathTo(path.remoteGid(), marks);
        }
        if (to == QueuePairState.RTR) {
            connect(path);
            return;
        }
        transport.update(path, way);
        if (transport.state() == QueuePairState.ERR || from == to) {
            return;
        }
        if (from == QueuePairState.RTR) {
            sends.drop();
            transport.startSending(path, endpoint.requester().psn(), requests.queue().next());
            sending = true;
        } else if (to == QueuePairState.SQD) {
            completions.drainBegins();
            transport.drain();
        } else if (to == QueuePairState.RTS) {
            transport.resume();
        }
        loop.activate(this);
    }

    private void connect(Path path) {
        sends.restart();
        sends.drop();
        sending = false;
        int qpNum = endpoint.qpNum();
        if (receives instanceof OwnReceives own) {
            own.restart();
        }
        int psn = endpoint.receiveLane().expectedPsn();
        transport = switch (endpoint.type()) {
            case RC -> new RcTransport(qpNum, path, way, psn, host, loop.tuning());
            case UC -> new UcTransport(qpNum, path, way, psn, host, loop.tuning());
            case UD -> new UdTransport(qpNum, path, host, loop.datagramHeader());
        };
    }

    @Override
    public boolean advance() {
        QueuePairState state = endpoint.state();
        if (state == QueuePairState.ERR) {
            loop.activate(this);
            if (transport != null && transport.state() != QueuePairState.ERR) {
                end();
            }
        } else if (state == QueuePairState.SQD && completions.isDrained()) {
            endpoint.drained();
        }
        return false;
    }

    private void end() {
        try {
            loop.sayLast(transport);
            transport.fail(null);
        } catch (RuntimeException | Error e) {
            transport = null; // it can't say what it has ended, so what is left is flushed without it
            throw e;
        }
    }

    @Override
    public boolean isDraining() {
        return endpoint.state() == QueuePairState.SQD && !completions.isDrained();
    }

    @Override
    public void reset() {
        if (transport != null) {
            loop.sayLast(transport);
            completions.dropping(true);
            transport.fail(null);
            completions.dropping(false);
            transport = null;
        }
        sending = false;
        loop.forget(this);
    }

    /** It is served no more, and its memory not touched, however late somebody rings. */
    void close() {
        closed = true;
        loop.forget(this);
    }

    QueuePairState engineState() {
        return transport == null ? QueuePairState.ERR : transport.state();
    }

    // Packets

    /** Why no packet of a kind is taken from an address now; ACCEPTED when it is, if its CRC is right. */
    Verdict admits(PacketView view, long sourceHigh, long sourceLow) {
        if (transport == null) {
            return Verdict.WRONG_STATE;
        }
        if (endpoint.type() == QueuePairType.UD) {
            return Verdict.ACCEPTED;
        }
        return way != null && way.peer().low() == sourceLow && way.peer().high() == sourceHigh
                ? Verdict.ACCEPTED : Verdict.FOREIGN_SOURCE;
    }

    Verdict onPacket(PacketView view, long now) {
        return transport.onPacket(view, now);
    }

    /**
     * Has the engine see the time and what was posted; false when nothing can be sent. Whatever had come at the other
     * time has been looked at.
     *
     * @param alone whether nobody is about to post
     */
    boolean begin(long now, long seen, boolean alone) {
        if (closed) {
            return false;
        }
        if (transport == null || !sending) {
            if (endpoint.state() == QueuePairState.ERR) {
                flush();
            } else {
                sends.drop();
            }
        }
        if (transport == null) {
            return false;
        }
        transport.onWork(now);
        if (transport.hasDeadline() && transport.nextDeadline() - now <= 0) {
            transport.onTimeout(now, seen);
        }
        if (alone) {
            transport.onRest();
        }
        return true;
    }

    /** Nothing was ever sent, so the engine knows of no request. */
    private void flush() {
        for (long next = requests.queue().next(); next < sends.posted(); next++) {
            completions.sendEnded(next, FLUSHED, 0);
        }
    }

    boolean nextPacket(PacketWriter writer, long now) {
        return transport.nextPacket(writer, now);
    }

    PacketPath way() {
        return transport.way();
    }

    /** Leaves what the loop and others must know after a turn. */
    void end(Deadlines deadlines) {
        if (sending) {
            endpoint.requester().psn(transport.sendPsn());
        }
        if (endpoint.type() != QueuePairType.UD) {
            endpoint.receiveLane().expectPsn(transport.receivePsn());
        }
        if (transport.hasDeadline()) {
            deadlines.by(this, transport.nextDeadline());
        }
    }
}
