package io.verbena.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/**
 * A UDP socket of Linux with nothing around it, for what packets are compared with: sendmmsg(2) and recvmmsg(2) on
 * messages that are laid out once. Not connected, not blocking, with buffers of 4 MiB if the system allows. One thread.
 */
final class BareSocket implements AutoCloseable {
    private static final int DATAGRAMS = 2;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NOT_BLOCKING = 0x800;
    private static final int SOCKET_LEVEL = 1;
    private static final int[] BUFFERS = {7, 32, 8, 33};
    private static final int RECEIVE_BUFFER = 8;
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int UDP_LEVEL = 17;
    private static final int SEGMENT = 103;
    private static final int GRO = 104;
    private static final int IPV4 = 2;
    private static final int IPV4_BYTES = 16;
    private static final int IPV6 = 10;
    private static final int IPV6_BYTES = 28;
    private static final int IPV6_AT = 8;
    private static final int SCOPE_AT = 24;
    private static final int NAME_BYTES = 32;
    private static final ValueLayout.OfShort PORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    /** Of struct mmsghdr, iovec and cmsghdr on 64 bits. */
    private static final int HEADER_BYTES = 64;
    private static final int NAME_LENGTH_AT = 8;
    private static final int VECTOR_AT = 16;
    private static final int VECTOR_COUNT_AT = 24;
    private static final int CONTROL_AT = 32;
    private static final int CONTROL_LENGTH_AT = 40;
    private static final int LENGTH_AT = 56;
    private static final int VECTOR_BYTES = 16;
    private static final int CONTROL_BYTES = 24;

    /** What set-up calls need to say why they have failed. */
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final long ERRNO_AT = CAPTURED.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final int MOST_WORDS = 256;

    private static final MethodHandle SOCKET = capturing("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = capturing("bind", JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle GET_NAME = capturing("getsockname", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WORDS = handle("strerror", ADDRESS, JAVA_INT);
    private static final MethodHandle SET = handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG,
            JAVA_INT);
    private static final MethodHandle GET = handle("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG,
            JAVA_LONG);
    private static final MethodHandle SENDMMSG = handle("sendmmsg", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle RECVMMSG =
            handle("recvmmsg", JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment word = arena.allocate(2 * Long.BYTES, Long.BYTES);
    private final MemorySegment peer = arena.allocate(NAME_BYTES, Long.BYTES);
    private final InetAddress address;
    private final int descriptor;
    private final int port;
    private int peerBytes;

    /**
     * Messages of one direction, which lie one behind another.
     *
     * @param headers of struct mmsghdr, ready to be used
     * @param buffers what they hold
     * @param stride from one to the next
     */
    record Messages(MemorySegment headers, MemorySegment buffers, int stride) {
        /** How many. */
        int count() {
            return (int) (headers.byteSize() / HEADER_BYTES);
        }

        /** Bytes of message i, after it came. */
        int length(int i) {
            return headers.get(JAVA_INT, (long) i * HEADER_BYTES + LENGTH_AT);
        }

        /** The number that message i begins with. */
        long note(int i) {
            return buffers.get(JAVA_LONG, (long) i * stride);
        }
    }

    private static MethodHandle handle(String name, ValueLayout result, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments));
    }

