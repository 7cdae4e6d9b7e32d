package io.verbena.rc;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
    /** How long packets are under way; the second of two by half as much longer. */
    long delayNs;
    private final PriorityQueue<Flight> underWay = new PriorityQueue<>();
    private int order;
    private int sentByA;
    private int sentByB;

    /** A packet under way; those of one time arrive as they were sent. */
    private record Flight(Packet packet, long at, int order) implements Comparable<Flight> {
        @Override
        public int compareTo(Flight other) {
            return at != other.at ? Long.signum(at - other.at) : Integer.compare(order, other.order);
        }
    }

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

    /** Lets both ends send what they have and delivers what arrives by now, until nothing does. */
    void settle() {
        for (int step = 0; step < MAX_STEPS; step++) {
            boolean any = send(a) | send(b);
            if (!underWay.isEmpty() && underWay.peek().at() - now <= 0) {
                deliver(underWay.poll().packet());
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

    /** Sets the clock to the next arrival or deadline, and lets it pass; false when there is none. */
    boolean jump() {
        LongStream deadlines = Stream.of(a, b).filter(node -> node.connection.hasDeadline())
                .mapToLong(node -> node.connection.nextDeadline());
        LongStream arrivals = underWay.stream().mapToLong(Flight::at);
        OptionalLong wait = LongStream.concat(deadlines, arrivals).map(at -> at - now).min();
        if (wait.isEmpty()) {
            return false;
        }
        now += Math.max(0, wait.getAsLong());
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
        underWay.add(new Flight(packet, now + delayNs, order++));
        if (doubled.test(packet)) {
            underWay.add(new Flight(packet, now + delayNs + delayNs / 2, order++));
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
