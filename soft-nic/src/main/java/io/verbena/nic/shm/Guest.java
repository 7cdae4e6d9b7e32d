package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.Report;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Who is attached to the own NIC. Nothing that it says is trusted. */
final class Guest {
    /** There is no such thing. */
    static final int ENOENT = Errno.ENOENT.number();
    /** Permission denied. */
    static final int EACCES = Errno.EACCES.number();
    /** An argument is not allowed. */
    static final int EINVAL = Errno.EINVAL.number();
    /** There is no room. */
    static final int ENOMEM = Errno.ENOMEM.number();
    /** The other end speaks another version. */
    static final int EPROTO = 71;

    /** The most queue pairs that one user has open. */
    private static final int MAX_CONNECTIONS = Bell.SLOTS;

    /** The most memory for requests of one queue pair: the longest message and what goes with it. */
    private static final long MAX_ROOM_BYTES = (1L << 31) + (1 << 16);

    private final UnixSocket socket;
    private final Gid self;
    private final Exports exports;
    private final RefusedException refusal;
    private final long limit;
    private final Borrower borrower;
    private final Map<Ends, Open> open = new LinkedHashMap<>();
    private Gid gid;
    private Bell bell;
    /** Beats of this process since it was heard of. */
    private int silentBeats;

    /** Two queue pairs that are connected: one of the user's, one of the own. */
    private record Ends(int userQpNum, int qpNum) {}

    /** A connection, and its number in the bell. */
    private record Open(Exports.Connection connection, int slot) {}

    /**
     * Takes in who has connected.
     *
     * @param refusal what it is told when it says hello; null when it is welcome
     * @param limit until when it must have said so, on the clock of System.nanoTime
     */
    Guest(UnixSocket socket, Gid self, Exports exports, RefusedException refusal, long limit) throws OsException {
        borrower = exports.borrower(socket);
        this.socket = socket;
        this.self = self;
        this.exports = exports;
        this.refusal = refusal;
        this.limit = limit;
    }

    UnixSocket socket() {
        return socket;
    }

    /** Whether it has not said who it is. */
    boolean isUnknown() {
        return gid == null;
    }

    /** Until when it must have said so, on the clock of System.nanoTime. */
    long limit() {
        return limit;
    }

    /** Counts the beats since it was heard of; not the time, since a stop of this process is none of its own. */
    int beat() {
        // Who has nothing open may be silent: it can't be in the middle of anything.
        return open.isEmpty() ? 0 : ++silentBeats;
    }

    /** It has been silent for too long, and is to be cut off. */
    void giveUp() {
        borrower.giveUp();
    }

    /**
     * Answers its next message, if there is one.
     *
     * @return false when it is gone or must go
     */
    boolean serve() {
        try {
            UnixSocket.Message received = socket.receive(0);
            if (received == null) {
                return true;
            }
            silentBeats = 0;
            boolean stays;
            try {
                stays = received.bytes().length > 0 && answer(received);
            } finally {
                received.discard();
            }
            if (bell != null) {
                bell.look(); // whatever came, since a full socket takes no word that it has rung
            }
            return stays;
        } catch (OsException e) {
            return false;
        } catch (RuntimeException | Error e) {
            Report.failure(self, "failed to serve another process, which is cut off", e);
            return false;
        }
    }

    private boolean answer(UnixSocket.Message received) throws OsException {
        try {
            handle(Codec.decode(received.bytes()), received);
            return true;
        } catch (RefusedException e) {
            socket.send(Codec.encode(new Message.Refused(e.errno(), e.getMessage())));
            return e.errno() != EPROTO && !isUnknown();
        } catch (ProtocolException e) {
            socket.send(Codec.encode(new Message.Refused(EPROTO, e.getMessage())));
            return false;
        }
    }

