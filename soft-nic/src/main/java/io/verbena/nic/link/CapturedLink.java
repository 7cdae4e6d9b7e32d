package io.verbena.nic.link;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PcapFormat;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * A link whose packets, those that leave and those that arrive, are written to a file as Wireshark reads it. For
 * looking at what happens, not for measuring: it allocates. When the file can't be written any more, the packets go on
 * without.
 */
public final class CapturedLink extends LinkDecorator<CountedLink> {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final long NANOS = 1_000_000_000L;
    /** So long packets stay out of the file at most while the link is driven. */
    private static final long UNSAVED_NS = NANOS / 4;

    private final MemorySegment copy = Arena.ofAuto().allocate(PacketView.MAX_BYTES, Long.BYTES);
    private final Icrc icrc = new Icrc(copy);
    private final Map<Gid, IcrcPath> paths = new HashMap<>();
    private final OutputStream file;
    private volatile boolean broken;
    /** Whether packets wait to get into the file, and since when. */
    private volatile boolean unsaved;
    private long unsavedSince;
    private long room;

    private CapturedLink(CountedLink link, OutputStream file) {
        super(link);
        this.file = file;
    }

    /**
     * Begins a file.
     *
     * @param link whose packets; closed with this one
     * @param path the file, which is replaced
     * @return the same link with its packets written
     * @throws VerbsException EINVAL when the file can't be written; the link is closed then
     */
    public static CapturedLink to(CountedLink link, Path path) {
        try {
            return begin(link, Files.newOutputStream(path));
        } catch (IOException e) {
            link.close();
            throw new VerbsException(Errno.EINVAL, "pcap",
                    path + " can't be written (" + e + "); name a file in a folder that exists");
        } catch (RuntimeException | Error e) {
            link.close();
            throw e;
        }
    }

    private static CapturedLink begin(CountedLink link, OutputStream raw) throws IOException {
        try {
            OutputStream file = new BufferedOutputStream(raw, BUFFER_BYTES);
            file.write(PcapFormat.header());
            return new CapturedLink(link, file);
        } catch (IOException | RuntimeException | Error e) {
            raw.close();
            throw e;
        }
    }

    @Override
    public long room() {
        room = link.room();
        return room;
    }

    @Override
    public void send(PacketPath path, int bytes) {
        Gid to = path.peer();
        MemorySegment.copy(MemorySegment.ofAddress(room).reinterpret(bytes), 0, copy, 0, bytes);
        int sealed = icrc.seal(paths.computeIfAbsent(to, peer ->
                new IcrcPath(gid(), peer, IcrcPath.ROCE_PORT, IcrcPath.ROCE_PORT)), copy.address(), bytes, 0);
        write(gid(), IcrcPath.ROCE_PORT, to, copy.address(), sealed);
        link.send(path, bytes);
    }

    /** Sends; who drives without ever waiting has the packets in the file soon as well. */
    @Override
    public void flush() {
        link.flush();
        if (unsaved && System.nanoTime() - unsavedSince >= UNSAVED_NS) {
            save();
        }
    }

    private void save() {
        unsaved = false;
        try {
            file.flush();
        } catch (IOException e) {
            broken = true;
        }
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        return link.receive((address, bytes, high, low, port) -> {
            write(new Gid(high, low), port, gid(), address, bytes);
            receiver.onPacket(address, bytes, high, low, port);
        }, limit);
    }

    private void write(Gid source, int sourcePort, Gid destination, long address, int bytes) {
        if (broken) {
            return;
        }
        try {
            if (!unsaved) {
                unsavedSince = System.nanoTime();
                unsaved = true;
            }
            Instant now = Instant.now();
            file.write(PcapFormat.record(now.getEpochSecond() * NANOS + now.getNano(), source, sourcePort, destination,
                    address, bytes));
        } catch (IOException e) {
            broken = true;
        }
    }

    /** Waits, with everything so far in the file, so that it can be read when nothing goes on any more. */
    @Override
    public void await(long nanos) {
        save();
        link.await(nanos);
    }

    @Override
    public void close() {
        link.close();
        try {
            file.close();
        } catch (IOException e) {
            broken = true;
        }
    }
}
