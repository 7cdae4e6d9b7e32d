package io.verbena.nic.link;

import io.verbena.nic.os.OutgoingMessages;
import io.verbena.nic.os.SocketAddresses;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The way of a {@link UdpLink} to an address. */
final class UdpPath implements PacketPath {
    final IcrcPath icrc;
    final boolean ipv4;
    /** Whether the system cuts messages to there; the link finds out. */
    boolean cuts = true;

    private final Gid peer;
    private final int nameBytes;
    private final Marks marks;
    private final boolean marked;
    private final MemorySegment name;

    UdpPath(Gid own, Gid peer, int scope, Marks marks) {
        this.marks = marks;
        marked = !marks.equals(Marks.USUAL);
        this.peer = peer;
        icrc = new IcrcPath(own, peer, IcrcPath.ROCE_PORT, IcrcPath.ROCE_PORT);
        ipv4 = peer.isIpv4();
        var full = new SocketAddresses.Name(peer.high(), peer.low(), IcrcPath.ROCE_PORT,
                peer.toInetAddress().isLinkLocalAddress() ? scope : 0);
        name = SocketAddresses.allocate(Arena.ofAuto(), full);
        nameBytes = full.bytes();
    }

    @Override
    public Gid peer() {
        return peer;
    }

    /** Addresses a message to here. */
    void address(OutgoingMessages messages, int message) {
        messages.to(message, name.address(), nameBytes);
        if (marked) {
            messages.mark(message, ipv4, marks.trafficClass(), marks.hopLimit());
        }
    }
}