    private static MethodHandle capturing(String name, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, arguments), CAPTURE);
    }

    /** Binds a socket to any port of an address of this host. */
    BareSocket(InetAddress address) {
        this.address = address;
        MemorySegment state = arena.allocate(CAPTURED);
        try {
            descriptor = (int) SOCKET.invokeExact(state, address instanceof Inet4Address ? IPV4 : IPV6,
                    DATAGRAMS | CLOSE_ON_EXEC | NOT_BLOCKING, 0);
            if (descriptor < 0) {
                throw new PerfException("no UDP socket can be made for " + address.getHostAddress() + why(state));
            }
            int bytes = name(peer, address, 0);
            for (int option : BUFFERS) {
                set(SOCKET_LEVEL, option, BUFFER_BYTES);
            }
            word.set(JAVA_INT, 0, NAME_BYTES);
            if ((int) BIND.invokeExact(state, descriptor, peer.address(), bytes) != 0
                    || (int) GET_NAME.invokeExact(state, descriptor, peer.address(), word.address()) != 0) {
                String why = why(state);
                int ignored = (int) CLOSE.invokeExact(descriptor);
                throw new PerfException("no UDP socket can be bound to " + address.getHostAddress() + why);
            }
            port = peer.get(PORT, 2) & 0xFFFF;
        } catch (Throwable e) {
            arena.close();
            throw failed(e);
        }
    }

    /** In the system's own words. */
    private static String why(MemorySegment state) throws Throwable {
        int errno = state.get(JAVA_INT, ERRNO_AT);
        MemorySegment words = (MemorySegment) WORDS.invokeExact(errno);
        return ": " + words.reinterpret(MOST_WORDS).getString(0) + " (errno " + errno + ")";
    }

    private static RuntimeException failed(Throwable e) {
        return e instanceof RuntimeException it ? it : new IllegalStateException(e);
    }

    private static int name(MemorySegment name, InetAddress address, int port) {
        byte[] bytes = address.getAddress();
        boolean old = address instanceof Inet4Address;
        name.fill((byte) 0);
        name.set(JAVA_SHORT, 0, (short) (old ? IPV4 : IPV6));
        name.set(PORT, 2, (short) port);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, name, old ? Integer.BYTES : IPV6_AT, bytes.length);
        if (address instanceof Inet6Address it) {
            name.set(JAVA_INT, SCOPE_AT, it.getScopeId());
        }
        return old ? IPV4_BYTES : IPV6_BYTES;
    }

    private boolean set(int level, int option, int value) {
        word.set(JAVA_INT, Long.BYTES, value);
        try {
            return (int) SET.invokeExact(descriptor, level, option, word.address() + Long.BYTES, Integer.BYTES) == 0;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** The port it got. */
    int port() {
        return port;
    }

    /** Its address. */
    InetAddress address() {
        return address;
    }

    /** Bytes that the system keeps for it, as the system counts. */
    int receiveBufferBytes() {
        word.set(JAVA_INT, 0, Integer.BYTES);
        try {
            int status = (int) GET.invokeExact(
                    descriptor, SOCKET_LEVEL, RECEIVE_BUFFER, word.address() + Long.BYTES, word.address());
            return status == 0 ? word.get(JAVA_INT, Long.BYTES) : 0;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Has packets that come joined (UDP_GRO). */
    void joinPackets() {
        if (!set(UDP_LEVEL, GRO, 1)) {
            throw new PerfException("this system can't join UDP packets (UDP_GRO); Linux 5.0 and newer can");
        }
    }

    /** Says where everything goes; before messages to be sent are made. */
    void sendTo(InetSocketAddress to) {
        peerBytes = name(peer, to.getAddress(), to.getPort());
    }

    /** Makes messages to receive. */
    Messages incoming(int count, int bytes) {
        MemorySegment names = arena.allocate((long) count * NAME_BYTES, Long.BYTES);
        return messages(count, bytes, names, NAME_BYTES, NAME_BYTES);
    }

    /**
     * Makes messages to send.
     *
     * @param count how many
     * @param bytes of each
     * @param segmentBytes the length of the packets that the system makes of each (UDP_SEGMENT); bytes for one packet
     */
    Messages outgoing(int count, int bytes, int segmentBytes) {
        Messages messages = messages(count, bytes, peer, 0, peerBytes);
        if (segmentBytes < bytes) {
            MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
            control.set(JAVA_LONG, 0, 2 * Long.BYTES + Short.BYTES);
            control.set(JAVA_INT, Long.BYTES, UDP_LEVEL);
            control.set(JAVA_INT, Long.BYTES + Integer.BYTES, SEGMENT);
            control.set(JAVA_SHORT, 2 * Long.BYTES, (short) segmentBytes);
            for (long at = 0; at < messages.headers.byteSize(); at += HEADER_BYTES) {
                messages.headers.set(JAVA_LONG, at + CONTROL_AT, control.address());
                messages.headers.set(JAVA_LONG, at + CONTROL_LENGTH_AT, CONTROL_BYTES);
            }
        }
        return messages;
    }

    private Messages messages(int count, int bytes, MemorySegment names, int nameStep, int nameBytes) {
        int stride = (bytes + 255) / 64 * 64; // no multiple of a page, lest all start in the same set of a cache
        MemorySegment headers = arena.allocate((long) count * HEADER_BYTES, Long.BYTES);
        MemorySegment vectors = arena.allocate((long) count * VECTOR_BYTES, Long.BYTES);
        MemorySegment buffers = arena.allocate((long) count * stride, 64);
        for (int i = 0; i < count; i++) {
            long at = (long) i * HEADER_BYTES;
            long vector = (long) i * VECTOR_BYTES;
            vectors.set(JAVA_LONG, vector, buffers.address() + (long) i * stride);
            vectors.set(JAVA_LONG, vector + Long.BYTES, bytes);
            headers.set(JAVA_LONG, at, names.address() + (long) i * nameStep);
            headers.set(JAVA_INT, at + NAME_LENGTH_AT, nameBytes);
            headers.set(JAVA_LONG, at + VECTOR_AT, vectors.address() + vector);
            headers.set(JAVA_LONG, at + VECTOR_COUNT_AT, 1);
        }
        return new Messages(headers, buffers, stride);
    }

    /** Sends some messages from one on; returns how many have gone, 0 when the system takes none now. */
    int send(Messages messages, int first, int count) {
        try {
            return Math.max(0, (int) SENDMMSG.invokeExact(
                    descriptor, messages.headers.address() + (long) first * HEADER_BYTES, count, 0));
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Takes messages that have come, so many at most; returns how many. */
    int receive(Messages messages, int most) {
        try {
            return Math.max(0, (int) RECVMMSG.invokeExact(descriptor, messages.headers.address(), most, 0, 0L));
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
            try {
                int ignored = (int) CLOSE.invokeExact(descriptor);
            } catch (Throwable e) {
                throw failed(e);
            }
        }
    }
}
