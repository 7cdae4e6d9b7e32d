package io.verbena.bench;

import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import java.util.Locale;

/**
 * What carries the messages of a test.
 *
 * @param type the transport service
 * @param srq whether all queue pairs of an end draw their receives from one shared receive queue
 * @param link the path between the ends
 */
public record Transport(QueuePairType type, boolean srq, Link link) {
    /** Reliable connections with receive queues of their own, inside one process. */
    public static final Transport RC = new Transport(QueuePairType.RC, false, Link.LOOPBACK);

    private static final String TYPES = "RC, UC, UD";

    /** Checks what goes together. */
    public Transport {
        if (srq && type == QueuePairType.UC) {
            throw new BadOptionException("--use-srq does not go with UC; allowed: RC, UD");
        }
        if (link == Link.SHM && type == QueuePairType.UD) {
            throw new BadOptionException("UD does not go with --link shm here, whose ends tell each other by RDMA WRITE"
                    + " how far they are; allowed there: RC and UC");
        }
    }

    /**
     * Reads perftest's -c.
     *
     * @param text RC, UC or UD, in any case
     * @param srq whether --use-srq was given
     * @return the transport
     * @throws BadOptionException for anything else
     */
    public static Transport of(String text, boolean srq) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "RC" -> new Transport(QueuePairType.RC, srq, Link.LOOPBACK);
            case "UC" -> new Transport(QueuePairType.UC, srq, Link.LOOPBACK);
            case "UD" -> new Transport(QueuePairType.UD, srq, Link.LOOPBACK);
            case "XRC", "DC", "SRD" -> throw BadOptionException.value("-c", text, TYPES + "; no device here has it");
            default -> throw BadOptionException.value("-c", '"' + text + '"', TYPES);
        };
    }

    /**
     * The same service on another path.
     *
     * @param newLink the path between the ends
     * @return a changed copy
     * @throws BadOptionException when the path does not carry it
     */
    public Transport over(Link newLink) {
        return new Transport(type, srq, newLink);
    }

    /**
     * How tables name it.
     *
     * @return for example {@code RC+SRQ}
     */
    public String label() {
        return type + (srq ? "+SRQ" : "");
    }

    /**
     * Bytes before each message in a receive buffer.
     *
     * @return 40 for UD, else 0
     */
    public int headerBytes() {
        return type == QueuePairType.UD ? RouteHeader.BYTES : 0;
    }

    /**
     * Whether messages that come too fast are lost, so that a test has to hold the sender back.
     *
     * @return true for UC and UD
     */
    public boolean isLossy() {
        return type != QueuePairType.RC;
    }

    /** Refuses what a service does not offer. */
    void check(PerfTest test, long size) {
        boolean offered = switch (type) {
            case RC -> true;
            case UC -> test.isSend() || test.isWrite();
            case UD -> test.isSend();
        };
        if (!offered) {
            throw new BadOptionException("-c " + type + " does not go with " + test.label() + "; UC has SEND and WRITE,"
                    + " UD has SEND");
        }
        if (link != Link.LOOPBACK && isLossy() && test == PerfTest.SEND_BW) {
            throw new BadOptionException("-c " + type + " does not go with send_bw --link " + link.label()
                    + "; what the receiver did not get is not known to the sender there");
        }
        if (test.onlyLink() != null && test.onlyLink() != link) {
            throw new BadOptionException("--link " + link.label() + " does not go with " + test.label() + "; only "
                    + test.onlyLink().label() + " does");
        }
        if (srq && !test.isSend()) {
            throw new BadOptionException("--use-srq does not go with " + test.label() + "; only send tests receive");
        }
        if (type == QueuePairType.UD && size == PerfConfig.ALL_SIZES) {
            throw new BadOptionException("-a does not go with -c UD; a datagram is at most as long as the MTU, so give"
                    + " -s");
        }
    }
}
