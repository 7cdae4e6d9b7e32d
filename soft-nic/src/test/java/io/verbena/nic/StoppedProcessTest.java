package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.ForeignUser;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.Completion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ProcessPeer;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a process that is stopped does to the one that it is connected to: nothing, but that the connection fails. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
@Timeout(90)
class StoppedProcessTest {
    private static final long LIMIT_MS = 1_500;
    private static final String DEVICE = "soft6?link=shm&peer_timeout_ms=" + LIMIT_MS;
    private static final int PIECES = 16;
    private static final long PIECE = 1 << 20;
    private static final long BYTES = PIECES * PIECE;
    private static final int MAX_TRIES = 300;
    private static final byte CANARY = 0x5A;

    private final Random random = new Random(6);
    private End end;
    private AllocatedMemory memory;
    private MemoryRegion region;
    private Stranger b;

    /** Another process, and its end of a connection. */
    private final class Stranger implements AutoCloseable {
        final ProcessPeer peer = new ProcessPeer(DEVICE);
        final int cq = peer.execute(new PeerCommand.CreateCompletionQueue(256, false, Threading.SINGLE));
        final PeerAnswer.QueuePairInfo qp = peer.execute(new PeerCommand.CreateQueuePair(
                new QueuePairSpec().threading(Threading.SINGLE).depth(64, 64), cq, cq));
        final int memory = peer.execute(new PeerCommand.Allocate(BYTES, MemoryKind.DEVICE));
        final PeerAnswer.RegionInfo region =
                peer.execute(new PeerCommand.Register(PeerCommand.DOMAIN, memory, 0, BYTES, End.ALL));

        Stranger() throws IOException {}

        void connect(End own) {
            LinkSpec link = new LinkSpec().retry(14, 7);
            Gid gid = own.context.queryGid(1, 0).gid();
            peer.execute(new PeerCommand.Connect(qp.handle(),
                    new QueuePairEndpoint(gid, own.qp.qpNum(), link.psn()).format(), link));
            link.connect(own.qp, new QueuePairEndpoint(Gid.ofHex(qp.gid()), qp.qpNum(), link.psn()));
        }

        /** Writes a pattern over all of a region, and has it compared. */
        void writeTo(MemoryRegion target, long seed) {
            peer.execute(new PeerCommand.Fill(memory, 0, BYTES, seed));
            assertEquals(PostStatus.OK, peer.execute(new PeerCommand.PostSend(qp.handle(), new ArrayList<>(List.of(
                    WorkSpec.send(seed, Opcode.RDMA_WRITE).flags(SendFlags.SIGNALED)
                            .sge(region.address(), BYTES, region.lkey()).remote(target.address(), target.rkey()))))));
            Completion completion = peer.execute(new PeerCommand.Poll(cq, 1, Waiting.LIMIT_NANOS)).getFirst();
            assertEquals(WcStatus.SUCCESS, completion.status(), completion.toString());
            assertEquals(-1, Pattern.mismatch(target.segment(), seed));
        }

        QueuePairState state() {
            return peer.execute(new PeerCommand.Query(qp.handle())).state();
        }

        @Override
        public void close() {
            Signals.resume(peer.process());
            peer.close();
            peer.process().destroyForcibly().onExit().join();
        }
    }

    @BeforeEach
    void connect() throws IOException {
        end = new End(DEVICE, Setup.of(Threading.SINGLE, 64));
        memory = end.context.allocateMemory(BYTES, 64);
        region = end.pd.register(memory.segment(), End.ALL);
        b = new Stranger();
        b.connect(end);
    }

    @AfterEach
    void close() {
        b.close();
        region.close();
        memory.close();
        end.close();
    }

    private List<Completion> poll(int count) {
        return Waiting.poll(end.sendCq, count, Waiting.LIMIT_NANOS);
    }

