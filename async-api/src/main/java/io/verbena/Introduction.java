package io.verbena;

import java.net.SocketAddress;

/**
 * Who the peer of a connection is, as far as it was connected by address.
 *
 * @param address the other end of the handshake's TCP connection; null without one
 * @param privateData what its program said
 */
record Introduction(SocketAddress address, byte[] privateData) {
    static final Introduction NONE = new Introduction(null, new byte[0]);
}
