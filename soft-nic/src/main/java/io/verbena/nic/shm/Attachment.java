package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The way to another process's NIC. One question at a time; whoever asks waits for the answer, for a limited time.
 * Nothing that the owner says is used before it was checked.
 */
final class Attachment implements AutoCloseable {
    /** The largest board. */
    static final long MAX_BOARD_BYTES = 1L << 30;

    private static final int EIO = Errno.EIO.number();
    private static final long ROOM_LOOK_NS = 50_000;
    private static final int LOOK_MS = 100;
    /** How long an answer may take once nobody needs it any more: as long as it takes one that runs. */
    static final long HURRIED_MS = 300;
    private static final byte[] RING = Codec.encode(new Message.Ring());

    private final Gid owner;
    private final UnixSocket socket;
    private final Consumer<Attachment> gone;
    private final Arena arena = Arena.ofShared();
    /** What waits for room in the socket. */
    private final Set<Message> unsent = new LinkedHashSet<>();
    private MemorySegment board;
    /** How long an answer may take, which may change meanwhile: a stopped owner gives none. */
    private final LongSupplier patienceMs;
    private long pulse;
    private int silentBeats;
    private MemorySegment bell;
    private volatile boolean ended;
    private volatile boolean closed;

    /** Memory of the owner's, mapped here until closed. */
    record Lease<T>(T description, MemorySegment memory, Arena arena) implements AutoCloseable {
        @Override
        public void close() {
            arena.close();
        }
    }

    private Attachment(Gid owner, UnixSocket socket, LongSupplier patienceMs, Consumer<Attachment> gone) {
        this.patienceMs = patienceMs;
        this.owner = owner;
        this.socket = socket;
        this.gone = gone;
    }

    /** Attaches; see {@link AttachmentService#attach}. */
    static Attachment open(Gid owner, Gid self, int uid, LongSupplier patienceMs, Consumer<Attachment> gone)
            throws IOException {
        Attachment attachment = new Attachment(owner, connect(owner, uid), patienceMs, gone);
        try {
            attachment.greet(self);
            return attachment;
        } catch (IOException e) {
            attachment.close();
            throw e;
        }
    }

