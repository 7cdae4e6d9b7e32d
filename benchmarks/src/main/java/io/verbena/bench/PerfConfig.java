package io.verbena.bench;

import io.verbena.verbs.Threading;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@link PerfRunner} measures and how.
 *
 * @param test which test
 * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
 * @param size bytes of a message; {@link #ALL_SIZES} for 2, 4, 8 ... 2^23, one after another
 * @param length how long to measure each size
 * @param queues how many queue pairs, how deep
 * @param path how they are connected
 * @param style who posts, how they wait
 */
public record PerfConfig(
        PerfTest test, String device, long size, RunLength length, QueueShape queues, PathConfig path, Style style) {
    /** Stands for all sizes of perftest's -a. */
    public static final long ALL_SIZES = -1;

    private static final int LARGEST_POWER = 23;
    private static final long LARGEST_BARE = 1L << LARGEST_POWER;
    private static final long LARGEST_RIVAL = 1L << 13;
    private static final long MOST_IN_DATAGRAM = 4_096;
    private static final long LARGEST_BUFFER = 4L << 30;

    /**
     * Who posts and how they wait.
     *
     * @param threading mode of queue pairs and completion queues
     * @param events whether waiting sleeps in a completion channel instead of spinning
     * @param atomic which atomic the atomic tests do
     */
    public record Style(Threading threading, boolean events, AtomicType atomic) {
        /** Single-threaded, spinning, fetch and add. */
        public static final Style DEFAULT = new Style(Threading.SINGLE, false, AtomicType.FETCH_AND_ADD);
    }

    /** Checks what can be checked without a device. */
    public PerfConfig {
        checkSize(test, size);
        if (test == PerfTest.BARE_LAT && path.transport().link() == Link.UDP) {
            checkDatagram(size);
        }
        path.transport().check(test, size);
        if (path.transport().isLossy() && test.isBandwidth() && test.isSend() && queues.postList() > queues.rxDepth()) {
            throw BadOptionException.value("-l", queues.postList(), "1 to " + queues.rxDepth()
                    + ", the receives given by -r, since " + path.transport().label() + " loses what finds none");
        }
        if (!test.isBandwidth()) {
            oneOnly(test, "-q", queues.qps());
            oneOnly(test, "-l", queues.postList());
            oneOnly(test, "-Q", queues.cqMod());
        }
        if (queues.inlineSize() > 0 && !test.canInline()) {
            throw new BadOptionException("-I does not go with " + test.label() + "; only SEND and WRITE can be inline");
        }
        if (style.events() && test.watchesMemory()) {
            throw new BadOptionException("-e does not go with " + test.label() + "; it watches memory, so there is no"
                    + " completion to sleep for");
        }
        long largest = size == ALL_SIZES ? LARGEST_BARE : size;
        if (largest * queues.qps() > LARGEST_BUFFER) {
            throw new BadOptionException("-q " + queues.qps() + " with messages of " + largest + " bytes needs "
                    + largest * queues.qps() + " bytes a side; allowed: up to " + LARGEST_BUFFER
                    + ", so lower -q or -s");
        }
    }

    private static void checkSize(PerfTest test, long size) {
        if (test.isAtomic()) {
            if (size != Long.BYTES) {
                String given = size == ALL_SIZES ? "-a" : "-s " + size;
                throw new BadOptionException(given + " does not go with " + test.label() + "; atomics have 8 bytes");
            }
        } else if (size != ALL_SIZES) {
            OptionRange.SIZE.check(size);
            boolean bounded = !test.usesVerbs() || test == PerfTest.READ_FRESH_LAT;
            long most = isSmall(test) ? LARGEST_RIVAL : LARGEST_BARE;
            if (bounded && size > most) {
                throw BadOptionException.value("-s", size, "1 to " + most + " bytes for " + test.label());
            }
        } else if (isSmall(test)) {
            throw new BadOptionException("-a does not go with " + test.label() + "; give one size by -s");
        }
    }

    private static void checkDatagram(long size) {
        if (size == ALL_SIZES) {
            throw new BadOptionException("-a does not go with bare_lat --link udp; give one size by -s");
        }
        if (size > MOST_IN_DATAGRAM) {
            throw BadOptionException.value("-s", size, "1 to " + MOST_IN_DATAGRAM
                    + " bytes for bare_lat --link udp, as much as one packet carries");
        }
    }

    private static boolean isSmall(PerfTest test) {
        return switch (test) {
            case RING_BW, AERON_LAT, ASYNC_LAT, ASYNC_READ_LAT -> true;
            default -> false;
        };
    }

    private static void oneOnly(PerfTest test, String option, int value) {
        if (value != 1) {
            throw new BadOptionException(option + " does not go with " + test.label()
                    + "; a latency test has one queue pair and one operation in flight");
        }
    }

    /**
     * A test with its defaults: 64 bytes for latency, 64 KiB for bandwidth, one second.
     *
     * @param test the test
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @return the configuration
     */
    public static PerfConfig defaults(PerfTest test, String device) {
        return new PerfConfig(test, device, defaultSize(test), RunLength.ofSeconds(1), QueueShape.defaults(test),
                PathConfig.DEFAULT, Style.DEFAULT);
    }

    /**
     * The message size when none is given.
     *
     * @param test the test
     * @return bytes
     */
    public static long defaultSize(PerfTest test) {
        if (test.isAtomic()) {
            return Long.BYTES;
        }
        return test.isBandwidth() && !isSmall(test) ? 65_536 : 64;
    }

    /**
     * The same with another size.
     *
     * @param newSize bytes
     * @return a changed copy
     */
    public PerfConfig withSize(long newSize) {
        return new PerfConfig(test, device, newSize, length, queues, path, style);
    }

    /**
     * The same with another length.
     *
     * @param newLength how long to measure
     * @return a changed copy
     */
    public PerfConfig withLength(RunLength newLength) {
        return new PerfConfig(test, device, size, newLength, queues, path, style);
    }

    /**
     * The sizes to measure.
     *
     * @return in ascending order
     */
    public List<Long> sizes() {
        if (size != ALL_SIZES) {
            return List.of(size);
        }
        List<Long> sizes = new ArrayList<>();
        for (int power = 1; power <= LARGEST_POWER; power++) {
            sizes.add(1L << power);
        }
        return sizes;
    }
}
