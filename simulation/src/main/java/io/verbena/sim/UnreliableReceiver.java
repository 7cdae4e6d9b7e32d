package io.verbena.sim;

import io.verbena.rc.CompletionSink;
import io.verbena.rc.Delivery;
import io.verbena.rc.ReceiveSource;
import io.verbena.rc.Sge;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * The receiving end of an unreliable service. Knows of each packet that arrives what must become of it: placed or not,
 * and which message it completes; the memory's shadow follows packet by packet.
 */
final class UnreliableReceiver implements ReceiveSource, CompletionSink {
    /** Bytes before a datagram. */
    static final int HEADER = 40;
    private static final long HEADER_NOISE = -7;
    /** A message that starts so few packets back comes too late. */
    private static final int LATE = 4096;

    final Memory memory;
    final MemorySegment header;
    private final Scenario scenario;
    private final Service service;
    private final UnreliableSender sender;
    private final SplittableRandom random;
    private final Trace trace;
    private final Layout layout;
    private final int[] capacity;
    private final long buffers;
    private long posted;
    private long taken;
    private long ended;
    /** Messages placed whole that told nobody, and messages reported. */
    private long arrived;
    /** The packet after the last one that was placed, and the message it belongs to if all of it has come so far. */
    private long following;
    private Job current;
    private Job due;

    UnreliableReceiver(Arena arena, Scenario scenario, Service service, UnreliableSender sender,
            SplittableRandom random, Trace trace) {
        this.scenario = scenario;
        this.service = service;
        this.sender = sender;
        this.random = random;
        this.trace = trace;
        layout = sender.memory.layout;
        memory = new Memory(arena, layout, random, -2);
        capacity = new int[layout.slots];
        buffers = arena.allocate((long) layout.slots * Sge.BYTES, 8).address();
        header = arena.allocate(HEADER);
        Noise.put(HEADER_NOISE, header, 0, new byte[HEADER], HEADER);
    }

    /** Posts some receives, a few of them short. */
    void post() {
        while (posted - ended < scenario.load().depth() && random.nextDouble() < scenario.load().receiveShare()) {
            int most = layout.maxLength;
            // A datagram that is too long leaves the receive where it is, in the way of others.
            boolean isShort = scenario.load().wicked() && random.nextInt(service == Service.UD ? 100 : 5) == 0;
            capacity[slot(posted)] = isShort ? random.nextInt(most + 1) : most;
            Sge.put(buffers(posted), layout.slot(layout.receives, posted), capacity[slot(posted)], memory.lkey);
            posted++;
        }
    }

    private int slot(long receive) {
        return (int) (receive % layout.slots);
    }

    /** Messages that arrived whole, datagrams as often as they did. */
    long arrived() {
        return arrived;
    }

    // What must become of packets

    /** A packet is about to arrive; returns whether it must be placed. Then {@link #checkTaken} checks. */
    boolean expect(long number) {
        Part part = sender.parts.get((int) number);
        due = null;
        if (service == Service.UD) {
            return expectDatagram(part.job());
        }
        boolean late = number < following && number >= following - LATE;
        if (late || number != following && !part.isFirst()) {
            return false;
        }
        if (part.isFirst()) {
            current = part.job();
        }
        if (current == null || !isServed(part)) {
            current = null;
            return false;
        }
        following = number + 1;
        remember(part);
        if (part.isLast()) {
            due = current.kind().isMessage() ? current : null;
            arrived += due == null ? 1 : 0;
            current = null;
        }
        return true;
    }

    private boolean expectDatagram(Job job) {
        boolean placed = !UnreliableSender.hasWrongKey(job) && taken < posted
                && HEADER + job.length() <= capacity[slot(taken)];
        if (placed) {
            int at = layout.slot(layout.receives, taken);
            Noise.remember(HEADER_NOISE, at, memory.shadow, HEADER);
            Noise.remember(sender.noise(job), at + HEADER, memory.shadow, job.length());
            due = job;
        }
        return placed;
    }

