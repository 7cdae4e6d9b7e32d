package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions that go while peers hammer them: once close has returned, no byte of the memory is touched. */
@DisplayName("C33 deregistration in a storm")
@Timeout(120)
class DeregisterStormC33Test extends FixtureTest {
    private static final int LARGE = 16 << 20;
    private static final int STORMS = 2;
    private static final int RECEIVES = 1000;
    private static final long BEFORE = 1;
    private static final long POISON = 666;
    private static final long SHORT_NANOS = 300_000_000;
    private static final long LONG_NANOS = 4_000_000_000L;

    private final Random random = new Random(33);

    /** What the storm consists of. */
    enum Op {
        /** Short writes. */
        WRITE(64, WcStatus.REM_ACCESS_ERR),
        /** Writes so long that deregistration meets them halfway. */
        LARGE_WRITE(LARGE, WcStatus.REM_ACCESS_ERR),
        /** Short reads. */
        READ(64, WcStatus.REM_ACCESS_ERR),
        /** Long reads. */
        LARGE_READ(LARGE, WcStatus.REM_ACCESS_ERR),
        /** Atomics. */
        ADD(8, WcStatus.REM_ACCESS_ERR),
        /** Messages into receive buffers. */
        SEND(4000, WcStatus.REM_OP_ERR);

        private final int bytes;
        private final WcStatus end;

        Op(int bytes, WcStatus end) {
            this.bytes = bytes;
            this.end = end;
        }
    }

    /**
     * One case.
     *
     * @param op of the storm
     * @param kind of the memory that goes
     */
    record Case(Op op, MemoryKind kind) {}

