package io.verbena.nic.link;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.OutgoingMessages;
import io.verbena.nic.os.UdpSocket;
import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.PacketView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.agrona.UnsafeApi;

/**
 * The packets that a {@link UdpLink} is about to send, sealed, in order. Packets of one length that follow each other
 * to one address make up a run, which leaves as one message and is cut by the system, if it can; a shorter one may end
 * the run. The identification of the IPv4 header that a packet gets is its place in its run.
 */
final class Outbox {
    /** The most packets. */
    static final int PACKETS = 64;

    private static final int ROOM_BYTES = Packet.ROOM_BYTES;
    /** What UDP carries at most over IPv4. */
    private static final int MAX_RUN_BYTES = 65_507;

    /** Who sends messages; UDP sockets do. */
    @FunctionalInterface
    interface Sender {
        /** As {@link UdpSocket#send}. */
        int send(OutgoingMessages messages, int first, int count);
    }

    private final Sender sender;
    private final LinkCounters counters;
    private final boolean cutting;
    private final long rooms;
    private final Icrc icrc;
    private final Damage damage;
    private final OutgoingMessages messages;
    private final OutgoingMessages single;

    private final int[] packetBytes = new int[PACKETS];
    /** Of each run: its path, its first packet, how many it has and the length of the first. */
    private final UdpPath[] paths = new UdpPath[PACKETS];
    private final int[] firsts = new int[PACKETS];
    private final int[] counts = new int[PACKETS];
    private final int[] lengths = new int[PACKETS];

    private int packets;
    private int runs;
    private int sentRuns;
    /** Bytes of the last run. */
    private int runBytes;
    /** Whether the last run takes more. */
    private boolean open;
    /** Whether the system took nothing more last time. */
    private volatile boolean refused;

    Outbox(Arena arena, Sender sender, LinkCounters counters, boolean cutting) {
        this.sender = sender;
        this.counters = counters;
        this.cutting = cutting;
        MemorySegment memory = arena.allocate((long) PACKETS * ROOM_BYTES, 64);
        rooms = memory.address();
        icrc = new Icrc(memory);
        damage = new Damage(icrc);
        messages = new OutgoingMessages(arena, PACKETS);
        single = new OutgoingMessages(arena, 1);
    }

    boolean isRefused() {
        return refused;
    }

    private long address(int packet) {
        return rooms + (long) packet * ROOM_BYTES;
    }

    long room() {
        if (packets == PACKETS) {
            flush();
            if (packets == PACKETS) {
                return 0;
            }
        }
        return address(packets);
    }

    void add(UdpPath path, int bytes) {
        int place = placeInRun(path, bytes + PacketView.ICRC_BYTES);
        int packet = packets++;
        long address = address(packet);
        int sealed = icrc.seal(path.icrc, address, bytes, path.ipv4 ? place : 0);
        messages.buffer(packet, address, sealed);
        packetBytes[packet] = sealed;
    }

    private int placeInRun(UdpPath path, int bytes) {
        int last = runs - 1;
        if (open && paths[last] == path && bytes <= lengths[last] && runBytes + bytes <= MAX_RUN_BYTES) {
            runBytes += bytes;
            open = bytes == lengths[last];
            return counts[last]++;
        }
        int run = runs++;
        paths[run] = path;
        firsts[run] = packets;
        counts[run] = 1;
        lengths[run] = bytes;
        path.address(messages, run);
        runBytes = bytes;
        open = cutting && path.cuts;
        return 0;
    }

    void damageLast(int bit) {
        int last = packets - 1;
        damage.flip(paths[runs - 1].icrc, address(last), packetBytes[last], bit);
    }

    void flush() {
        for (int run = sentRuns; run < runs; run++) {
            messages.holds(run, firsts[run], counts[run], lengths[run]);
        }
        while (sentRuns < runs) {
            int sent = sender.send(messages, sentRuns, runs - sentRuns);
            counters.add(LinkCounter.SEND_CALLS, 1);
            if (sent == -OsException.EAGAIN) {
                counters.add(LinkCounter.SENDS_REFUSED, 1);
                refused = true;
                return;
            }
            if (sent > 0) {
                count(sentRuns, sent);
                sentRuns += sent;
            } else if (sent != -OsException.EINTR) {
                failed(sentRuns++, -sent);
            }
        }
        packets = 0;
        runs = 0;
        sentRuns = 0;
        open = false;
        if (refused) {
            refused = false;
        }
    }

    private void count(int firstRun, int count) {
        int first = firsts[firstRun];
        int last = firstRun + count - 1;
        int end = firsts[last] + counts[last];
        long bytes = 0;
        for (int packet = first; packet < end; packet++) {
            bytes += packetBytes[packet];
        }
        counters.add(LinkCounter.PACKETS_SENT, end - first);
        counters.add(LinkCounter.BYTES_SENT, bytes);
    }

    /** Nobody there, no way, too long; or a run that can't be cut, whose packets go one by one. */
    private void failed(int run, int errno) {
        if (counts[run] == 1 || !isAboutCutting(errno)) {
            counters.add(LinkCounter.SEND_ERRORS, counts[run]);
            return;
        }
        UdpPath path = paths[run];
        for (int place = 0; place < counts[run]; place++) {
            int packet = firsts[run] + place;
            if (path.ipv4) {
                withoutIdentification(path, packet, place);
            }
            path.address(single, 0);
            single.buffer(0, address(packet), packetBytes[packet]);
            single.holds(0, 0, 1, packetBytes[packet]);
            counters.add(LinkCounter.SEND_CALLS, 1);
            if (sender.send(single, 0, 1) == 1) {
                path.cuts = false; // The packet was not to blame.
                counters.add(LinkCounter.PACKETS_SENT, 1);
                counters.add(LinkCounter.BYTES_SENT, packetBytes[packet]);
            } else {
                counters.add(LinkCounter.SEND_ERRORS, 1);
            }
        }
    }

    /** Whether it may be the device or the route that can't have a run; there, the system says no more than this. */
    private static boolean isAboutCutting(int errno) {
        return errno == OsException.EINVAL || errno == OsException.EIO || errno == OsException.EMSGSIZE
                || errno == OsException.EOPNOTSUPP;
    }

    /** Takes an identification out of a CRC, which keeps what is wrong with it. */
    private void withoutIdentification(UdpPath path, int packet, int identification) {
        long address = address(packet);
        int bytes = packetBytes[packet] - PacketView.ICRC_BYTES;
        int difference = icrc.compute(path.icrc, address, bytes, identification)
                ^ icrc.compute(path.icrc, address, bytes, 0);
        int value = UnsafeApi.getIntUnaligned(null, address + bytes, false);
        UnsafeApi.putIntUnaligned(null, address + bytes, value ^ difference, false);
    }
}