    /** Whether there is a receive, and room and rights, for the next packet of a message. */
    private boolean isServed(Part part) {
        Job job = part.job();
        boolean hasReceive = ended < taken || taken < posted;
        if (!job.kind().isWrite() && !job.kind().isWicked()) {
            return hasReceive && end(part) <= capacity[slot(ended)];
        }
        boolean allowed = job.length() == 0 || !job.kind().isWicked() && !memory.isRevoked();
        boolean wantsReceive = job.kind() == io.verbena.sim.Kind.WRITE_IMM && part.isLast();
        return allowed && (hasReceive || !wantsReceive);
    }

    /** Bytes of a message up to the end of a packet. */
    private int end(Part part) {
        return Math.min(part.job().length(), (part.index() + 1) * scenario.ends().mtu());
    }

    private int place(Job job) {
        return job.kind().isWrite() ? layout.slot(layout.targets, job.sequence())
                : layout.slot(layout.receives, ended);
    }

    private void remember(Part part) {
        Noise.remember(sender.noise(part.job()), place(part.job()), memory.shadow, end(part));
    }

    /** After a packet: it was placed as it must be, and what it completes has been reported. */
    void checkTaken(long number, boolean expected, boolean wasTaken) {
        Job job = sender.parts.get((int) number).job();
        if (expected != wasTaken) {
            throw new Violation("O2: packet " + number + " of " + job + (wasTaken ? " was taken" : " was dropped"));
        }
        if (due != null) {
            throw new Violation("O2: " + job + " arrived and was not reported");
        }
    }

    // ReceiveSource

    @Override
    public boolean hasReceive() {
        return taken < posted;
    }

    @Override
    public long takeFitting(long bytes) {
        return !hasReceive() ? NONE : totalBytes(taken) < bytes ? TOO_SHORT : taken++;
    }

    @Override
    public long take() {
        return hasReceive() ? taken++ : NONE;
    }

    @Override
    public long available() {
        return posted - taken;
    }

    @Override
    public long totalBytes(long receive) {
        return capacity[slot(receive)];
    }

    @Override
    public int bufferCount(long receive) {
        return 1;
    }

    @Override
    public long buffers(long receive) {
        return buffers + (long) slot(receive) * Sge.BYTES;
    }

    // Sink

    @Override
    public boolean receiveEnded(long receive, int code, Delivery delivery) {
        WcStatus status = WcStatus.ofCode(code);
        trace.note("b receive " + receive + ": " + status);
        if (receive != ended || receive >= taken || status != WcStatus.SUCCESS || due == null) {
            throw new Violation("O1: receive " + receive + " ended as " + status + ", awaited was " + ended + " for "
                    + due);
        }
        Job job = due;
        boolean write = job.kind() == io.verbena.sim.Kind.WRITE_IMM;
        boolean imm = write || job.kind() == io.verbena.sim.Kind.SEND_IMM;
        boolean datagram = service == Service.UD;
        int flags = (imm ? WcFlags.WITH_IMM : 0) | (datagram ? WcFlags.GRH : 0);
        if (delivery.opcode() != (write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV).code()
                || delivery.bytes() != job.length() + (datagram ? HEADER : 0) || delivery.flags() != flags
                || imm && delivery.imm() != job.imm() || datagram && delivery.sourceQp() != UnreliableSender.QP
                || delivery.isSolicited() != UnreliableSender.isSolicited(job)) {
            throw new Violation("O2: receive " + receive + " reports opcode " + delivery.opcode() + ", "
                    + delivery.bytes() + " bytes, flags " + delivery.flags() + ", imm " + delivery.imm() + " for "
                    + job);
        }
        int at = place(job) + (datagram ? HEADER : 0);
        boolean whole = Noise.isAt(sender.noise(job), memory.segment, at, job.length())
                && (!datagram || Noise.isAt(HEADER_NOISE, memory.segment, at - HEADER, HEADER));
        if (!whole) {
            throw new Violation("O2: receive " + receive + " has other bytes than " + job);
        }
        ended++;
        arrived++;
        due = null;
        return true;
    }

    @Override
    public boolean sendEnded(long sequence, int status, long bytes) {
        throw new Violation("O1: a request of the receiver ended");
    }

    @Override
    public void failed(Kind kind) {
        throw new Violation("O2: the receiver failed by " + kind);
    }

    @Override
    public void established() {}

    @Override
    public void drained() {}
}
