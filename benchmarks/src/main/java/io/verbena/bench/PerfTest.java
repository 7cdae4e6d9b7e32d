package io.verbena.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The tests of {@link PerfRunner}, named as the programs of perftest. */
public enum PerfTest {
    /** Two threads send messages back and forth. */
    SEND_LAT("Send Latency Test", Kind.PING_PONG),
    /** One thread sends, the other receives. */
    SEND_BW("Send BW Test", Kind.BANDWIDTH),
    /** Two threads write to each other and watch their own memory. */
    WRITE_LAT("RDMA_Write Latency Test", Kind.PING_PONG),
    /** One thread writes to idle memory. */
    WRITE_BW("RDMA_Write BW Test", Kind.BANDWIDTH),
    /** One thread reads idle memory, one READ after another. */
    READ_LAT("RDMA_Read Latency Test", Kind.COMPLETION),
    /** One thread reads idle memory. */
    READ_BW("RDMA_Read BW Test", Kind.BANDWIDTH),
    /** One thread writes to idle memory, one WRITE after another, timed in groups. */
    WRITE_COMP_LAT("RDMA_Write Completion Latency Test", Kind.GROUP),
    /** One thread reads idle memory, one READ after another, timed in groups. */
    READ_COMP_LAT("RDMA_Read Completion Latency Test", Kind.GROUP),
    /** One thread reads lines that the thread of the other end has just written, timed in groups. */
    READ_FRESH_LAT("RDMA_Read Completion Latency Test of lines just written", Kind.GROUP),
    /** One thread does atomics, one after another, timed in groups. */
    ATOMIC_COMP_LAT("Atomic Completion Latency Test", Kind.GROUP),
    /** One thread does atomics, one after another. */
    ATOMIC_LAT("Atomic Latency Test", Kind.COMPLETION),
    /** One thread does atomics. */
    ATOMIC_BW("Atomic BW Test", Kind.BANDWIDTH),
    /**
     * No verbs: two threads pass cache lines back and forth, or datagrams where the path is UDP; what the path's
     * ping-pongs are compared with.
     */
    BARE_LAT("Bare Ping-Pong Latency Test (no verbs)", Kind.PING_PONG),
    /** No verbs: two processes exchange messages over Aeron's IPC channel. */
    AERON_LAT("Aeron IPC Ping-Pong Latency Test (no verbs)", Kind.PING_PONG),
    /** No verbs: one process writes to an Agrona ring buffer that another one reads. */
    RING_BW("Agrona One-to-One Ring Buffer BW Test (no verbs)", Kind.BANDWIDTH),
    /** No verbs: two processes send bytes back and forth over TCP, by Java's channels. */
    TCP_LAT("TCP Ping-Pong Latency Test (NIO, no verbs)", Kind.PING_PONG),
    /** No verbs: the same by Netty's epoll transport. */
    NETTY_LAT("TCP Ping-Pong Latency Test (Netty, no verbs)", Kind.PING_PONG),
    /** No verbs: one process sends another one UDP packets in runs that the system cuts and joins. */
    BARE_BW("Bare UDP BW Test (UDP_SEGMENT and UDP_GRO, no verbs)", Kind.BANDWIDTH),
    /** No verbs: the same with many messages of one packet for a system call. */
    MMSG_BW("Bare UDP BW Test (sendmmsg and recvmmsg, no verbs)", Kind.BANDWIDTH),
    /** No verbs: one thread copies memory. */
    COPY_BW("MemorySegment.copy BW Test (no verbs)", Kind.BANDWIDTH);

    /** What a test's latency figures are. */
    public enum Kind {
        /** Message and answer between two threads. */
        PING_PONG("round trip"),
        /** One operation at a time, by the posting thread's clock. */
        COMPLETION("post to completion"),
        /** The same, timed in groups: what the clock takes is spread over all of a group. */
        GROUP("post to completion, mean of " + Side.GROUP),
        /** Many operations in flight; some are sampled. */
        BANDWIDTH("post to completion");

        private final String latencyIs;

        Kind(String latencyIs) {
            this.latencyIs = latencyIs;
        }
    }

    private final String title;
    private final Kind kind;

    PerfTest(String title, Kind kind) {
        this.title = title;
        this.kind = kind;
    }

    /**
     * Finds a test by its label.
     *
     * @param label for example {@code send_lat}
     * @return the test
     * @throws BadOptionException for any other text
     */
    public static PerfTest of(String label) {
        for (PerfTest test : values()) {
            if (test.label().equals(label)) {
                return test;
            }
        }
        throw BadOptionException.value("TEST", '"' + label + '"', labels());
    }

    /**
     * All labels.
     *
     * @return separated by commas
     */
    public static String labels() {
        return Arrays.stream(values()).map(PerfTest::label).collect(Collectors.joining(", "));
    }

    /**
     * How users write this test.
     *
     * @return for example {@code send_lat}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The headline of perftest's output.
     *
     * @return for example {@code Send Latency Test}
     */
    public String title() {
        return title;
    }

    /**
     * What its latency figures are.
     *
     * @return for example {@code round trip} or {@code post to completion}
     */
    public String latencyIs() {
        return kind.latencyIs;
    }

    /**
     * What kind of test it is.
     *
     * @return never null
     */
    public Kind kind() {
        return kind;
    }

    /**
     * Whether many operations are in flight.
     *
     * @return true for the bandwidth tests
     */
    public boolean isBandwidth() {
        return kind == Kind.BANDWIDTH;
    }

    /**
     * Whether receives are posted.
     *
     * @return true for SEND
     */
    public boolean isSend() {
        return this == SEND_LAT || this == SEND_BW;
    }

    /**
     * Whether the operation is an atomic of 8 bytes.
     *
     * @return true for atomics
     */
    public boolean isAtomic() {
        return this == ATOMIC_LAT || this == ATOMIC_COMP_LAT || this == ATOMIC_BW;
    }

    /**
     * Whether the operation is a WRITE.
     *
     * @return true for WRITE
     */
    public boolean isWrite() {
        return this == WRITE_LAT || this == WRITE_COMP_LAT || this == WRITE_BW;
    }

    /**
     * Whether the payload can travel inline in the work request.
     *
     * @return true for SEND and WRITE
     */
    public boolean canInline() {
        return isSend() || isWrite();
    }

    /**
     * Whether both sides wait by watching memory, so that there is no completion to sleep for.
     *
     * @return true for write_lat, read_fresh_lat and what uses no verbs
     */
    public boolean watchesMemory() {
        return this == WRITE_LAT || this == READ_FRESH_LAT || !usesVerbs();
    }

    /**
     * Whether it is a test of verbs; the others are what verbs are compared with.
     *
     * @return false for bare_lat and those after it
     */
    public boolean usesVerbs() {
        return compareTo(BARE_LAT) < 0;
    }

    /**
     * Whether single operations are timed; the others only count what passes.
     *
     * @return false for ring_bw, bare_bw and mmsg_bw
     */
    public boolean hasTimes() {
        return this != RING_BW && this != BARE_BW && this != MMSG_BW;
    }

    /**
     * The one path that a test goes with, for those that do not go with all.
     *
     * @return null when it goes with every path
     */
    public Link onlyLink() {
        return switch (this) {
            case AERON_LAT, RING_BW -> Link.SHM;
            case TCP_LAT, NETTY_LAT, BARE_BW, MMSG_BW -> Link.UDP;
            case COPY_BW -> Link.LOOPBACK;
            default -> null;
        };
    }
}