    private void handle(Message message, UnixSocket.Message received) throws OsException, RefusedException {
        boolean first = message instanceof Message.Hello || message instanceof Message.Courier;
        if (isUnknown() != first) {
            throw new RefusedException(EPROTO, isUnknown() ? "say hello first" : "hello was said before");
        }
        if (!first && bell == null && !(message instanceof Message.Datagram)) {
            throw new RefusedException(EPROTO, "who says that it sends datagrams must send nothing else");
        }
        switch (message) {
            case Message.Hello hello -> greet(hello);
            case Message.Courier courier -> {
                check(courier.version());
                gid = courier.gid();
            }
            case Message.OpenQueuePair wanted -> open(wanted);
            case Message.CloseQueuePair unwanted -> {
                Open closed = open.remove(new Ends(unwanted.userQpNum(), unwanted.qpNum()));
                if (closed == null) {
                    throw new RefusedException(EINVAL, "this connection is not open");
                }
                bell.remove(closed.slot());
                closed.connection().close(false);
                socket.send(Codec.encode(new Message.Done()));
            }
            case Message.OpenRegion wanted -> {
                exports.openRegion(borrower, wanted.rkey(), region -> socket.send(Codec.encode(new Message.RegionOpened(
                        region.pages().file().bytes(), region.start(), region.bytes())),
                        region.pages().file().descriptor()));
            }
            case Message.Notice notice -> {
                Open noticed = open.get(new Ends(notice.userQpNum(), notice.qpNum()));
                if (noticed != null) {
                    noticed.connection().notice(notice.kind());
                }
            }
            case Message.Alive alive -> { }
            case Message.Ring ring -> {
                // Every message has the bell looked at.
            }
            case Message.Room room -> takeRoom(room, received);
            case Message.Datagram datagram -> exports.datagram(datagram);
            case Message.Joined joined -> {
                exports.joined(gid);
                socket.send(Codec.encode(new Message.Done()));
            }
            case Message.Asked asked -> {
                Open known = open.get(new Ends(asked.userQpNum(), asked.qpNum()));
                if (known != null) {
                    known.connection().asked();
                }
            }
            case Message.Welcome m -> refuseAnswer(m);
            case Message.QueuePairOpened m -> refuseAnswer(m);
            case Message.RegionOpened m -> refuseAnswer(m);
            case Message.Done m -> refuseAnswer(m);
            case Message.Refused m -> refuseAnswer(m);
        }
    }

    private static void refuseAnswer(Message message) throws RefusedException {
        throw new RefusedException(
                EPROTO, message.getClass().getSimpleName() + " answers a question that nobody asked");
    }

    private void greet(Message.Hello hello) throws OsException, RefusedException {
        check(hello.version());
        bell = exports.bells().open();
        gid = hello.gid();
        socket.send(Codec.encode(new Message.Welcome(Codec.VERSION, self, exports.board().bytes())),
                exports.board().descriptor(), bell.file().descriptor());
        bell.file().close();
    }

    private void check(int version) throws RefusedException {
        if (refusal != null) {
            throw refusal;
        }
        if (version != Codec.VERSION) {
            throw new RefusedException(EPROTO, "it speaks version " + Codec.VERSION + " and not "
                    + version + "; run the same version of Verbena in both processes");
        }
    }

    private void open(Message.OpenQueuePair wanted) throws OsException, RefusedException {
        Ends ends = new Ends(wanted.userQpNum(), wanted.qpNum());
        if (open.containsKey(ends)) {
            throw new RefusedException(EINVAL, "this connection is open already");
        }
        if (open.size() == MAX_CONNECTIONS) {
            throw new RefusedException(ENOMEM, MAX_CONNECTIONS + " connections are open already");
        }
        Exports.Connection connection = exports.openQueuePair(borrower, gid, ends.userQpNum(), ends.qpNum());
        Open opened = new Open(connection, bell.add(connection.lane()));
        open.put(ends, opened);
        if (!connection.whileOpen(() -> socket.send(
                Codec.encode(connection.description(opened.slot())), connection.inbox().descriptor()))) {
            open.remove(ends);
            bell.remove(opened.slot());
            throw new RefusedException(ENOENT, "the queue pair was reset meanwhile");
        }
    }

    private void takeRoom(Message.Room room, UnixSocket.Message received) throws OsException, RefusedException {
        if (received.descriptors().length != 1 || room.bytes() < 1 || room.bytes() > MAX_ROOM_BYTES) {
            throw new RefusedException(EPROTO, "room for requests is one descriptor of 1 to " + MAX_ROOM_BYTES
                    + " bytes, not " + received.descriptors().length + " of " + room.bytes());
        }
        Open known = open.get(new Ends(room.userQpNum(), room.qpNum()));
        if (known == null) {
            return;
        }
        try (MemoryFile file = MemoryFile.received(received.take(0), room.bytes())) {
            takeRoom(known.connection(), file);
        } catch (OsException e) {
            throw e;
        } catch (IOException e) {
            throw new RefusedException(EPROTO, e.getMessage());
        }
    }

    /** Without memory for its requests a connection fails, and no other one. */
    private void takeRoom(Exports.Connection connection, MemoryFile file) {
        try {
            connection.room(file);
        } catch (OsException | OutOfMemoryError e) {
            System.getLogger("io.verbena.nic").log(System.Logger.Level.WARNING, "a connection of the NIC at " + gid
                    + " to the one at " + self + " fails: there is no memory for " + file.bytes()
                    + " bytes of requests", e);
            connection.fail();
        }
    }

    /** Closes everything that it had open; may be done again when it failed, for what is left. */
    void leave() {
        socket.close();
        borrower.leave();
        for (Iterator<Open> each = open.values().iterator(); each.hasNext(); each.remove()) {
            each.next().connection().close(true);
        }
        if (bell != null) {
            exports.bells().close(bell);
            bell = null;
        }
    }
}
