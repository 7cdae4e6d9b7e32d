package io.verbena;

import java.net.SocketAddress;

/**
 * What a client that wants a connection has told. Whoever sent it has proven the shared secret and shown a trusted
 * certificate, if the server asks for them.
 *
 * @param from where its TCP connection comes from
 * @param privateData what its program says, up to 512 bytes
 */
public record ConnectRequest(SocketAddress from, byte[] privateData) {
    /** Shows the length of the private data only. */
    @Override
    public String toString() {
        return "ConnectRequest[from=" + from + ", privateData=" + privateData.length + " bytes]";
    }
}
