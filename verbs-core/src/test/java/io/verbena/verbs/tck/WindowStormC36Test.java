package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
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

/** Windows that go while the peer hammers them: nothing is written once what unbound them has completed. */
@DisplayName("C35, C36 windows that go in a storm")
@Timeout(180)
class WindowStormC36Test extends WindowTest {
    private static final long BEFORE = 1;
    private static final long POISON = 666;
    private static final long SHORT_NANOS = 250_000_000;
    private static final long LONG_NANOS = 3_000_000_000L;

    private final Random random = new Random(36);

    /** How the window goes. */
    enum End {
        /** LOCAL_INV by B. */
        INVALIDATE(Type.TYPE_2),
        /** A bind to nothing. */
        UNBIND(Type.TYPE_1),
        /** A bind to other bytes of the region. */
        REBIND(Type.TYPE_1),
        /** Closing it. */
        CLOSE(Type.TYPE_2);

        private final Type type;

        End(Type type) {
            this.type = type;
        }
    }

    /**
     * One case.
     *
     * @param end of the window
     * @param kind of B's memory
     * @param threading of all queues
     * @param bytes of one write
     */
    record Case(End end, MemoryKind kind, Threading threading, int bytes) {}

    static Stream<Case> cases() {
        return Stream.of(End.values()).flatMap(end -> Stream.of(Threading.values()).flatMap(threading -> Stream.of(
                new Case(end, MemoryKind.DEVICE, threading, 64), new Case(end, MemoryKind.DEVICE, threading, 16 << 20),
                new Case(end, MemoryKind.SHARED, threading, 64))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void nothingIsWrittenOnceTheWindowHasGone(Case c) {
        repeat(c, SHORT_NANOS);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("ci")
    void nothingIsWrittenOnceTheWindowHasGoneForLong(Case c) {
        repeat(c, LONG_NANOS);
    }

    private void repeat(Case c, long nanos) {
        pair = fixture.connected(new PairSpec().threading(c.threading()));
        local = fixture.local(c.bytes(), MemoryKind.DEVICE).fill(BEFORE);
        region = fixture.remote(c.bytes() + 64L, c.kind(), BINDABLE);
        WindowInfo window = window(c.end().type);
        long start = System.nanoTime();
        for (int round = 0; System.nanoTime() - start < nanos; round++) {
            window = round(c, window, round);
            pair.reconnect();
        }
    }

    private WindowInfo round(Case c, WindowInfo window, int round) {
        region.fill(BEFORE);
        WorkSpec bind = bind(window, round, 0, c.bytes(), REMOTE);
        if (c.end().type == Type.TYPE_1) {
            assertEquals(WcStatus.SUCCESS, bindTypeOne(bind));
        } else {
            bound(bind, window);
        }
        int key = key(window);
        AtomicLong done = new AtomicLong();
        try (Threads threads = new Threads()) {
            FutureTask<WcStatus> storm = threads.start("storm", () -> storm(c.bytes(), key, done));
            long enough = c.bytes() > 64 ? random.nextInt(3) : random.nextInt(300);
            assertTrue(Waiting.until(() -> done.get() >= enough, Waiting.LIMIT_NANOS), "only " + done + " done");
            WindowInfo next = end(c, window, key);
            region.check(0, c.bytes(), POISON, "at once after the window has gone");
            assertEquals(WcStatus.REM_ACCESS_ERR, Threads.join(storm));
            region.check(0, c.bytes(), POISON, "after the storm");
            return next;
        }
    }

    /** Unbinds and poisons without a gap; answers the window for the next round. */
    private WindowInfo end(Case c, WindowInfo window, int key) {
        int qp = pair.remoteQp();
        List<PeerCommand<?>> commands = new ArrayList<>();
        switch (c.end()) {
            case INVALIDATE -> commands.add(new PeerCommand.PostSend(qp, new ArrayList<>(List.of(invalidate(5, key)))));
            case UNBIND -> commands.add(new PeerCommand.BindWindow(
                    qp, WorkSpec.send(5, Opcode.BIND_MW).bind(window.handle(), 0, -1, 0, 0, 0)));
            case REBIND -> commands.add(new PeerCommand.BindWindow(qp, bind(window, 0, c.bytes(), 64, REMOTE)));
            case CLOSE -> commands.add(new PeerCommand.Destroy(window.handle()));
        }
        if (c.end() != End.CLOSE) {
            commands.add(new PeerCommand.Poll(pair.remoteSendCq(), 1, Waiting.LIMIT_NANOS));
        }
        commands.add(new PeerCommand.Fill(region.memory(), 0, c.bytes(), POISON));
        List<?> answers = fixture.b().execute(new PeerCommand.Sequence(new ArrayList<>(commands)));
        if (c.end() == End.CLOSE) {
            return window(c.end().type);
        }
        assertEquals(PostStatus.OK, answers.get(0));
        List<?> polled = (List<?>) answers.get(1);
        assertEquals(1, polled.size(), "completions of what unbinds");
        assertEquals(WcStatus.SUCCESS, ((Completion) polled.getFirst()).status(), polled.toString());
        return window;
    }

    /** Writes until a write fails; answers how. */
    private WcStatus storm(int bytes, int key, AtomicLong done) {
        WorkCompletion completion = new WorkCompletion();
        long start = System.nanoTime();
        while (System.nanoTime() - start < Waiting.LIMIT_NANOS) {
            assertEquals(PostStatus.OK, pair.qp().postWrite(1, local.address(), bytes, local.lkey(), region.address(),
                    key, SendFlags.SIGNALED));
            while (pair.sendCq().poll(completion) == 0) {
                Thread.onSpinWait();
            }
            if (!completion.isSuccess()) {
                pair.awaitState(QueuePairState.ERR);
                return completion.status();
            }
            done.incrementAndGet();
        }
        throw new AssertionError("no write failed");
    }
}
