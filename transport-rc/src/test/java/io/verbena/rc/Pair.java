package io.verbena.rc;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Two connected ends, one clock and a wire that does what the test says. {@link #run} goes on until nothing happens any
 * more; when no packet is under way the clock jumps to the next deadline.
 */
final class Pair implements AutoCloseable {
    private static final int MAX_STEPS = 100_000;

    final Node a = new Node("a", 0x11);
    final Node b = new Node("b", 0x22);
    /** Every packet that was sent. */
    final List<Packet> wire = new ArrayList<>();
    /** What became of packets that arrived. */
    final List<Verdict> verdicts = new ArrayList<>();
    int mtu = 256;
    int psnA = 0xFFFFFE;
    int psnB = 0x000100;
    Requesting requesting = new Requesting(0, 1_000_000, 3, 3, 4, 64, false);
    Responding responding = new Responding(Node.ALL, 4, 12, 0, 1, false);
    long now = Long.MAX_VALUE - 500_000;
    Predicate<Packet> lost = packet -> false;
    Predicate<Packet> doubled = packet -> false;
    UnaryOperator<Packet> changed = packet -> packet;
    private final ArrayDeque<Packet> underWay = new ArrayDeque<>();
    private int sentByA;
    private int sentByB;

    /** Connects with what was set so far; both ends can send. */
    Pair connect() {
        a.connection = make(a, b, psnB);
        b.connection = make(b, a, psnA);
        a.connection.startSending(with(psnA), 0);
        b.connection.startSending(with(psnB), 0);
        return this;
    }

    private RcConnection make(Node own, Node peer, int psn) {
        return new RcConnection(new ConnectionConfig(own.qpNum, peer.qpNum, mtu, psn, responding), own.host());
    }

    private Requesting with(int psn) {
        return new Requesting(psn, requesting.ackTimeoutNs(), requesting.retryCount(), requesting.rnrRetry(),
                requesting.maxReads(), requesting.windowPackets(), requesting.heedsCredits());
    }

    /** Lets both ends send what they have and delivers it, until nothing is under way. */
    void settle() {
        for (int step = 0; step < MAX_STEPS; step++) {
            boolean any = send(a) | send(b);
            Packet packet = underWay.poll();
            if (packet != null) {
                deliver(packet);
            } else if (!any) {
                return;
            }
        }
        throw new AssertionError("no end: " + wire.subList(wire.size() - 20, wire.size()));
    }

    /** Goes on, over deadlines too, until nothing happens any more. */
    void run() {
        for (int step = 0; step < MAX_STEPS; step++) {
            settle();
            if (!jump()) {
                return;
            }
        }
        throw new AssertionError("deadlines without end");
    }

    /** Sets the clock to the next deadline, and lets it pass; false when there is none. */
    boolean jump() {
        boolean forA = a.connection.hasDeadline();
        boolean forB = b.connection.hasDeadline();
        if (!forA && !forB) {
            return false;
        }
        long first = forA ? a.connection.nextDeadline() : b.connection.nextDeadline();
        if (forA && forB && b.connection.nextDeadline() - first < 0) {
            first = b.connection.nextDeadline();
        }
        now = first - now > 0 ? first : now;
        a.connection.onTimeout(now);
        b.connection.onTimeout(now);
        return true;
    }

    private boolean send(Node node) {
        node.connection.onWork(now);
        boolean any = false;
        long address = node.packetMemory.address();
        node.writer.wrap(address, PacketView.MAX_BYTES);
        while (node.connection.nextPacket(node.writer, now)) {
            byte[] bytes = node.packetMemory.asSlice(0, node.writer.length() + 4L).toArray(ValueLayout.JAVA_BYTE);
            int number = node == a ? sentByA++ : sentByB++;
            put(new Packet(number, node == a ? b : a, bytes));
            any = true;
        }
        return any;
    }

    private void put(Packet packet) {
        wire.add(packet);
        if (lost.test(packet)) {
            return;
        }
        underWay.add(packet);
        if (doubled.test(packet)) {
            underWay.add(packet);
        }
    }

    /** Hands a packet to its receiver, as the wire changes it. */
    Verdict deliver(Packet packet) {
        Packet arriving = changed.apply(packet);
        Node to = packet.to();
        MemorySegment at = to.packetMemory.asSlice(PacketView.MAX_BYTES, arriving.bytes().length);
        MemorySegment.copy(arriving.bytes(), 0, at, ValueLayout.JAVA_BYTE, 0, arriving.bytes().length);
        Verdict verdict = to.view.wrap(at.address(), arriving.bytes().length);
        if (verdict == Verdict.ACCEPTED) {
            verdict = to.connection.onPacket(to.view, now);
        }
        verdicts.add(verdict);
        return verdict;
    }

    /** Packets of one kind that were sent. */
    List<Packet> sent(Predicate<Packet> kind) {
        return wire.stream().filter(kind).toList();
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
