package io.verbena.nic.wire;

import io.verbena.nic.direct.Path;
import io.verbena.nic.link.PacketPath;
import io.verbena.rc.ConnectionConfig;
import io.verbena.rc.Host;
import io.verbena.rc.UcConnection;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;

/** An unreliable connection. */
final class UcTransport implements Transport {
    private final UcConnection connection;
    private final Tuning tuning;
    private PacketPath way;

    UcTransport(int qpNum, Path path, PacketPath way, int receivePsn, Host host, Tuning tuning) {
        this.way = way;
        this.tuning = tuning;
        connection = new UcConnection(new ConnectionConfig(qpNum, path.remoteQpNum(), path.mtuBytes(), receivePsn,
                tuning.responding(path, false)), host);
    }

    @Override
    public QueuePairState state() {
        return connection.state();
    }

    @Override
    public void startSending(Path path, int sendPsn, long firstSequence) {
        connection.startSending(sendPsn, firstSequence);
    }

    @Override
    public void update(Path path, PacketPath newWay) {
        way = newWay;
        connection.update(tuning.responding(path, false));
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
        connection.onWork();
    }

    @Override
    public Verdict onPacket(PacketView view, long now) {
        return connection.onPacket(view);
    }

    @Override
    public boolean nextPacket(PacketWriter writer, long now) {
        return connection.nextPacket(writer);
    }

    @Override
    public PacketPath way() {
        return way;
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
