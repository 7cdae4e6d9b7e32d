package io.verbena.nic.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A UDP socket bound to one address and never connected, which sends and receives many messages with one system call
 * and never fragments: what it sends over IPv4 has the identification 0, or k when it is segment k of a message that
 * the system cuts apart. It takes packets without a UDP checksum over IPv6, too.
 *
 * <p>One thread at a time sends and receives; one other may be in {@link #await}; any may {@link #wake}. Neither of
 * these allocates.
 */
public final class UdpSocket implements AutoCloseable {
    private static final int DATAGRAMS = 2;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NOT_BLOCKING = 0x800;
    private static final int IP = 0;
    private static final int IP_MTU_DISCOVER = 10;
    private static final int IPV6 = 41;
    private static final int IPV6_MTU_DISCOVER = 23;
    private static final int IPV6_ONLY = 26;
    private static final int DISCOVERY_DO = 2;
    private static final int TELL_TTL = 12;
    private static final int TELL_TOS = 13;
    private static final int TELL_HOP_LIMIT = 51;
    private static final int TELL_TRAFFIC_CLASS = 66;
    private static final int SEND_BUFFER = 7;
    private static final int RECEIVE_BUFFER = 8;
    private static final int SEND_BUFFER_BY_FORCE = 32;
    private static final int RECEIVE_BUFFER_BY_FORCE = 33;
    private static final int NO_CHECKSUM6_RECEIVED = 102;

    private static final short READABLE = 1;
    private static final short BOTH = READABLE | 4;
    private static final int EVENTS_AT = 4;
    private static final int RESULTS_AT = 6;
    private static final int POLLS = 2;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MAX_NANOS = 3_600 * NANOS_PER_SECOND;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int WOKEN = 2;
    /** In the count of users: no more come in. */
    private static final int CLOSED = 1 << 30;

    /** The functions that the data path calls; no failure of them throws. */
    private static final class Calls {
        static final MethodHandle SENDMMSG = plain("sendmmsg", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
        static final MethodHandle RECVMMSG =
                plain("recvmmsg", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);
        /** Tells why; outside well compiled code the JDK allocates for that. */
        static final MethodHandle SENDMMSG_ERRNO = handle("sendmmsg",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT),
                Linker.Option.captureCallState("errno"));
        static final MethodHandle PPOLL = plain("ppoll", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        static final MethodHandle READ = plain("read", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
        static final MethodHandle WRITE = plain("write", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);

        private static MethodHandle plain(String name, ValueLayout result, MemoryLayout... arguments) {
            return handle(name, FunctionDescriptor.of(result, arguments));
        }

        private static MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... options) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
        }
    }

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment errno = arena.allocate(Libc.Errno.STATE);
    private final MemorySegment polls = arena.allocate(POLLS * Long.BYTES, Long.BYTES);
    private final MemorySegment until = arena.allocate(2 * Long.BYTES, Long.BYTES);
    private final MemorySegment one = arena.allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment taken = arena.allocate(Long.BYTES, Long.BYTES);
    private final AtomicInteger sleep = new AtomicInteger(AWAKE);
    /** Calls of await and wake that go on, and one for the owner. */
    private final AtomicInteger users = new AtomicInteger(1);
    private final int descriptor;
    private final int bell;
    private final int receiveBufferBytes;
    private final int sendBufferBytes;

    private UdpSocket(int descriptor, int bell) throws OsException {
        this.descriptor = descriptor;
        this.bell = bell;
        receiveBufferBytes = get(Messages.SOCKET_LEVEL, RECEIVE_BUFFER);
        sendBufferBytes = get(Messages.SOCKET_LEVEL, SEND_BUFFER);
        one.set(JAVA_LONG, 0, 1);
        polls.set(JAVA_INT, 0, descriptor);
        polls.set(JAVA_INT, Long.BYTES, bell);
        polls.set(ValueLayout.JAVA_SHORT, Long.BYTES + EVENTS_AT, READABLE);
    }

    /** Whether this system has such sockets. */
    public static boolean isSupported() {
        return Native.isHere();
    }

    /**
     * Makes a socket.
     *
     * @param name where it receives and what it sends from
     * @param bufferBytes how much it shall hold of what goes out, and of what has come in; the system may allow less
     * @return the socket
     * @throws OsException EADDRINUSE, EADDRNOTAVAIL or EACCES when the address can't be had
     */
    public static UdpSocket bind(SocketAddresses.Name name, int bufferBytes) throws OsException {
        int family = name.isIpv4() ? SocketAddresses.IPV4 : SocketAddresses.IPV6;
        int socket = (int) Libc.SOCKET.call(family, DATAGRAMS | CLOSE_ON_EXEC | NOT_BLOCKING, 0);
        int bell = -1;
        try (Arena arena = Arena.ofConfined()) {
            if (name.isIpv4()) {
                set(socket, IP, IP_MTU_DISCOVER, DISCOVERY_DO);
            } else {
                set(socket, IPV6, IPV6_ONLY, 1);
                set(socket, IPV6, IPV6_MTU_DISCOVER, DISCOVERY_DO);
                set(socket, Messages.UDP_LEVEL, NO_CHECKSUM6_RECEIVED, 1);
            }
            set(socket, Messages.SOCKET_LEVEL, Messages.KERNEL_DROPS, 1);
            enlarge(socket, RECEIVE_BUFFER_BY_FORCE, RECEIVE_BUFFER, bufferBytes);
            enlarge(socket, SEND_BUFFER_BY_FORCE, SEND_BUFFER, bufferBytes);
            Libc.BIND.call(socket, SocketAddresses.allocate(arena, name), name.bytes());
            bell = (int) Libc.EVENTFD.call(0, CLOSE_ON_EXEC | NOT_BLOCKING);
            return new UdpSocket(socket, bell);
        } catch (OsException | RuntimeException | Error e) {
            MemoryFile.closeQuietly(socket);
            if (bell >= 0) {
                MemoryFile.closeQuietly(bell);
            }
            throw e;
        }
    }

    private static void enlarge(int socket, int force, int option, int bytes) throws OsException {
        try {
            set(socket, Messages.SOCKET_LEVEL, force, bytes);
        } catch (OsException e) {
            set(socket, Messages.SOCKET_LEVEL, option, bytes);
        }
    }

    /** Sets an option. */
    void set(int level, int option, int value) throws OsException {
        set(descriptor, level, option, value);
    }

    private static void set(int socket, int level, int option, int value) throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            Libc.SETSOCKOPT.call(socket, level, option, arena.allocateFrom(JAVA_INT, value), Integer.BYTES);
        }
    }

    /** Reads an option. */
    int get(int level, int option) throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(JAVA_INT);
            Libc.GETSOCKOPT.call(descriptor, level, option, value, arena.allocateFrom(JAVA_INT, Integer.BYTES));
            return value.get(JAVA_INT, 0);
        }
    }

    /**
     * How much the system keeps of what has come in until it drops.
     *
     * @return bytes as the system counts them, with its own overhead
     */
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    /**
     * How much may be on its way out.
     *
     * @return bytes as the system counts them, with its own overhead
     */
    public int sendBufferBytes() {
        return sendBufferBytes;
    }

    /**
     * Asks the system to cut and to join packets (UDP_SEGMENT, UDP_GRO: Linux 4.18 and 5.0).
     *
     * @return false when it can't
     */
    public boolean joinPackets() {
        try {
            set(Messages.UDP_LEVEL, Messages.GRO, 1);
            get(Messages.UDP_LEVEL, Messages.SEGMENT);
            return true;
        } catch (OsException e) {
            return false;
        }
    }

    /** Has the system tell the traffic class and the hop limit of what is received from now on, if it can. */
    public void tellMarks(boolean ipv4) {
        try {
            set(ipv4 ? IP : IPV6, ipv4 ? TELL_TOS : TELL_TRAFFIC_CLASS, 1);
            set(ipv4 ? IP : IPV6, ipv4 ? TELL_TTL : TELL_HOP_LIMIT, 1);
        } catch (OsException e) {
            // Then it stays unknown.
        }
    }

    /**
     * Sends messages.
     *
     * @param messages all of them
     * @param first the first to send
     * @param count how many, 1 or more
     * @return how many have gone, 1 or more; or what kept the first from going, as a negative number of
     *     {@link OsException}
     */
    public int send(OutgoingMessages messages, int first, int count) {
        try {
            int sent = (int) Calls.SENDMMSG.invokeExact(descriptor, messages.header(first), count, 0);
            return sent >= 0 ? sent : sendAgain(messages.header(first), count);
        } catch (Throwable e) {
            throw new AssertionError("sendmmsg has no Java side to throw", e);
        }
    }

    /** Asks why by another try, which may succeed. */
    private int sendAgain(long header, int count) throws Throwable {
        int sent = (int) Calls.SENDMMSG_ERRNO.invokeExact(errno, descriptor, header, count, 0);
        return sent >= 0 ? sent : -(int) Libc.Errno.NUMBER.get(errno, 0L);
    }

    /**
     * Receives messages.
     *
     * @param messages where they go, from the first on
     * @param count the most, 1 or more
     * @return how many have come; 0 when there is none. A socket that is not connected has no other failure to tell.
     */
    public int receive(IncomingMessages messages, int count) {
        messages.prepare();
        try {
            int received = (int) Calls.RECVMMSG.invokeExact(descriptor, messages.header(0), count, 0, 0L);
            messages.came(received);
            return Math.max(0, received);
        } catch (Throwable e) {
            throw new AssertionError("recvmmsg has no Java side to throw", e);
        }
    }

    /**
     * Waits until something can be received, until {@link #wake}, until {@link #close} or for a time. May return early.
     *
     * @param nanos the longest time, more than 0
     * @param sending whether to return as well when something can be sent
     */
    public void await(long nanos, boolean sending) {
        if (!enter()) {
            return;
        }
        try {
            if (sleep.compareAndSet(AWAKE, ASLEEP)) {
                polls.set(ValueLayout.JAVA_SHORT, EVENTS_AT, sending ? BOTH : READABLE);
                long time = Math.min(nanos, MAX_NANOS);
                until.set(JAVA_LONG, 0, time / NANOS_PER_SECOND);
                until.set(JAVA_LONG, Long.BYTES, time % NANOS_PER_SECOND);
                int ready = (int) Calls.PPOLL.invokeExact(polls.address(), (long) POLLS, until.address(), 0L);
                if (ready > 0 && polls.get(ValueLayout.JAVA_SHORT, Long.BYTES + RESULTS_AT) != 0) {
                    long ignored = (long) Calls.READ.invokeExact(bell, taken.address(), (long) Long.BYTES);
                }
            }
            sleep.set(AWAKE);
        } catch (Throwable e) {
            throw new AssertionError("ppoll and read have no Java side to throw", e);
        } finally {
            exit();
        }
    }

    /** Ends an {@link #await} that goes on, or the next one; a system call only while somebody is in it. */
    public void wake() {
        if (sleep.getAndSet(WOKEN) != ASLEEP || !enter()) {
            return;
        }
        try {
            long ignored = (long) Calls.WRITE.invokeExact(bell, one.address(), (long) Long.BYTES);
        } catch (Throwable e) {
            throw new AssertionError("write has no Java side to throw", e);
        } finally {
            exit();
        }
    }

    private boolean enter() {
        return users.getAndUpdate(n -> n < CLOSED ? n + 1 : n) < CLOSED;
    }

    private void exit() {
        if (users.decrementAndGet() == CLOSED) {
            MemoryFile.closeQuietly(descriptor);
            MemoryFile.closeQuietly(bell);
        }
    }

    /** Gives the address back, at the latest when nobody is in {@link #await} any more, which this ends. */
    @Override
    public void close() {
        wake();
        if (users.getAndUpdate(n -> n < CLOSED ? n + CLOSED : n) < CLOSED) {
            exit();
        }
    }
}
