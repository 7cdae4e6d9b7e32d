package io.verbena.nic.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Unix-domain socket that keeps messages apart (SOCK_SEQPACKET) and carries descriptors, at an abstract address:
 * nothing of it is left when its process ends, however it ends. Any thread may call anything; {@link #close} ends the
 * calls that wait.
 */
public final class UnixSocket implements AutoCloseable {
    /** The longest message, in bytes. */
    public static final int MAX_MESSAGE_BYTES = 8192;
    /** The most descriptors of one message. */
    public static final int MAX_DESCRIPTORS = 16;

    private static final int UNIX = 1;
    private static final int MESSAGES = 5;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NOT_BLOCKING = 0x800;
    private static final int BOTH_WAYS = 2;
    private static final int SOCKET_LEVEL = 1;
    private static final int PEER_CREDENTIALS = 17;
    private static final int NO_SIGNAL = 0x4000;
    private static final int NO_WAIT = 0x40;
    private static final int RECEIVED_CLOSE_ON_EXEC = 0x4000_0000;
    private static final int CONTROL_TRUNCATED = 8;
    private static final int TRUNCATED = 0x20;
    private static final short READABLE = 1;
    private static final int ADDRESS_BYTES = 110;
    private static final int NAME_AT = 3;
    private static final int BACKLOG = 64;
    private static final int ALMOST_A_MILLISECOND = 999_999;

    private final int descriptor;
    private int calls;
    private boolean closing;
    private boolean closed;

    private UnixSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Who is at the other end, as the system knows it. */
    public record Credentials(int pid, int uid) {}

    /** What came: the bytes, and descriptors that the caller owns now. */
    public record Message(byte[] bytes, int[] descriptors) {
        /**
         * Takes a descriptor over.
         *
         * @param place 0 or more
         * @return the descriptor, which {@link #discard} leaves alone from now on
         */
        public int take(int place) {
            int descriptor = descriptors[place];
            descriptors[place] = -1;
            return descriptor;
        }

        /** Closes the descriptors that were not taken. */
        public void discard() {
            for (int i = 0; i < descriptors.length; i++) {
                if (descriptors[i] >= 0) {
                    MemoryFile.closeQuietly(take(i));
                }
            }
        }
    }

    /** Whether this system has such sockets. */
    public static boolean isSupported() {
        return Native.isHere();
    }

    /**
     * Listens.
     *
     * @param name up to 107 bytes
     * @return a socket to {@link #accept} from
     * @throws OsException EADDRINUSE when somebody else listens there
     */
    public static UnixSocket listen(String name) throws OsException {
        return open(name, 0, (socket, address, length) -> {
            Libc.BIND.call(socket, address, length);
            Libc.LISTEN.call(socket, BACKLOG);
        });
    }

    /**
     * Connects.
     *
     * @param name where somebody listens
     * @return a connected socket
     * @throws OsException ECONNREFUSED when nobody does, EAGAIN when too many wait there to be accepted
     */
    public static UnixSocket connect(String name) throws OsException {
        // Not to block: whoever listens may never accept.
        return open(name, NOT_BLOCKING,
                (socket, address, length) -> retry(() -> Libc.CONNECT.call(socket, address, length)));
    }

    /**
     * Makes two sockets that are connected to each other.
     *
     * @return both ends
     * @throws OsException when the process has no descriptor left
     */
    public static UnixSocket[] pair() throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(2 * Integer.BYTES, Integer.BYTES);
            Libc.SOCKETPAIR.call(UNIX, MESSAGES | CLOSE_ON_EXEC, 0, ends);
            return new UnixSocket[] {new UnixSocket(ends.getAtIndex(ValueLayout.JAVA_INT, 0)),
                new UnixSocket(ends.getAtIndex(ValueLayout.JAVA_INT, 1))};
        }
    }

    /** What is done with a new socket and an address. */
    private interface Opening {
        void run(int socket, MemorySegment address, int length) throws OsException;
    }

    /** A call that a signal may end too early. */
    private interface Interruptible {
        long run() throws OsException;
    }

    private static UnixSocket open(String name, int flags, Opening opening) throws OsException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > ADDRESS_BYTES - NAME_AT) {
            throw new IllegalArgumentException("a name of " + bytes.length + " bytes; up to "
                    + (ADDRESS_BYTES - NAME_AT) + " are possible: " + name);
        }
        int socket = (int) Libc.SOCKET.call(UNIX, MESSAGES | CLOSE_ON_EXEC | flags, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) UNIX);
            MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, NAME_AT, bytes.length);
            opening.run(socket, address, NAME_AT + bytes.length);
            return new UnixSocket(socket);
        } catch (OsException e) {
            MemoryFile.closeQuietly(socket);
            throw e;
        }
    }

    private static long retry(Interruptible call) throws OsException {
        for (;;) {
            try {
                return call.run();
            } catch (OsException e) {
                if (e.errno() != OsException.EINTR) {
                    throw e;
                }
            }
        }
    }

    private synchronized boolean enter() {
        if (!closing) {
            calls++;
        }
        return !closing;
    }

    private synchronized void exit() {
        calls--;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (closing && calls == 0 && !closed) {
            closed = true;
            MemoryFile.closeQuietly(descriptor);
        }
    }

    /**
     * Waits until something can be received or accepted.
     *
     * @param millis how long at most; -1 for ever
     * @return false when nothing came in time
     * @throws OsException when the system fails
     */
    private boolean await(int millis) throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment poll = arena.allocate(Long.BYTES, Integer.BYTES);
            poll.set(ValueLayout.JAVA_INT, 0, descriptor);
            poll.set(ValueLayout.JAVA_SHORT, Integer.BYTES, READABLE);
            return await(poll, 1, millis);
        }
    }

    /**
     * Waits until something can be received or accepted at some of several sockets, or the other end of one is gone.
     *
     * @param readers any number; one that was closed here counts as ready
     * @param watched any number; ready only when they have ended
     * @param millis how long at most; -1 for ever
     * @return the places of those that are ready, readers first; none when nothing came in time
     * @throws OsException when the system fails
     */
    public static BitSet awaitAny(List<UnixSocket> readers, List<UnixSocket> watched, int millis) throws OsException {
        List<UnixSocket> all = Stream.concat(readers.stream(), watched.stream()).toList();
        BitSet entered = new BitSet(all.size());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polls = arena.allocate((long) all.size() * Long.BYTES, Integer.BYTES);
            for (int i = 0; i < all.size(); i++) {
                entered.set(i, all.get(i).enter());
                // The system passes over descriptors below 0, and always tells of an end.
                polls.setAtIndex(ValueLayout.JAVA_INT, 2L * i, entered.get(i) ? all.get(i).descriptor : -1);
                polls.setAtIndex(ValueLayout.JAVA_SHORT, 4L * i + 2, i < readers.size() ? READABLE : 0);
            }
            await(polls, all.size(), entered.cardinality() < all.size() ? 0 : millis);
            BitSet ready = new BitSet();
            for (int i = 0; i < all.size(); i++) {
                ready.set(i, !entered.get(i) || polls.getAtIndex(ValueLayout.JAVA_SHORT, 4L * i + 3) != 0);
            }
            return ready;
        } finally {
            entered.stream().forEach(i -> all.get(i).exit());
        }
    }

    private static boolean await(MemorySegment polls, int count, int millis) throws OsException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        return retry(() -> {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime() + ALMOST_A_MILLISECOND);
            return Libc.POLL.call(polls, (long) count, millis < 0 ? -1 : (int) Math.max(0, left));
        }) > 0;
    }

    /**
     * Takes the next connection.
     *
     * @param millis how long to wait at most; -1 for ever
     * @return the connection; null when none came in time or this socket was closed
     * @throws OsException when the process or the system has no descriptor left
     */
    public UnixSocket accept(int millis) throws OsException {
        if (!enter()) {
            return null;
        }
        try {
            if (!await(millis) || isClosing()) {
                return null;
            }
            return new UnixSocket((int) retry(() ->
                    Libc.ACCEPT.call(descriptor, MemorySegment.NULL, MemorySegment.NULL, CLOSE_ON_EXEC)));
        } finally {
            exit();
        }
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    /**
     * Who made or accepted the other end.
     *
     * @return process and user
     * @throws OsException when the socket is not connected
     */
    public Credentials peer() throws OsException {
        if (!enter()) {
            throw new OsException("getsockopt", OsException.EBADF);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment credentials = arena.allocate(3 * Integer.BYTES, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, (int) credentials.byteSize());
            Libc.GETSOCKOPT.call(descriptor, SOCKET_LEVEL, PEER_CREDENTIALS, credentials, length);
            return new Credentials(credentials.getAtIndex(ValueLayout.JAVA_INT, 0),
                    credentials.getAtIndex(ValueLayout.JAVA_INT, 1));
        } finally {
            exit();
        }
    }

    /**
     * Sends a message.
     *
     * @param message 1 to {@link #MAX_MESSAGE_BYTES} bytes
     * @param descriptors handed over as copies; the caller keeps its own
     * @throws OsException when the other end is gone; EAGAIN when it takes nothing out
     */
    public void send(byte[] message, int... descriptors) throws OsException {
        if (message.length < 1 || message.length > MAX_MESSAGE_BYTES || descriptors.length > MAX_DESCRIPTORS) {
            throw new IllegalArgumentException(
                    "a message of " + message.length + " bytes and " + descriptors.length + " descriptors");
        }
        if (!enter()) {
            throw new OsException("sendmsg", OsException.EBADF);
        }
        try (Arena arena = Arena.ofConfined()) {
            MessageHeader header = new MessageHeader(arena, message.length, descriptors.length);
            header.put(message, descriptors);
            retry(() -> Libc.SENDMSG.call(descriptor, header.segment(), NO_SIGNAL | NO_WAIT));
        } finally {
            exit();
        }
    }

    /**
     * Takes the next message.
     *
     * @param millis how long to wait at most; -1 for ever
     * @return the message; one without bytes when the other end or this one was closed; null when none came in time
     * @throws OsException when the other end broke off, or sent more than a message may hold
     */
    public Message receive(int millis) throws OsException {
        if (!enter()) {
            return new Message(new byte[0], new int[0]);
        }
        try (Arena arena = Arena.ofConfined()) {
            if (!await(millis)) {
                return null;
            }
            MessageHeader header = new MessageHeader(arena, MAX_MESSAGE_BYTES, MAX_DESCRIPTORS);
            int length = (int) retry(() ->
                    Libc.RECVMSG.call(descriptor, header.segment(), RECEIVED_CLOSE_ON_EXEC));
            Message message = new Message(header.bytes(length), header.descriptors());
            if ((header.flags() & (CONTROL_TRUNCATED | TRUNCATED)) != 0) {
                message.discard();
                throw new OsException("recvmsg", OsException.EMSGSIZE);
            }
            return message;
        } finally {
            exit();
        }
    }

    /** Ends every call that waits here, now and later. */
    @Override
    public synchronized void close() {
        if (closing) {
            return;
        }
        closing = true;
        try {
            Libc.SHUTDOWN.call(descriptor, BOTH_WAYS);
        } catch (OsException e) {
            // Not connected any more.
        } finally {
            closeIfUnused();
        }
    }
}
