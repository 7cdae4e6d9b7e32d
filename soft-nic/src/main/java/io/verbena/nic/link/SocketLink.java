package io.verbena.nic.link;

import io.verbena.verbs.Gid;

/** What links over sockets of any kind know of themselves. */
abstract class SocketLink implements SealedPackets {
    /** Of the interface, where the address says nothing without it; else 0. */
    final int scope;
    /** What it counts. */
    final LinkCounters counters = new LinkCounters();

    private final Gid gid;
    private final int mtuBytes;

    /** Makes the link of an address, which a socket is bound to already: so it is one of this host. */
    SocketLink(Gid gid, int scope) {
        this.gid = gid;
        this.scope = scope;
        mtuBytes = Interfaces.mtuBytes(gid);
    }

    @Override
    public final Gid gid() {
        return gid;
    }

    @Override
    public final int mtuBytes() {
        return mtuBytes;
    }

    @Override
    public final LinkCounters counters() {
        return counters;
    }
}
