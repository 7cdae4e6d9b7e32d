package io.verbena.sim;

import io.verbena.rc.SendSource;
import io.verbena.rc.Sge;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** The send queue of an end: draws work, and knows what each must have done when it ends. */
final class Work implements SendSource {
    private static final int MAX_BUFFERS = 3;

    private final End owner;
    private final Memory memory;
    private final Layout layout;
    private final boolean first;
    private final SplittableRandom random;
    private final Job[] jobs;
    private final int[] counts;
    private final boolean[] tooLate;
    private final long[] messageNumbers;
    private final long buffers;
    private long limit;
    private long posted;
    private long ended;
    private long messages;
    private long counterAfterPosted;
    private long counterAfterEnded;
    private int fencedLength = -1;

    Work(Arena arena, End owner, boolean first, SplittableRandom random) {
        this.owner = owner;
        this.first = first;
        this.random = random;
        memory = owner.memory;
        layout = memory.layout;
        jobs = new Job[layout.slots];
        counts = new int[layout.slots];
        tooLate = new boolean[layout.slots];
        messageNumbers = new long[layout.slots];
        buffers = arena.allocate((long) layout.slots * MAX_BUFFERS * Sge.BYTES, 8).address();
        // In the small model one end only has work.
        limit = owner.scenario.seed() < 0 && !first ? 0 : owner.scenario.load().requests();
    }

    // Posting

    void limit(long most) {
        limit = Math.min(limit, most);
    }

    boolean isDone() {
        return ended == limit;
    }

    long ended() {
        return ended;
    }

    /** Messages posted. */
    long messages() {
        return messages;
    }

    void post() {
        while (posted - ended < owner.scenario.load().depth() && posted < limit) {
            Kind kind = draw();
            int length = length(kind);
            boolean swaps = kind == Kind.COMPARE_SWAP;
            long compare = swaps && random.nextBoolean() ? counterAfterPosted : random.nextLong();
            put(new Job(posted, kind, length, random.nextInt(), compare, random.nextLong(), counterAfterPosted));
        }
    }

    private Kind draw() {
        Scenario.Load load = owner.scenario.load();
        if (load.wicked() && first && posted == limit - 1) {
            Kind[] all = Kind.values();
            return all[Kind.WRONG_DOMAIN.ordinal() + random.nextInt(all.length - Kind.WRONG_DOMAIN.ordinal())];
        }
        if (fencedLength >= 0) {
            return Kind.FENCED_SEND;
        }
        Kind kind = load.kinds()[random.nextInt(load.kinds().length)];
        // What a fenced message sends is fetched first.
        return kind == Kind.FENCED_SEND ? Kind.READ : kind;
    }

    private int length(Kind kind) {
        if (kind == Kind.FENCED_SEND) {
            int fetched = fencedLength;
            fencedLength = -1;
            return fetched;
        }
        if (kind.isAtomic() || kind == Kind.ATOMIC_WRITE || kind.isWicked()) {
            return Math.min(8, layout.stride - Layout.GUARD);
        }
        int length = owner.scenario.seed() < 0 ? layout.maxLength : random.nextInt(layout.maxLength + 1);
        if (kind == Kind.READ && wantsFence()) {
            fencedLength = length;
        }
        return length;
    }

    private boolean wantsFence() {
        for (Kind kind : owner.scenario.load().kinds()) {
            if (kind == Kind.FENCED_SEND) {
                return posted + 1 < limit - 1 && random.nextBoolean();
            }
        }
        return false;
    }

    private void put(Job job) {
        int slot = (int) (posted % layout.slots);
        jobs[slot] = job;
        tooLate[slot] = owner.peer().memory.isRevoked();
        messageNumbers[slot] = messages;
        int at = localAt(job);
        if (job.kind().isMessage() || job.kind().isWrite() || job.kind().isWicked()) {
            if (job.kind() != Kind.FENCED_SEND) {
                Noise.put(noise(job), memory.segment, at, memory.shadow, job.length());
            }
        }
        describe(slot, at, job);
        counterAfterPosted = job.after();
        posted++;
        if (job.kind().isMessage()) {
            messages++;
            owner.peer().receives.await(job);
        }
    }

