package io.verbena.nic.link;

import io.verbena.rc.packet.IcrcPath;
import io.verbena.verbs.Gid;
import java.net.InetSocketAddress;

/** The way of a {@link PortableLink} to an address. */
record PortablePath(Gid peer, InetSocketAddress address, IcrcPath icrc) implements PacketPath {}
