package io.verbena.nic.wire;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import java.lang.foreign.MemorySegment;

/**
 * The CRCs of packets that arrive at one address. Senders, addresses with ports, are remembered in a table of fixed
 * size: a new one may take the place of another, which costs some time and nothing else. A place that was filled once
 * is used again, so that nobody who changes his port all the time has anything allocated.
 */
final class Checksums {
    private static final int SENDERS = 256;
    /** Packets are checked in a window of memory of this size, which is moved when a packet lies outside. */
    private static final long WINDOW_BYTES = 1L << 30;
    private static final long WINDOW_STEP = WINDOW_BYTES / 2;
    /** So far from its start a packet may begin: more than a step, or one buffer could need two windows in turns. */
    private static final long WINDOW_REACH = WINDOW_BYTES - PacketView.MAX_BYTES;
    private static final int IPV4_MARK = 0xFFFF;

    private final Gid own;
    private final long[] highs = new long[SENDERS];
    private final long[] lows = new long[SENDERS];
    private final int[] ports = new int[SENDERS];
    private final IcrcPath[] paths = new IcrcPath[SENDERS];
    private long windowStart;
    private Icrc icrc;

    Checksums(Gid own) {
        this.own = own;
    }

    /** Whether the CRC of a packet is right. */
    boolean isRight(PacketView view, long sourceHigh, long sourceLow, int sourcePort) {
        IcrcPath path = path(sourceHigh, sourceLow, sourcePort);
        return path != null && at(view.address()).verify(path, view.address(), view.length());
    }

    private Icrc at(long address) {
        if (icrc == null || address - windowStart < 0 || address - windowStart > WINDOW_REACH) {
            windowStart = address & -WINDOW_STEP;
            icrc = new Icrc(MemorySegment.ofAddress(windowStart).reinterpret(WINDOW_BYTES));
        }
        return icrc;
    }

    private IcrcPath path(long high, long low, int port) {
        int slot = (int) (high ^ high >>> 32 ^ low ^ low >>> 32 ^ port * 31) & SENDERS - 1;
        if (paths[slot] == null || highs[slot] != high || lows[slot] != low || ports[slot] != port) {
            boolean ipv4 = high == 0 && low >>> Integer.SIZE == IPV4_MARK;
            if (ipv4 != own.isIpv4()) {
                return null;
            }
            if (paths[slot] == null) {
                paths[slot] = new IcrcPath(new Gid(high, low), own, port, IcrcPath.ROCE_PORT);
            } else {
                paths[slot].from(high, low, port);
            }
            highs[slot] = high;
            lows[slot] = low;
            ports[slot] = port;
        }
        return paths[slot];
    }
}