    /** Where the local bytes of a job are. */
    private int localAt(Job job) {
        Kind kind = job.kind();
        boolean result = kind == Kind.READ || kind.isAtomic() || kind == Kind.NO_KEY;
        if (kind == Kind.FENCED_SEND) {
            return layout.slot(layout.results, job.sequence() - 1);
        }
        return layout.slot(result ? layout.results : layout.sources, job.sequence());
    }

    private void describe(int slot, int at, Job job) {
        int count = job.kind().isAtomic() || job.kind() == Kind.ATOMIC_WRITE ? 1 : 1 + random.nextInt(MAX_BUFFERS);
        counts[slot] = count;
        int done = 0;
        for (int i = 0; i < count; i++) {
            int part = i == count - 1 ? job.length() - done : random.nextInt(job.length() - done + 1);
            Sge.put(buffers((long) slot) + (long) i * Sge.BYTES, at + done, part, memory.lkey);
            done += part;
        }
    }

    /** Which bytes a job sends. */
    long noise(Job job) {
        if (job.kind() == Kind.FENCED_SEND) {
            return End.readableNoise(owner.scenario.seed(), !first);
        }
        return (owner.scenario.seed() << 20) + (job.sequence() << 1) + (first ? 1 : 0);
    }

    // Ending

    Job end(long sequence) {
        if (sequence != ended || sequence >= posted) {
            throw new Violation("O1: request " + sequence + " of " + owner.name + " ended, awaited was " + ended);
        }
        ended++;
        return job(sequence);
    }

    private Job job(long sequence) {
        return jobs[(int) (sequence % layout.slots)];
    }

    void checkSuccess(Job job, long bytes) {
        Kind kind = job.kind();
        if (kind.isWicked()) {
            throw new Violation("O3: " + job + " of " + owner.name + " was not refused");
        }
        if (bytes != job.length()) {
            throw new Violation("O2: " + job + " of " + owner.name + " reports " + bytes + " bytes");
        }
        boolean remote = kind.isWrite() || kind == Kind.READ || kind.isAtomic();
        if (remote && job.length() > 0 && tooLate[(int) (job.sequence() % layout.slots)]) {
            throw new Violation("O4: " + job + " of " + owner.name + " used memory that had been taken back");
        }
        if (kind.isWrite()) {
            checkTarget(job);
            target(job, true);
        } else if (kind == Kind.READ) {
            checkRead(job);
        } else if (kind.isAtomic()) {
            checkAtomic(job);
        }
        if (kind.isMessage() && owner.peer().receives.arrived()
                <= messageNumbers[(int) (job.sequence() % layout.slots)]) {
            throw new Violation("O2: " + job + " of " + owner.name + " succeeded but has not arrived");
        }
    }

    private void checkTarget(Job job) {
        Memory theirs = owner.peer().memory;
        int at = layout.slot(layout.targets, job.sequence());
        if (!Noise.isAt(noise(job), theirs.segment, at, job.length())) {
            throw new Violation("O2: " + job + " of " + owner.name + " is not in the peer's memory");
        }
        theirs.checkGuard(at, job + " of " + owner.name);
    }

    /** The peer's memory must hold what a write wrote, or may hold anything. */
    private void target(Job job, boolean known) {
        Memory theirs = owner.peer().memory;
        int at = layout.slot(layout.targets, job.sequence());
        if (known) {
            Noise.remember(noise(job), at, theirs.shadow, job.length());
            theirs.know(at, job.length());
        } else {
            theirs.forget(at, job.length());
        }
    }

    private void checkRead(Job job) {
        int at = layout.slot(layout.results, job.sequence());
        long noise = End.readableNoise(owner.scenario.seed(), !first);
        if (!Noise.isAt(noise, memory.segment, at, job.length())) {
            throw new Violation("O2: " + job + " of " + owner.name + " fetched other bytes");
        }
        Noise.remember(noise, at, memory.shadow, job.length());
        memory.checkGuard(at, job + " of " + owner.name);
    }

    private void checkAtomic(Job job) {
        int at = layout.slot(layout.results, job.sequence());
        long result = memory.segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        if (result != job.before()) {
            throw new Violation("O5: " + job + " of " + owner.name + " found " + result);
        }
        for (int i = 0; i < Long.BYTES; i++) {
            memory.shadow[at + i] = memory.segment.get(ValueLayout.JAVA_BYTE, at + i);
        }
        counterAfterEnded = job.after();
    }