    static Stream<Case> cases() {
        return Arrays.stream(Op.values())
                .flatMap(op -> Stream.of(MemoryKind.DEVICE, MemoryKind.SHARED).map(kind -> new Case(op, kind)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void poisonedMemoryOfThePeerStaysPoisoned(Case c) {
        repeatRemote(c, SHORT_NANOS);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("ci")
    void poisonedMemoryOfThePeerStaysPoisonedForLong(Case c) {
        repeatRemote(c, LONG_NANOS);
    }

    private void repeatRemote(Case c, long nanos) {
        List<Pair> pairs = pairs();
        List<Buffer> sources = new ArrayList<>();
        for (int i = 0; i < STORMS; i++) {
            sources.add(fixture.local(c.op().bytes, MemoryKind.DEVICE));
        }
        RemoteBuffer target = fixture.remote(c.op().bytes, c.kind());
        long start = System.nanoTime();
        do {
            remoteRound(c.op(), pairs, sources, target);
            pairs.forEach(Pair::reconnect);
        } while (System.nanoTime() - start < nanos);
    }

    private List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < STORMS; i++) {
            PairSpec spec = new PairSpec();
            spec.b().depth(16, RECEIVES).cqe(16, 2 * RECEIVES);
            pairs.add(fixture.connected(spec));
        }
        return pairs;
    }

    private void remoteRound(Op op, List<Pair> pairs, List<Buffer> sources, RemoteBuffer memory) {
        memory.fill(BEFORE);
        RemoteBuffer target = memory.again(PeerCommand.DOMAIN, 0, op.bytes, Fixture.ALL_ACCESS);
        if (op == Op.SEND) {
            pairs.forEach(pair -> postReceives(pair, target));
        }
        Progress progress = new Progress(op == Op.SEND ? RECEIVES - 1 : Integer.MAX_VALUE);
        List<FutureTask<WcStatus>> storms = new ArrayList<>();
        try (Threads threads = new Threads()) {
            for (int i = 0; i < STORMS; i++) {
                QueuePair qp = pairs.get(i).qp();
                Pair pair = pairs.get(i);
                Buffer source = sources.get(i).fill(BEFORE);
                storms.add(threads.start("storm" + i, () -> storm(pair, () -> post(op, qp, source, target), progress)));
            }
            progress.await(op.bytes == LARGE ? random.nextInt(3) : random.nextInt(300));
            fixture.b().execute(new PeerCommand.Sequence(new ArrayList<>(List.of(
                    new PeerCommand.Destroy(target.region().handle()),
                    new PeerCommand.Fill(target.memory(), 0, op.bytes, POISON)))));
            progress.limit = Integer.MAX_VALUE;
            target.check(0, op.bytes, POISON, "at once after deregistration");
        }
        target.check(0, op.bytes, POISON, "after the storm");
        storms.forEach(storm -> assertEquals(op.end, Threads.join(storm)));
        if (op == Op.READ || op == Op.LARGE_READ) {
            sources.forEach(source -> source.check(0, op.bytes, BEFORE, "read after deregistration"));
        }
        pairs.forEach(pair -> fixture.b().execute(new PeerCommand.Poll(pair.remoteRecvCq(), 2 * RECEIVES, 0)));
    }

    /** How far storms have come, and how far each may go. */
    private static final class Progress {
        private final AtomicLong done = new AtomicLong();
        private volatile int limit;

        Progress(int limit) {
            this.limit = limit;
        }

        void await(long enough) {
            assertTrue(Waiting.until(() -> done.get() >= enough, Waiting.LIMIT_NANOS), "only " + done + " done");
        }
    }

    private static void postReceives(Pair pair, RemoteBuffer target) {
        WorkSpec[] receives = new WorkSpec[RECEIVES];
        Arrays.setAll(receives,
                i -> WorkSpec.receive(i).sge(target.address(), target.length(), target.lkey()));
        pair.postRemoteReceive(receives);
    }

    private static int post(Op op, QueuePair qp, Buffer local, RemoteBuffer remote) {
        int flags = SendFlags.SIGNALED;
        return switch (op) {
            case WRITE, LARGE_WRITE -> qp.postWrite(1, local.address(), op.bytes, local.lkey(), remote.address(),
                    remote.rkey(), flags);
            case READ, LARGE_READ -> qp.postRead(1, local.address(), op.bytes, local.lkey(), remote.address(),
                    remote.rkey(), flags);
            case ADD -> qp.postFetchAndAdd(1, local.address(), local.lkey(), remote.address(), remote.rkey(), 1,
                    flags);
            case SEND -> qp.postSend(1, local.address(), op.bytes, local.lkey(), flags);
        };
    }

    /** Posts one request. */
    @FunctionalInterface
    private interface Poster {
        int post();
    }

    /** Posts and polls until a request fails and nothing is outstanding; answers how it failed. */
    private static WcStatus storm(Pair pair, Poster poster, Progress progress) {
        WorkCompletion completion = new WorkCompletion();
        WcStatus failure = null;
        long start = System.nanoTime();
        int posted = 0;
        int outstanding = 0;
        while ((failure == null || outstanding > 0) && System.nanoTime() - start < Waiting.LIMIT_NANOS) {
            if (failure == null && outstanding < 4 && posted < progress.limit) {
                assertEquals(PostStatus.OK, poster.post(), "request " + posted);
                posted++;
                outstanding++;
            }
            while (pair.sendCq().poll(completion) > 0) {
                outstanding--;
                if (completion.isSuccess()) {
                    progress.done.incrementAndGet();
                } else if (failure == null) {
                    failure = completion.status();
                }
            }
        }
        return failure;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void poisonedLocalMemoryIsNeitherSentNorOverwritten(Case c) {
        List<Pair> pairs = pairs();
        var memory = fixture.a().allocate(c.op().bytes, c.kind());
        RemoteBuffer remote = fixture.remote(c.op().bytes, MemoryKind.DEVICE);
        long start = System.nanoTime();
        while (c.op() != Op.SEND && System.nanoTime() - start < SHORT_NANOS) {
            Pattern.fill(memory.segment(), BEFORE);
            remote.fill(BEFORE);
            MemoryRegion region = fixture.a().domain().register(memory.segment(), Fixture.ALL_ACCESS);
            Buffer local = new Buffer(memory, region);
            Progress progress = new Progress(Integer.MAX_VALUE);
            List<FutureTask<WcStatus>> storms = new ArrayList<>();
            try (Threads threads = new Threads()) {
                for (Pair pair : pairs) {
                    storms.add(threads.start("storm",
                            () -> storm(pair, () -> post(c.op(), pair.qp(), local, remote), progress)));
                }
                progress.await(c.op().bytes == LARGE ? random.nextInt(3) : random.nextInt(300));
                region.close();
                Pattern.fill(memory.segment(), POISON);
            }
            local.check(0, c.op().bytes, POISON, "after deregistration");
            storms.forEach(storm -> assertEquals(WcStatus.LOC_PROT_ERR, Threads.join(storm)));
            if (c.op() == Op.WRITE || c.op() == Op.LARGE_WRITE) {
                remote.check(0, c.op().bytes, BEFORE, "written after deregistration");
            }
            pairs.forEach(Pair::reconnect);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void deregistrationWithoutTrafficRevokesTheKeyAtOnce(Case c) {
        Pair pair = fixture.connected();
        RemoteBuffer target = fixture.remote(c.op().bytes, c.kind());
        Buffer local = fixture.local(c.op().bytes, MemoryKind.DEVICE);
        pair.postRemoteReceive(1, target, 0, c.op().bytes);
        target.deregister();
        assertTrue(post(c.op(), pair.qp(), local, target) == PostStatus.OK);
        pair.await(c.op().end);
        pair.post(WorkSpec.send(2, Opcode.SEND));
        pair.await(WcStatus.WR_FLUSH_ERR);
    }
}
