package io.verbena.nic.wire;

import io.verbena.nic.direct.Path;
import io.verbena.nic.link.PacketPath;
import io.verbena.rc.ConnectionConfig;
import io.verbena.rc.Host;
import io.verbena.rc.RcConnection;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;

/** A reliable connection. */
final class RcTransport implements Transport {
    private final RcConnection connection;
    private final Tuning tuning;
    private final boolean credits;
    private PacketPath way;

    RcTransport(int qpNum, Path path, PacketPath way, int receivePsn, Host host, Tuning tuning) {
        this.way = way;
        this.tuning = tuning;
        credits = host.receives().available() >= 0;
        connection = new RcConnection(new ConnectionConfig(
                qpNum, path.remoteQpNum(), path.mtuBytes(), receivePsn, responding(path)), host);
    }

    private ConnectionConfig.Responding responding(Path path) {
        return tuning.responding(path, credits);
    }

    @Override
    public QueuePairState state() {
        return connection.state();
    }

    @Override
    public void startSending(Path path, int sendPsn, long firstSequence) {
        connection.startSending(tuning.requesting(path, sendPsn), firstSequence);
    }

    @Override
    public void update(Path path, PacketPath newWay) {
        way = newWay;
        connection.update(responding(path));
        if (state() == QueuePairState.RTS || state() == QueuePairState.SQD) {
            connection.update(tuning.requesting(path, 0));
        }
    }

    @Override
    public void drain() {
        connection.drain();
    }

    @Override
    public void resume() {
        connection.resume();
    }

    @Override
    public void fail(Kind kind) {
        connection.fail(kind);
    }

    @Override
    public void onWork(long now) {
        connection.onWork(now);
    }

    @Override
    public Verdict onPacket(PacketView view, long now) {
        return connection.onPacket(view, now);
    }

    @Override
    public void onTimeout(long now, long seen) {
        connection.onTimeout(now, seen);
    }

    @Override
    public void onRest() {
        connection.onRest();
    }

    @Override
    public boolean nextPacket(PacketWriter writer, long now) {
        return connection.nextPacket(writer, now);
    }

    @Override
    public boolean lastPacket(PacketWriter writer) {
        return connection.lastPacket(writer);
    }

    @Override
    public PacketPath way() {
        return way;
    }

    @Override
    public boolean hasDeadline() {
        return connection.hasDeadline();
    }

    @Override
    public long nextDeadline() {
        return connection.nextDeadline();
    }

    @Override
    public int sendPsn() {
        return connection.sendPsn();
    }

    @Override
    public int receivePsn() {
        return connection.receivePsn();
    }
}
