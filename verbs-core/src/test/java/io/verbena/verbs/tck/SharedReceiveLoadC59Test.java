package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.SharingCommand.SinkReport;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Many senders and receivers on one shared queue, while it is resized and queue pairs come and go. */
@DisplayName("C59 shared receive queue: load")
@Timeout(120)
class SharedReceiveLoadC59Test extends FixtureTest {
    private static final int BUFFERS = 64;
    private static final int STRIDE = 128;
    private static final int BYTES = 2 * Long.BYTES;

    private RemoteSrq srq;
    private int recvCq;
    private RemoteBuffer remote;
    private final List<Integer> sinks = new ArrayList<>();

    private void prepare(int sinkCount, int header) {
        srq = RemoteSrq.create(fixture, BUFFERS, 1);
        recvCq = fixture.b().execute(new PeerCommand.CreateCompletionQueue(4 * BUFFERS, false, Threading.SAFE));
        remote = fixture.remote(BUFFERS * STRIDE, MemoryKind.DEVICE);
        for (int i = 0; i < BUFFERS; i++) {
            srq.post(buffer(i));
        }
        for (int i = 0; i < sinkCount; i++) {
            sinks.add(fixture.b().execute(new SharingCommand.StartSink(srq.handle(), recvCq, remote.region(), STRIDE,
                    header, sinkCount == 1)));
        }
    }

    private WorkSpec buffer(int i) {
        return WorkSpec.receive(i).sge(remote.address() + (long) i * STRIDE, STRIDE, remote.lkey());
    }

    private Pair connect(QueuePairType type, Threading threading) {
        return fixture.connected(new PairSpec().type(type).threading(threading).quickRetry()
                .remoteSrq(srq).remoteRecvCq(recvCq));
    }

    /** One sender: numbers its messages and sends them with a window of a few. */
    private final class Sender {
        private static final int WINDOW = 16;

        private final Pair pair;
        private final Buffer buffer = fixture.local(WINDOW * BYTES, MemoryKind.DEVICE);
        private final int name;
        private long posted;
        private long done;

        Sender(Pair pair, int name) {
            this.pair = pair;
            this.name = name;
        }

        /** Sends numbers from 1 up to a count, or until told to stop or a message fails; returns how many succeeded. */
        long run(long count, BooleanSupplier stop) {
            boolean good = true;
            while (good && done < count && !stop.getAsBoolean()) {
                while (posted < count && posted - done < WINDOW) {
                    post();
                }
                good = poll();
            }
            while (good && done < posted) {
                good = poll();
            }
            return done;
        }

        private void post() {
            long slot = posted % WINDOW * BYTES;
            buffer.setLong(slot, ++posted);
            buffer.setLong(slot + Long.BYTES, name);
            int status = pair.spec().header() == 0
                    ? pair.qp().postSend(posted, buffer.address() + slot, BYTES, buffer.lkey(), SendFlags.SIGNALED)
                    : pair.qp().postSend(posted, buffer.address() + slot, BYTES, buffer.lkey(), pair.destination(),
                            SendFlags.SIGNALED);
            assertEquals(PostStatus.OK, status, () -> PostStatus.describe(status));
        }

        private boolean poll() {
            List<Completion> some = Waiting.poll(pair.sendCq(), 1, Waiting.LIMIT_NANOS);
            assertEquals(1, some.size(), "a completion in time");
            if (some.getFirst().status() == WcStatus.SUCCESS) {
                assertEquals(++done, some.getFirst().wrId());
                return true;
            }
            assertTrue(some.getFirst().status() == WcStatus.RETRY_EXC_ERR
                    || some.getFirst().status() == WcStatus.WR_FLUSH_ERR, some.toString());
            return false;
        }
    }

    private SinkReport total() {
        long messages = 0;
        long sum = 0;
        for (int sink : sinks) {
            SinkReport report = fixture.b().execute(new SharingCommand.AskSink(sink));
            assertEquals("", report.failure());
            messages += report.messages();
            sum += report.sum();
        }
        return new SinkReport(messages, sum, "");
    }

    private void stopSinks() {
        for (int sink : sinks) {
            assertEquals("", fixture.b().execute(new SharingCommand.StopSink(sink)).failure());
        }
    }

    private void expectAll(long senders, long each) {
        assertTrue(Waiting.until(() -> total().messages() >= senders * each, Waiting.LIMIT_NANOS),
                "received " + total() + " of " + senders * each);
        assertEquals(senders * each * (each + 1) / 2, total().sum(), "every message once");
        stopSinks();
        assertEquals(PostStatus.QUEUE_FULL, srq.tryPost(buffer(0)), "every buffer is posted again");
    }

