package io.verbena.bench;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** An address and a port as two words, for a {@link Half} to describe itself. */
final class HostAndPort {
    private HostAndPort() {}

    static String describe(InetAddress address, int port) {
        return address.getHostAddress() + ' ' + port;
    }

    /** Reads it; throws when the other process has said something else. */
    static InetSocketAddress of(String text) {
        String[] words = text.split(" ");
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(words[0]), Integer.parseInt(words[1]));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new PerfException("the other process describes no socket");
        }
    }
}
