package io.verbena.sim;

import io.verbena.rc.packet.PcapFormat;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the packets of a run as Wireshark reads them, with simulated times. */
final class Capture implements AutoCloseable {
    private static final int SOURCE_PORT = 0xC000;

    private final OutputStream file;

    Capture(Path path) throws IOException {
        file = new BufferedOutputStream(Files.newOutputStream(path));
        file.write(PcapFormat.header());
    }

    /** Adds a packet. */
    void packet(boolean fromFirst, boolean ipv4, long address, int length, long at) {
        try {
            file.write(PcapFormat.record(
                    at, Slab.gid(ipv4, fromFirst), SOURCE_PORT, Slab.gid(ipv4, !fromFirst), address, length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
