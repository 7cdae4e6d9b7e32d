package io.verbena.nic.wire;

import io.verbena.nic.direct.Path;
import io.verbena.nic.link.PacketPath;
import io.verbena.rc.Host;
import io.verbena.rc.UdEndpoint;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.QueuePairState;

/** Datagrams of one queue pair. */
final class UdTransport implements Transport {
    private final UdEndpoint endpoint;
    private final Sends sends;
    private final DatagramHeader header;

    UdTransport(int qpNum, Path path, Host host, DatagramHeader header) {
        endpoint = new UdEndpoint(qpNum, path.mtuBytes(), path.qkey(), host);
        sends = (Sends) host.sends();
        this.header = header;
    }

    @Override
    public QueuePairState state() {
        return endpoint.state();
    }

    @Override
    public void startSending(Path path, int sendPsn, long firstSequence) {
        endpoint.startSending(sendPsn, firstSequence);
    }

    @Override
    public void update(Path path, PacketPath way) {
        endpoint.update(path.qkey());
    }

    @Override
    public void drain() {
        endpoint.drain();
    }

    @Override
    public void resume() {
        endpoint.resume();
    }

    @Override
    public void fail(Kind kind) {
        endpoint.fail(kind);
    }

    @Override
    public void onWork(long now) {
        endpoint.onWork();
    }

    @Override
    public Verdict onPacket(PacketView view, long now) {
        return endpoint.onPacket(view, header.address());
    }

    @Override
    public boolean nextPacket(PacketWriter writer, long now) {
        return endpoint.nextPacket(writer);
    }

    @Override
    public PacketPath way() {
        return sends.route().path();
    }

    @Override
    public int sendPsn() {
        return endpoint.sendPsn();
    }

    @Override
    public int receivePsn() {
        return 0;
    }
}