    /** All writes before a message are in memory when it arrives. */
    void checkWritesBefore(Job message) {
        for (long sequence = ended; sequence <= message.sequence(); sequence++) {
            if (job(sequence).kind().isWrite()) {
                checkTarget(job(sequence));
            }
        }
    }

    void checkFailure(Job job, WcStatus status, boolean flushing) {
        forget(job);
        Scenario scenario = owner.scenario;
        Memory theirs = owner.peer().memory;
        boolean remote = job.kind().isWrite() || job.kind() == Kind.READ || job.kind().isAtomic();
        boolean legal = switch (status) {
            case WR_FLUSH_ERR -> flushing;
            case REM_ACCESS_ERR -> !flushing && (job.kind().isWicked() || remote && theirs.isRevoked());
            case RETRY_EXC_ERR -> !flushing
                    && (scenario.mayRunOutOfTries() || owner.peer().isFailed() || owner.peer().isCrashed());
            case RNR_RETRY_EXC_ERR -> !flushing && job.kind().isMessage()
                    && scenario.ends().requesting().rnrRetry() < 7;
            default -> false;
        };
        if (!legal) {
            throw new Violation("O2: " + job + " of " + owner.name + " ended as " + status);
        }
    }

    private void forget(Job job) {
        if (job.kind().isWrite()) {
            target(job, false);
        } else if (job.kind() == Kind.READ) {
            memory.forget(layout.slot(layout.results, job.sequence()), job.length());
        } else if (job.kind().isAtomic()) {
            memory.forget(layout.slot(layout.results, job.sequence()), Long.BYTES);
        }
    }

    /**
     * At the end of a run: what has not ended may have been done or not; the counter is one of those it went through.
     */
    void forgetUnfinished() {
        long counter = owner.peer().memory.counter();
        long expected = counterAfterEnded;
        boolean found = counter == expected;
        for (long sequence = Math.max(0, posted - layout.slots); sequence < posted; sequence++) {
            Job job = job(sequence);
            found |= job.kind().isAtomic() && job.after() == counter;
            if (sequence >= ended) {
                forget(job);
            }
        }
        if (!found) {
            throw new Violation("O5: the counter of " + owner.peer().name + " is " + counter + ", not " + expected);
        }
        owner.peer().memory.forget(layout.counter, Long.BYTES);
    }

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
        return SendFlags.SIGNALED | (job(sequence).kind() == Kind.FENCED_SEND ? SendFlags.FENCE : 0);
    }

    @Override
    public long remoteAddress(long sequence) {
        Job job = job(sequence);
        return switch (job.kind()) {
            case READ, NO_KEY -> Memory.READABLE;
            case FETCH_ADD, COMPARE_SWAP -> Memory.COUNTER;
            case ONE_BEYOND -> Memory.TARGETS + layout.targetBytes() - job.length() + 1;
            case ONE_BEFORE -> Memory.TARGETS - 1;
            default -> Memory.TARGETS + layout.slot(0, sequence);
        };
    }

    @Override
    public int rkey(long sequence) {
        Memory theirs = owner.peer().memory;
        return switch (job(sequence).kind()) {
            case READ -> theirs.readKey;
            case FETCH_ADD, COMPARE_SWAP -> theirs.counterKey;
            case WRONG_DOMAIN -> theirs.foreignKey;
            case WRONG_RIGHT -> theirs.constantKey;
            case NO_KEY -> theirs.readKey ^ 1 << 20;
            default -> theirs.targetKey;
        };
    }

    @Override
    public long compareAdd(long sequence) {
        return job(sequence).compareAdd();
    }

    @Override
    public long swap(long sequence) {
        return job(sequence).swap();
    }

    @Override
    public int imm(long sequence) {
        return job(sequence).imm();
    }

    @Override
    public int bufferCount(long sequence) {
        return counts[(int) (sequence % layout.slots)];
    }

    @Override
    public long buffers(long sequence) {
        return buffers + sequence % layout.slots * MAX_BUFFERS * Sge.BYTES;
    }

    @Override
    public int inlineLength(long sequence) {
        return 0;
    }

    @Override
    public int executeLocal(long sequence) {
        return 0;
    }
}
