package io.verbena.sim;

import io.verbena.rc.CompletionSink;
import io.verbena.rc.Delivery;
import io.verbena.rc.SendSource;
import io.verbena.rc.Sge;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The sending end of an unreliable service: draws work, some of which cannot be sent, and checks that everything else
 * ends with success whatever the network does.
 */
final class UnreliableSender implements SendSource, CompletionSink {
    static final int QP = 0x11;
    static final int PEER = 0x22;
    static final int QKEY = 0x1234567;
    private static final int OWN_KEY = Integer.MIN_VALUE;
    private static final int WRONG_QKEY = QKEY + 1;
    private static final int BUFFERS = 2;

    final Memory memory;
    /** Every packet that was sent, by its number. */
    final List<Part> parts = new ArrayList<>();
    private final Scenario scenario;
    private final Service service;
    private final SplittableRandom random;
    private final Trace trace;
    private final Layout layout;
    private final Job[] jobs;
    private final boolean[] broken;
    private final long buffers;
    private Memory theirs;
    private long posted;
    private long ended;
    private int packetsOfNext;
    private boolean flushing;

    UnreliableSender(Arena arena, Scenario scenario, Service service, SplittableRandom random, Trace trace) {
        this.scenario = scenario;
        this.service = service;
        this.random = random;
        this.trace = trace;
        layout = new Layout(2 * scenario.load().depth(), scenario.load().maxLength() + UnreliableReceiver.HEADER);
        memory = new Memory(arena, layout, random, -1);
        jobs = new Job[layout.slots];
        broken = new boolean[layout.slots];
        buffers = arena.allocate((long) layout.slots * BUFFERS * Sge.BYTES, 8).address();
    }

    void join(Memory peer) {
        theirs = peer;
    }

    // Posting

    boolean isDone() {
        return ended == scenario.load().requests();
    }

    void post() {
        while (posted - ended < scenario.load().depth() && posted < scenario.load().requests()) {
            put(draw());
        }
    }

    private Job draw() {
        var kinds = scenario.load().kinds();
        var kind = kinds[random.nextInt(kinds.length)];
        int most = service == Service.UD ? Math.min(scenario.load().maxLength(), scenario.ends().mtu())
                : scenario.load().maxLength();
        int length = kind.isWicked() ? Math.min(8, most) : random.nextInt(most + 1);
        int qkey = random.nextInt(10) == 0 ? WRONG_QKEY : random.nextBoolean() ? QKEY : OWN_KEY;
        return new Job(posted, kind, length, random.nextInt(), qkey, 0, 0);
    }

    private void put(Job job) {
        int slot = slot(job.sequence());
        jobs[slot] = job;
        broken[slot] = scenario.load().wicked() && job.length() > 0 && random.nextInt(20) == 0;
        int at = layout.slot(layout.sources, job.sequence());
        Noise.put(noise(job), memory.segment, at, memory.shadow, job.length());
        int first = broken[slot] ? random.nextInt(job.length()) : random.nextInt(job.length() + 1);
        long entry = buffers(job.sequence());
        Sge.put(entry, at, first, memory.lkey);
        Sge.put(entry + Sge.BYTES, at + first, job.length() - first, broken[slot] ? ~memory.lkey : memory.lkey);
        posted++;
    }

    private int slot(long sequence) {
        return (int) (sequence % layout.slots);
    }

    private Job job(long sequence) {
        return jobs[slot(sequence)];
    }

    /** Which bytes a job sends. */
    long noise(Job job) {
        return (scenario.seed() << 20) + job.sequence();
    }

    /** Whether no receiver may take a datagram. */
    static boolean hasWrongKey(Job job) {
        return job.compareAdd() == WRONG_QKEY;
    }

    // Sending

    /** The request that the next packet belongs to; only before it is written. */
    Job next() {
        return job(ended);
    }

    /** A packet of a request was written. */
    void sent(Job job) {
        int mtu = scenario.ends().mtu();
        int count = service == Service.UD ? 1 : Math.max(1, (job.length() + mtu - 1) / mtu);
        parts.add(new Part(job, packetsOfNext, count));
        packetsOfNext = packetsOfNext + 1 == count ? 0 : packetsOfNext + 1;
    }

    /** The queue pair sends again after a failure. */
    void resumed() {
        flushing = false;
    }

    // Sink

    @Override
    public boolean sendEnded(long sequence, int code, long bytes) {
        if (sequence != ended || sequence >= posted) {
            throw new Violation("O1: request " + sequence + " ended, awaited was " + ended);
        }
        ended++;
        Job job = job(sequence);
        WcStatus status = WcStatus.ofCode(code);
        trace.note("a request " + sequence + " " + job.kind() + " of " + job.length() + " bytes: " + status);
        WcStatus due = flushing ? WcStatus.WR_FLUSH_ERR
                : broken[slot(sequence)] ? WcStatus.LOC_PROT_ERR : WcStatus.SUCCESS;
        if (status != due || due == WcStatus.SUCCESS && bytes != job.length()) {
            throw new Violation("O2: " + job + " ended as " + status + " with " + bytes + " bytes, not as " + due);
        }
        if (due == WcStatus.LOC_PROT_ERR) {
            flushing = true;
            packetsOfNext = 0;
        }
        return true;
    }

    @Override
    public boolean receiveEnded(long receive, int status, Delivery delivery) {
        throw new Violation("O1: a receive of the sender ended");
    }

    @Override
    public void failed(Kind kind) {
        if (kind != null || !flushing) {
            throw new Violation("O2: the sender failed by " + kind);
        }
    }

    @Override
    public void established() {}

    @Override
    public void drained() {}

    // SendSource

    @Override
    public long posted() {
        return posted;
    }

    @Override
    public int opcode(long sequence) {
        return job(sequence).kind().opcode().code();
    }

    @Override
    public int flags(long sequence) {
        return SendFlags.SIGNALED | (isSolicited(job(sequence)) ? SendFlags.SOLICITED : 0);
    }

    /** Whether a job wakes who waits for solicited completions. */
    static boolean isSolicited(Job job) {
        return (job.imm() & 1) != 0;
    }

    @Override
    public long remoteAddress(long sequence) {
        if (service == Service.UD) {
            return PEER;
        }
        Job job = job(sequence);
        return switch (job.kind()) {
            case ONE_BEYOND -> Memory.TARGETS + layout.targetBytes() - job.length() + 1;
            case ONE_BEFORE -> Memory.TARGETS - 1;
            default -> Memory.TARGETS + layout.slot(0, sequence);
        };
    }

    @Override
    public int rkey(long sequence) {
        Job job = job(sequence);
        if (service == Service.UD) {
            return (int) job.compareAdd();
        }
        return switch (job.kind()) {
            case WRONG_DOMAIN -> theirs.foreignKey;
            case WRONG_RIGHT -> theirs.constantKey;
            default -> theirs.targetKey;
        };
    }

    @Override
    public long compareAdd(long sequence) {
        return 0;
    }

    @Override
    public long swap(long sequence) {
        return 0;
    }

    @Override
    public int imm(long sequence) {
        return job(sequence).imm();
    }

    @Override
    public int bufferCount(long sequence) {
        return BUFFERS;
    }

    @Override
    public long buffers(long sequence) {
        return buffers + (long) slot(sequence) * BUFFERS * Sge.BYTES;
    }

    @Override
    public int inlineLength(long sequence) {
        return 0;
    }

    @Override
    public int executeLocal(long sequence) {
        throw new Violation("O1: nothing local was posted");
    }
}