    /** Connects to a NIC of a user's process, and to nobody else's. */
    static UnixSocket connect(Gid owner, int uid) throws IOException {
        UnixSocket socket;
        try {
            socket = UnixSocket.connect(AttachmentService.address(uid, owner));
        } catch (OsException e) {
            if (e.errno() == OsException.ECONNREFUSED) {
                throw new RefusedException(e.errno(), "no process of this user has a NIC at " + owner);
            }
            throw e;
        }
        try {
            if (socket.peer().uid() != uid) {
                throw new RefusedException(Guest.EACCES,
                        "a process of another user, " + socket.peer().uid() + ", listens at " + owner);
            }
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void greet(Gid self) throws IOException {
        Message.Hello hello = new Message.Hello(Codec.VERSION, self, ProcessHandle.current().pid());
        try (Answer<Message.Welcome> answer = ask(hello, Message.Welcome.class, 2)) {
            Message.Welcome welcome = answer.message();
            if (welcome.version() != Codec.VERSION || !welcome.gid().equals(owner)) {
                throw new RefusedException(Guest.EPROTO, "version " + welcome.version() + " at " + welcome.gid()
                        + " answers; version " + Codec.VERSION + " at " + owner + " was asked");
            }
            if (welcome.boardBytes() < 1 || welcome.boardBytes() > MAX_BOARD_BYTES) {
                throw new RefusedException(Guest.EPROTO, "the owner's board has " + welcome.boardBytes() + " bytes");
            }
            board = answer.map(0, welcome.boardBytes(), false, arena);
            bell = answer.map(1, Bell.BYTES, true, arena);
        }
    }

    /** An answer, and the descriptors that came with it. */
    private record Answer<T>(T message, UnixSocket.Message received) implements AutoCloseable {
        /** Maps the memory that came along. */
        MemorySegment map(int place, long bytes, boolean writable, Arena arena) throws IOException {
            try (MemoryFile file = MemoryFile.received(received.take(place), bytes)) {
                return file.map(writable, arena);
            }
        }

        @Override
        public void close() {
            received.discard();
        }
    }

    private synchronized <T extends Message> Answer<T> ask(Message question, Class<T> expected, int descriptors)
            throws IOException {
        send(question);
        UnixSocket.Message received = receive();
        if (received == null) {
            // A late answer would be taken for that of the next question.
            socket.close();
            throw new RefusedException(OsException.ETIMEDOUT,
                    "the process of " + owner + " gave no answer in " + patienceMs.getAsLong() + " ms; is it stopped?");
        }
        boolean good = false;
        try {
            if (received.bytes().length == 0) {
                throw new RefusedException(EIO, "the process of " + owner + " is gone");
            }
            Message message = Codec.decode(received.bytes());
            if (message instanceof Message.Refused refused) {
                throw new RefusedException(refused.errno(), "the NIC at " + owner + " refuses: " + refused.reason());
            }
            if (!expected.isInstance(message) || received.descriptors().length != descriptors) {
                throw new RefusedException(Guest.EPROTO, "the NIC at " + owner + " answers with "
                        + message.getClass().getSimpleName() + " and " + received.descriptors().length
                        + " descriptors instead of " + expected.getSimpleName() + " and " + descriptors);
            }
            good = true;
            return new Answer<>(expected.cast(message), received);
        } finally {
            if (!good) {
                received.discard();
            }
        }
    }

    private UnixSocket.Message receive() throws OsException {
        long start = System.nanoTime();
        UnixSocket.Message received;
        do {
            received = socket.receive(LOOK_MS);
        } while (received == null && isWorthWaiting(start));
        return received;
    }

    private boolean isWorthWaiting(long start) {
        return System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(patienceMs.getAsLong());
    }

    /** Whom it leads to. */
    Gid owner() {
        return owner;
    }

    /** The owner's board, read only; mapped until {@link #close}. */
    MemorySegment board() {
        return board;
    }

    /** Where to ring there; mapped until {@link #close}. */
    MemorySegment bell() {
        return bell;
    }

    /**
     * Connects an own queue pair to one of the owner's.
     *
     * @return its inbox
     * @throws IOException when the owner refuses, or says what can't be
     */
    Lease<Message.QueuePairOpened> openQueuePair(int qpNum, int ownQpNum) throws IOException {
        Message.OpenQueuePair question = new Message.OpenQueuePair(qpNum, ownQpNum);
        try (Answer<Message.QueuePairOpened> answer = ask(question, Message.QueuePairOpened.class, 1)) {
            QueuePairGeometry geometry = answer.message().geometry();
            String problem = geometry.problem(board.byteSize());
            problem = problem == null ? answer.message().attention().problem(board.byteSize()) : problem;
            if (problem != null) {
                throw new RefusedException(Guest.EPROTO, "the NIC at " + owner + " describes its queue pair 0x"
                        + Integer.toHexString(qpNum) + " wrongly: " + problem);
            }
            return lease(answer.message(), answer, geometry.inboxBytes());
        }
    }

    /**
     * Maps the memory behind a key.
     *
     * @return the allocation, and where in it the region lies
     * @throws IOException when the owner refuses, or says what can't be
     */
    Lease<Message.RegionOpened> openRegion(int rkey) throws IOException {
        Message.OpenRegion question = new Message.OpenRegion(rkey);
        try (Answer<Message.RegionOpened> answer = ask(question, Message.RegionOpened.class, 1)) {
            Message.RegionOpened region = answer.message();
            if (region.start() < 0 || region.bytes() < 0 || region.allocationBytes() < 1
                    || region.start() > region.allocationBytes() - region.bytes()) {
                throw new RefusedException(
                        Guest.EPROTO, "the NIC at " + owner + " describes a region wrongly: " + region);
            }
            return lease(region, answer, region.allocationBytes());
        }
    }

    private static <T> Lease<T> lease(T description, Answer<?> answer, long bytes) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            return new Lease<>(description, answer.map(0, bytes, true, arena), arena);
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    /** Gives a connection back; its lease is the caller's to close. */
    void closeQueuePair(int qpNum, int ownQpNum) throws IOException {
        ask(new Message.CloseQueuePair(qpNum, ownQpNum), Message.Done.class, 0).close();
    }

    /** Has the owner send datagrams for groups to this NIC too. */
    void joined() throws IOException {
        ask(new Message.Joined(), Message.Done.class, 0).close();
    }

    /** Says what happens to the owner's queue pair, see {@link Exports.Connection#notice}; waits for nobody. */
    void notice(int qpNum, int ownQpNum, int kind) {
        tell(new Message.Notice(qpNum, ownQpNum, kind));
    }

    /** Has the owner's thread look at the bell; waits for nobody, not even for room in the socket. */
    void ring() {
        try {
            socket.send(RING);
        } catch (OsException e) {
            // Gone; or so full that the owner has messages to take out, and looks at the bell with each.
        }
    }

    /**
     * Hands over memory for requests that the owner's process is to execute; waits for nobody.
     *
     * @throws IOException when the owner takes nothing in now, or is gone
     */
    void room(int qpNum, int ownQpNum, MemoryFile memory) throws IOException {
        synchronized (unsent) {
            if (!sendWhatFits() || !trySend(new Message.Room(qpNum, ownQpNum, memory.bytes()), memory.descriptor())) {
                throw new RefusedException(OsException.EAGAIN, "the process of " + owner + " takes nothing in");
            }
        }
    }

    /** Says that there is such a request; waits for nobody. */
    void asked(int qpNum, int ownQpNum) {
        tell(new Message.Asked(qpNum, ownQpNum));
    }

    private void tell(Message message) {
        try {
            synchronized (unsent) {
                unsent.add(message);
                sendWhatFits();
            }
        } catch (OsException e) {
            // Gone, which its end tells.
        }
    }

    /** Sends what is to be told, as far as there is room; a process that is stopped makes none. */
    private boolean sendWhatFits() throws OsException {
        for (Iterator<Message> messages = unsent.iterator(); messages.hasNext(); ) {
            if (!trySend(messages.next())) {
                return false;
            }
            messages.remove();
        }
        return true;
    }

    private boolean trySend(Message message, int... descriptors) throws OsException {
        try {
            socket.send(Codec.encode(message), descriptors);
            return true;
        } catch (OsException e) {
            if (e.errno() == OsException.EAGAIN) {
                return false;
            }
            throw e;
        }
    }

    /** Sends a question, after what is to be told, when there is room. */
    private void send(Message question) throws IOException {
        long start = System.nanoTime();
        for (;;) {
            synchronized (unsent) {
                if (sendWhatFits() && trySend(question)) {
                    return;
                }
            }
            if (!isWorthWaiting(start)) {
                throw new RefusedException(OsException.ETIMEDOUT, "the process of " + owner + " takes no questions");
            }
            LockSupport.parkNanos(ROOM_LOOK_NS);
        }
    }

    // The service's thread

    UnixSocket socket() {
        return socket;
    }

    /** Shows that this process runs. */
    void showLife() {
        tell(new Message.Alive());
    }

    /**
     * Shows that this process runs, and looks whether the owner's does.
     *
     * @return beats of this process since it was last seen to: counted and not timed, since a stop of this process is
     *     none of the owner's
     */
    int beat() {
        showLife();
        try {
            long now = Board.pulse(board);
            silentBeats = now == pulse ? silentBeats + 1 : 0;
            pulse = now;
            return silentBeats;
        } catch (IllegalStateException e) {
            return 0; // closed
        }
    }

    /** The owner was silent for too long: it finds the socket closed when it goes on. */
    void giveUp() {
        socket.close();
        end();
    }

    /** The other end is gone, or this one was closed. */
    void end() {
        if (!ended && !closed) {
            ended = true;
            boolean told = false;
            try {
                gone.accept(this);
                told = true;
            } finally {
                ended = told; // or it is told again
            }
        }
    }

    /** Whether the owner is known to be gone. */
    boolean isEnded() {
        return ended;
    }

    /** Whether nobody needs to watch it any more. */
    boolean isClosed() {
        return closed || ended;
    }

    /** Ends it; the board is unmapped. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            socket.close();
            arena.close();
        }
    }
}