    /** Has the other process write to all of the memory, again and again. */
    private CompletableFuture<List<Completion>> writeElsewhere(int first) {
        ArrayList<WorkSpec> writes = new ArrayList<>();
        for (int i = 0; i < PIECES; i++) {
            writes.add(WorkSpec.send(first + i, Opcode.RDMA_WRITE).flags(SendFlags.SIGNALED)
                    .sge(b.region.address() + i * PIECE, PIECE, b.region.lkey())
                    .remote(region.address() + i * PIECE, region.rkey()));
        }
        return CompletableFuture.supplyAsync(() -> {
            assertEquals(PostStatus.OK, b.peer.execute(new PeerCommand.PostSend(b.qp.handle(), writes)));
            return b.peer.execute(new PeerCommand.Poll(b.cq, PIECES, Waiting.LIMIT_NANOS));
        }, Signals.NEW_THREAD);
    }

    private static boolean isAnybodyAtWork() {
        return Fabric.LOCAL.foreignUsers().stream().mapToLong(ForeignUser::sample).anyMatch(guard -> (guard & 1) != 0);
    }

    /** Stops the other process in the middle of a copy; returns what will become of its requests. */
    private CompletableFuture<List<Completion>> stopInTheMiddle() throws Exception {
        for (int i = 0; i < PIECES; i++) {
            b.peer.execute(new PeerCommand.Fill(b.memory, i * PIECE, PIECE, i));
        }
        for (int round = 0; round < MAX_TRIES; round++) {
            CompletableFuture<List<Completion>> writing = writeElsewhere(round * PIECES);
            Waiting.pause(random.nextInt(4_000_000));
            Signals.stop(b.peer.process());
            if (isAnybodyAtWork()) {
                return writing;
            }
            Signals.resume(b.peer.process());
            writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS).forEach(completion ->
                    assertEquals(WcStatus.SUCCESS, completion.status()));
        }
        throw new AssertionError("the other process was never stopped in the middle of a copy");
    }

    /** Whatever the other process was told has arrived must be there. */
    private static void checkArrived(MemorySegment all, List<Completion> completions) {
        for (Completion completion : completions) {
            int piece = (int) completion.wrId() % PIECES;
            assertTrue(completion.status() != WcStatus.SUCCESS
                            || Pattern.mismatch(all.asSlice(piece * PIECE, PIECE), piece) == -1,
                    () -> "bytes are missing after " + completion);
        }
    }

    /** All must have ended: those executed before the stop, then one that nobody answered, then those flushed. */
    private static void checkBrokenOff(List<Completion> completions) {
        List<WcStatus> statuses = completions.stream().map(Completion::status).toList();
        assertEquals(PIECES, statuses.size());
        int good = (int) statuses.stream().takeWhile(WcStatus.SUCCESS::equals).count();
        // One that was posted to a queue pair in ERR already was not tried.
        int tried = good < PIECES && statuses.get(good) == WcStatus.RETRY_EXC_ERR ? 1 : 0;
        assertTrue(statuses.subList(good + tried, PIECES).stream().allMatch(WcStatus.WR_FLUSH_ERR::equals),
                statuses.toString());
    }

    /** Makes control calls until something is done; none of them takes long. */
    private void makeOtherCallsUntil(CompletableFuture<?> done) {
        long slowest = 0;
        while (!done.isDone()) {
            long begin = System.nanoTime();
            try (ProtectionDomain domain = end.context.allocateProtectionDomain()) {
                end.qp.query();
                assertEquals(domain, domain);
            }
            slowest = Math.max(slowest, System.nanoTime() - begin);
        }
        assertTrue(slowest < TimeUnit.MILLISECONDS.toNanos(LIMIT_MS / 2), "other calls took up to " + slowest);
    }

    private void expectEvent() {
        AsyncEvent event = end.context.getAsyncEvent(Waiting.LIMIT_NANOS);
        assertNotNull(event);
        end.context.acknowledge(event);
        assertEquals(QueuePairState.ERR, end.qp.state());
    }

    @Test
    void nothingIsWrittenOnceDeregistrationHasReturned() throws Exception {
        CompletableFuture<List<Completion>> writing = stopInTheMiddle();
        long start = System.nanoTime();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(region::close, Signals.NEW_THREAD);
        CompletableFuture<Void> closingToo = CompletableFuture.runAsync(region::close, Signals.NEW_THREAD);
        makeOtherCallsUntil(CompletableFuture.allOf(closing, closingToo));
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        closing.get();
        closingToo.get();
        assertTrue(tookMs >= LIMIT_MS / 2 && tookMs < 3 * LIMIT_MS, "it waited for " + tookMs + " ms");
        assertEquals(1, isAnybodyAtWork() ? 1 : 0, "the other process is still in the middle of a copy");
        MemorySegment kept = Arena.ofAuto().allocate(BYTES, 8).copyFrom(memory.segment());
        memory.segment().fill(CANARY);
        expectEvent();
        Signals.resume(b.peer.process());
        List<Completion> completions = writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS);
        checkBrokenOff(completions);
        checkArrived(kept, completions);
        MemorySegment canary = Arena.ofAuto().allocate(BYTES, 8).fill(CANARY);
        assertEquals(-1, memory.segment().mismatch(canary), "written after deregistration");
        assertTrue(Waiting.until(() -> b.state() == QueuePairState.ERR, Waiting.LIMIT_NANOS), "its end fails too");
    }

    @RepeatedTest(10)
    @Tag("ci")
    void nothingIsEverWrittenOnceDeregistrationHasReturned() throws Exception {
        nothingIsWrittenOnceDeregistrationHasReturned();
    }

    @Test
    void whatThisProcessWritesWhileItsMemoryGetsOtherPagesIsKept() throws Exception {
        CompletableFuture<List<Completion>> writing = stopInTheMiddle();
        AllocatedMemory counters = memory;
        long words = BYTES / Long.BYTES;
        CompletableFuture<Void> closing = CompletableFuture.runAsync(region::close, Signals.NEW_THREAD);
        long written = 0;
        // Every word is written over and over, so that some stores fall into every moment of the exchange.
        for (; !closing.isDone() || written % words != 0; written++) {
            counters.segment().setAtIndex(ValueLayout.JAVA_LONG, written % words, written);
        }
        closing.get();
        for (long i = 0; i < words; i++) {
            assertEquals(written - words + i,
                    counters.segment().getAtIndex(ValueLayout.JAVA_LONG, i));
        }
        Signals.resume(b.peer.process());
        checkBrokenOff(writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS));
    }

    @Test
    void aResetWaitsAndThenNothingArrives() throws Exception {
        CompletableFuture<List<Completion>> writing = stopInTheMiddle();
        CompletableFuture<Void> resetting = CompletableFuture.runAsync(() -> end.modify(QueuePairState.RESET),
                Signals.NEW_THREAD);
        makeOtherCallsUntil(resetting);
        resetting.get();
        memory.segment().fill(CANARY);
        Signals.resume(b.peer.process());
        checkBrokenOff(writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS));
        MemorySegment canary = Arena.ofAuto().allocate(BYTES, 8).fill(CANARY);
        assertEquals(-1, memory.segment().mismatch(canary), "written after the reset");
    }

    @Test
    void othersGoOnWhileOneIsStopped() throws Exception {
        try (End second = new End(DEVICE, Setup.of(Threading.SINGLE, 64)); Stranger c = new Stranger()) {
            c.connect(second);
            CompletableFuture<List<Completion>> writing = stopInTheMiddle();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(region::close, Signals.NEW_THREAD);
            long slowest = 0;
            for (int i = 0; !closing.isDone(); i++) {
                long begin = System.nanoTime();
                second.set(0, i);
                End.ok(second.qp.postWrite(i, second.at(0), 8, second.region.lkey(), c.region.address(),
                        c.region.rkey(), SendFlags.SIGNALED));
                End.expect(second.sendCq, i);
                slowest = Math.max(slowest, System.nanoTime() - begin);
            }
            closing.get();
            assertTrue(slowest < TimeUnit.MILLISECONDS.toNanos(LIMIT_MS / 2), "another connection took " + slowest);
            // A new connection too.
            second.modify(QueuePairState.RESET);
            c.peer.execute(new PeerCommand.Modify(c.qp.handle(), QueuePairState.RESET, -1));
            c.connect(second);
            End.ok(second.qp.postWrite(1, second.at(0), 8, second.region.lkey(), c.region.address(),
                    c.region.rkey(), SendFlags.SIGNALED));
            End.expect(second.sendCq, 1);
            Signals.resume(b.peer.process());
            checkBrokenOff(writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS));
        }
    }

    @Test
    void othersReachMemoryThatWasTakenFromOne() throws Exception {
        try (End second = new End(DEVICE, Setup.of(Threading.SINGLE, 64)); Stranger c = new Stranger();
                MemoryRegion other = second.pd.register(memory.segment(), End.ALL)) {
            c.connect(second);
            c.writeTo(other, 1);
            CompletableFuture<List<Completion>> writing = stopInTheMiddle();
            region.close();
            c.writeTo(other, 2);
            Signals.resume(b.peer.process());
            checkBrokenOff(writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS));
            c.writeTo(other, 3);
        }
    }

    @Test
    void aShortStopHurtsNothing() throws Exception {
        CompletableFuture<List<Completion>> writing = stopInTheMiddle();
        end.context.allocateMemory(64, 8).close();
        Waiting.pause(TimeUnit.MILLISECONDS.toNanos(LIMIT_MS / 3));
        Signals.resume(b.peer.process());
        List<Completion> completions = writing.get(Waiting.LIMIT_NANOS, TimeUnit.NANOSECONDS);
        assertTrue(completions.stream().allMatch(completion -> completion.status() == WcStatus.SUCCESS));
        checkArrived(memory.segment(), completions);
        assertEquals(QueuePairState.RTS, end.qp.state());
    }

    @Test
    void aLongStopIsDetected() throws Exception {
        b.writeTo(region, 1); // it has found this end: before that it would only find out with its next request
        End.ok(end.send(1, 0, 8));
        End.ok(end.qp.postWrite(2, end.at(0), 8, end.region.lkey(), b.region.address(), b.region.rkey(),
                SendFlags.SIGNALED));
        End.ok(end.receive(3, 0, 64));
        Signals.stop(b.peer.process());
        long start = System.nanoTime();
        List<Completion> completions = poll(2);
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertEquals(List.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR),
                completions.stream().map(Completion::status).toList());
        assertTrue(tookMs >= LIMIT_MS / 2 && tookMs < 3 * LIMIT_MS, "it was noticed after " + tookMs + " ms");
        assertEquals(WcStatus.WR_FLUSH_ERR, Waiting.poll(end.recvCq, 1, Waiting.LIMIT_NANOS).getFirst().status());
        assertEquals(QueuePairState.ERR, end.qp.state());
        Signals.resume(b.peer.process());
        assertTrue(Waiting.until(() -> b.state() == QueuePairState.ERR, Waiting.LIMIT_NANOS), "its end fails too");
    }

    @Test
    void manyConnectionsToAStoppedProcessWaitForItOnce() {
        Signals.stop(b.peer.process());
        assertTrue(Waiting.until(() -> end.qp.state() == QueuePairState.ERR, Waiting.LIMIT_NANOS));
        List<End> more = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) {
                more.add(new End(DEVICE, Setup.of(Threading.SINGLE, 64)));
            }
            long start = System.nanoTime();
            for (End own : more) {
                LinkSpec link = new LinkSpec();
                link.connect(own.qp, new QueuePairEndpoint(Gid.ofHex(b.qp.gid()), b.qp.qpNum(), link.psn()));
            }
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(tookMs < 4 * LIMIT_MS, "connecting took " + tookMs + " ms");
        } finally {
            more.forEach(End::close);
        }
    }

    @Test
    void aLongStopOfAnIdleProcessIsTold() throws Exception {
        Signals.stop(b.peer.process());
        expectEvent();
    }
}
