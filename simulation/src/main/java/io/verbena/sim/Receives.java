package io.verbena.sim;

import io.verbena.rc.Delivery;
import io.verbena.rc.ReceiveSource;
import io.verbena.rc.Sge;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcOpcode;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;

/** The receives of an end, and what must have arrived when one ends. */
final class Receives implements ReceiveSource {
    private final End owner;
    private final Memory memory;
    private final Layout layout;
    private final long buffers;
    /** Messages of the peer that have not arrived, oldest first. */
    private final ArrayDeque<Job> awaited = new ArrayDeque<>();
    private long posted;
    private long taken;
    private long ended;
    private long arrived;

    Receives(Arena arena, End owner) {
        this.owner = owner;
        memory = owner.memory;
        layout = memory.layout;
        buffers = arena.allocate((long) layout.slots * Sge.BYTES, 8).address();
    }

    /** Posts what there is room for: all that is wanted when the network has healed, before that a share of it. */
    void post(boolean healed, long messages) {
        Scenario.Load load = owner.scenario.load();
        long wanted = healed ? Long.MAX_VALUE : (long) Math.ceil(messages * load.receiveShare());
        if (load.receiveShare() >= 1) {
            wanted = Long.MAX_VALUE;
        }
        while (posted - ended < load.depth() && posted < wanted) {
            Sge.put(entry(posted), layout.slot(layout.receives, posted), layout.maxLength, memory.lkey);
            posted++;
        }
    }

    private long entry(long receive) {
        return buffers + receive % layout.slots * Sge.BYTES;
    }

    /** The peer has posted a message. */
    void await(Job job) {
        awaited.add(job);
    }

    /** Messages that have arrived. */
    long arrived() {
        return arrived;
    }

    @Override
    public boolean hasReceive() {
        return taken < posted;
    }

    @Override
    public long takeFitting(long bytes) {
        return take();
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
        return layout.maxLength;
    }

    @Override
    public int bufferCount(long receive) {
        return 1;
    }

    @Override
    public long buffers(long receive) {
        return entry(receive);
    }

    void end(long receive) {
        if (receive != ended || receive >= taken) {
            throw new Violation("O1: receive " + receive + " of " + owner.name + " ended, awaited was " + ended);
        }
        ended++;
    }

    /** What a receive reports is the oldest message that has not arrived, whole. */
    void checkDelivery(long receive, Delivery delivery, Work sender) {
        Job job = awaited.poll();
        arrived++;
        if (job == null) {
            throw new Violation("O2: " + owner.name + " received what nobody sent");
        }
        boolean write = job.kind() == Kind.WRITE_IMM;
        boolean imm = write || job.kind() == Kind.SEND_IMM;
        int opcode = write ? WcOpcode.RECV_RDMA_WITH_IMM.code() : WcOpcode.RECV.code();
        if (delivery.opcode() != opcode || delivery.bytes() != job.length()
                || delivery.flags() != (imm ? WcFlags.WITH_IMM : 0) || imm && delivery.imm() != job.imm()) {
            throw new Violation("O2: receive " + receive + " of " + owner.name + " reports opcode " + delivery.opcode()
                    + ", " + delivery.bytes() + " bytes, imm " + delivery.imm() + " for " + job);
        }
        sender.checkWritesBefore(job);
        int at = layout.slot(layout.receives, receive);
        if (write) {
            return;
        }
        long noise = sender.noise(job);
        if (!Noise.isAt(noise, memory.segment, at, job.length())) {
            throw new Violation("O2: receive " + receive + " of " + owner.name + " has other bytes than " + job);
        }
        Noise.remember(noise, at, memory.shadow, job.length());
        memory.checkGuard(at, "receive " + receive + " of " + owner.name);
    }

    void forget(long receive) {
        memory.forget(layout.slot(layout.receives, receive), layout.maxLength);
    }

    void forgetUnfinished() {
        for (long receive = ended; receive < taken; receive++) {
            forget(receive);
        }
    }
}