    private void storm(int senders, int sinkCount, long each, Threading threading) {
        prepare(sinkCount, 0);
        List<FutureTask<Long>> results = new ArrayList<>();
        try (Threads threads = new Threads()) {
            for (int i = 0; i < senders; i++) {
                Sender sender = new Sender(connect(QueuePairType.RC, threading), i);
                results.add(threads.start("sender " + i, () -> sender.run(each, () -> false)));
            }
        }
        results.forEach(result -> assertEquals(each, Threads.join(result)));
        expectAll(senders, each);
    }

    /** One sink sees the messages of each sender in order; several see each message once. */
    @ParameterizedTest
    @CsvSource({"4, 1, SAFE", "4, 1, SINGLE", "4, 3, SAFE", "1, 1, SINGLE"})
    void everyMessageArrivesOnceAndEachSendersInOrder(int senders, int sinkCount, Threading threading) {
        storm(senders, sinkCount, 20_000, threading);
    }

    @Test
    @Tag("ci")
    void everyMessageArrivesOnceForLong() {
        storm(24, 1, 60_000, Threading.SAFE);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void resizingUnderLoadLosesNothingAndKeepsTheOrder(Threading threading) {
        prepare(1, 0);
        long each = 15_000;
        List<FutureTask<Long>> results = new ArrayList<>();
        int resizes = 0;
        try (Threads threads = new Threads()) {
            for (int i = 0; i < 3; i++) {
                Sender sender = new Sender(connect(QueuePairType.RC, threading), i);
                results.add(threads.start("sender " + i, () -> sender.run(each, () -> false)));
            }
            Random random = new Random(59);
            while (!results.stream().allMatch(FutureTask::isDone)) {
                try {
                    srq.resize(random.nextInt(3) == 0 ? BUFFERS : BUFFERS + random.nextInt(1_000));
                    resizes++;
                } catch (VerbsException tooFull) {
                    assertTrue(srq.query().capacity() >= BUFFERS);
                }
                Waiting.pause(100_000);
            }
        }
        results.forEach(result -> assertEquals(each, Threads.join(result)));
        assertTrue(resizes > 5, "only " + resizes + " resizes");
        srq.resize(BUFFERS);
        expectAll(3, each);
    }

    /** Receivers are reset or destroyed and come back while all send: no place gets lost, and none is used twice. */
    @ParameterizedTest
    @CsvSource({"RC, SAFE, false", "RC, SINGLE, false", "RC, SAFE, true", "UD, SAFE, false", "UD, SINGLE, false",
        "UD, SAFE, true"})
    void receiversThatComeAndGoLeaveEveryPlaceUsable(QueuePairType type, Threading threading, boolean destroy) {
        prepare(2, new PairSpec().type(type).header());
        AtomicBoolean stop = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            for (int i = 0; i < 3; i++) {
                int name = i;
                threads.start("sender " + i, () -> {
                    comeAndGo(type, threading, destroy, name, stop);
                    return null;
                });
            }
            Waiting.pause(1_500_000_000L);
            stop.set(true);
        }
        Waiting.until(() -> false, Pair.QUIET_NANOS);
        total();
        stopSinks();
        everyPlaceIsUsable();
    }

    private void comeAndGo(QueuePairType type, Threading threading, boolean destroy, int name, AtomicBoolean stop) {
        Random random = new Random(name);
        Pair pair = connect(type, threading);
        while (!stop.get()) {
            Pair now = pair;
            AtomicBoolean enough = new AtomicBoolean();
            try (Threads inner = new Threads()) {
                // A sink wants the numbers of each sender to grow, so each life has a name of its own.
                Sender sender = new Sender(now, name + 3 * random.nextInt(1 << 28));
                inner.start("life", () -> sender.run(Long.MAX_VALUE, enough::get));
                Waiting.pause(random.nextInt(2_000_000));
                if (destroy) {
                    fixture.b().execute(new PeerCommand.Destroy(now.remoteQp()));
                } else {
                    now.modifyRemote(random.nextBoolean() ? QueuePairState.RESET : QueuePairState.ERR);
                }
                enough.set(true);
            }
            if (destroy) {
                now.qp().close();
                pair = connect(type, threading);
            } else {
                now.reconnect();
            }
        }
    }

    /** Fills the queue up, sends as many messages as it holds, and sees as many buffers come back. */
    private void everyPlaceIsUsable() {
        fixture.b().execute(new PeerCommand.Poll(recvCq, 10 * BUFFERS, 0));
        int capacity = srq.query().capacity();
        int added = 0;
        while (srq.tryPost(buffer(0)) == PostStatus.OK) {
            added++;
        }
        assertTrue(added <= capacity, added + " places were free of " + capacity);
        Pair last = fixture.connected(new PairSpec().depth(4 * BUFFERS).remoteSrq(srq).remoteRecvCq(recvCq));
        for (int i = 0; i <= capacity; i++) {
            last.post(WorkSpec.send(i, Opcode.SEND));
        }
        last.await(capacity);
        assertEquals(capacity, last.awaitRemoteReceives(capacity).size());
        last.expectNoCompletion();
        last.expectNoRemoteReceive();
    }
}
