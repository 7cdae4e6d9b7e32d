package io.verbena.nic.shm;

import io.verbena.nic.direct.Datagram;
import io.verbena.nic.direct.Neighbours;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import io.verbena.verbs.RouteHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Takes datagrams to the NICs of other processes, by a socket to each that only carries those. What a NIC has no room
 * for is lost, as on a wire. Any thread may call anything; nothing waits for another process.
 */
final class Couriers implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    private static final Path SOCKETS = Path.of("/proc/net/unix");

    private final Gid self;
    private final int uid;
    private final Runnable changed;
    private final ConcurrentHashMap<Gid, UnixSocket> sockets = new ConcurrentHashMap<>();
    private boolean closed;

    /**
     * Knows nobody.
     *
     * @param self the own address
     * @param uid the user that both ends must be of
     * @param changed run when there is another socket to watch
     */
    Couriers(Gid self, int uid, Runnable changed) {
        this.self = self;
        this.changed = changed;
        this.uid = uid;
    }

    /** Makes sure that there is a way to a NIC, if there is such a NIC in another process. */
    synchronized void ensure(Gid nic) {
        if (closed || sockets.containsKey(nic)) {
            return;
        }
        try {
            UnixSocket socket = Attachment.connect(nic, uid);
            try {
                if (socket.peer().pid() == ProcessHandle.current().pid()) {
                    throw new RefusedException(Guest.EINVAL, "it is in this process, where all are found without");
                }
                socket.send(Codec.encode(new Message.Courier(Codec.VERSION, self)));
                sockets.put(nic, socket);
                changed.run();
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "no datagrams to " + nic, e);
        }
    }

    /** The NICs of this user's processes that are there now, but for the own one. */
    List<Gid> present() {
        String own = "@" + AttachmentService.address(uid, self);
        String common = own.substring(0, own.length() - self.toHex().length());
        try (Stream<String> lines = Files.lines(SOCKETS)) {
            return lines.map(line -> line.substring(line.lastIndexOf(' ') + 1))
                    .filter(name -> name.startsWith(common) && !name.equals(own)
                            && name.length() == own.length())
                    .map(name -> name.substring(common.length())).distinct()
                    .filter(hex -> hex.chars().allMatch(digit -> Character.digit(digit, 16) >= 0))
                    .map(Gid::ofHex).toList();
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the NICs of other processes can't be listed", e);
            return List.of();
        }
    }

    /** Whether there is a way to any NIC. */
    boolean hasSome() {
        return !sockets.isEmpty();
    }

    /** Sends a datagram to one NIC. */
    Neighbours.Fate send(Gid nic, Gid to, Datagram datagram, MemorySegment payload) {
        UnixSocket socket = sockets.get(nic);
        return socket == null ? Neighbours.Fate.UNKNOWN : carry(socket, encode(to, datagram, payload));
    }

    /** Sends a datagram to every NIC that there is a way to; lost where there is no room. */
    void sendToAll(Gid group, Datagram datagram, MemorySegment payload) {
        byte[] bytes = encode(group, datagram, payload);
        sockets.values().forEach(socket -> carry(socket, bytes));
    }

    private static byte[] encode(Gid to, Datagram datagram, MemorySegment payload) {
        byte[] header = new byte[RouteHeader.BYTES];
        MemorySegment.copy(datagram.header, ValueLayout.JAVA_BYTE, 0, header, 0, header.length);
        return Codec.encode(new Message.Datagram(to,
                new Message.DatagramEnds(datagram.qpNum, datagram.qkey, datagram.sourceQpNum), datagram.imm,
                (datagram.withImm ? Message.Datagram.WITH_IMM : 0)
                        | (datagram.solicited ? Message.Datagram.SOLICITED : 0),
                header, payload.asSlice(0, datagram.length).toArray(ValueLayout.JAVA_BYTE)));
    }

    private Neighbours.Fate carry(UnixSocket socket, byte[] bytes) {
        try {
            socket.send(bytes);
            return Neighbours.Fate.SENT;
        } catch (OsException e) {
            if (e.errno() == OsException.EAGAIN) {
                return Neighbours.Fate.NO_ROOM;
            }
            drop(socket);
            return Neighbours.Fate.UNKNOWN;
        }
    }

    /** All sockets, each of which is to be dropped when its other end is gone. */
    List<UnixSocket> sockets() {
        return List.copyOf(sockets.values());
    }

    /** The process at the other end is gone, or wants no datagrams. */
    void drop(UnixSocket socket) {
        sockets.values().remove(socket);
        socket.close();
    }

    @Override
    public synchronized void close() {
        closed = true;
        sockets.values().forEach(UnixSocket::close);
        sockets.clear();
    }
}
