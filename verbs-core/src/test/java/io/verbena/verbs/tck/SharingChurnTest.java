package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Destination;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Control calls in the middle of traffic to UD queue pairs and shared receive queues. Both ends are here, so that the
 * calls come as close together as they can.
 */
@DisplayName("Threads on UD and shared receive queues")
@Timeout(180)
class SharingChurnTest extends FixtureTest {
    private static final int SENDERS = 3;
    private static final int PLACES = 16;
    private static final int ROOM = 512;
    private static final Gid GROUP = Gid.ofHex("ff0e0000000000000000000000c4012d");
    private static final Set<Integer> LEGAL = Set.of(PostStatus.OK, PostStatus.QUEUE_FULL, PostStatus.CLOSED,
            PostStatus.WRONG_STATE);

    private Buffer local;

    /** One receiver with a completion queue of its own, and its senders. */
    private final class Scene {
        final QueuePairType type;
        final SharedReceiveQueue srq;
        final CompletionQueue recvCq;
        final CompletionQueue sendCq;
        final QueuePair receiver;
        final QueuePair[] senders = new QueuePair[SENDERS];
        final AddressHandle way;

        Scene(QueuePairType type, Threading threading, SharedReceiveQueue srq) {
            this.type = type;
            this.srq = srq;
            recvCq = fixture.a().completionQueue(64, false, threading);
            sendCq = fixture.a().completionQueue(256, false, Threading.SAFE);
            var domain = fixture.a().domain();
            receiver = domain.createQueuePair(
                    new QueuePairSpec().type(type).threading(threading).depth(8, PLACES).config(sendCq, recvCq)
                            .withSrq(srq));
            way = domain.createAddressHandle(AddressVector.to(fixture.a().gid()));
            for (int i = 0; i < SENDERS; i++) {
                senders[i] = domain.createQueuePair(
                        new QueuePairSpec().type(type).threading(threading).depth(8, 1).config(sendCq, sendCq));
            }
            bringUp();
        }

        void bringUp() {
            LinkSpec link = new LinkSpec().retry(8, 1).rnrRetry(1).minRnrTimer(1);
            link.connect(receiver, new QueuePairEndpoint(fixture.a().gid(), senders[0].qpNum(), link.psn()));
            for (QueuePair sender : senders) {
                if (sender.state() != QueuePairState.RTS) {
                    sender.modify(QueuePairAttributes.toState(QueuePairState.RESET));
                    link.connect(sender, new QueuePairEndpoint(fixture.a().gid(), receiver.qpNum(), link.psn()));
                }
            }
        }

        int receive() {
            return srq == null ? receiver.postReceive(1, local.address(), ROOM, local.lkey())
                    : srq.postReceive(1, local.address(), ROOM, local.lkey());
        }

        void send(int sender, int bytes) {
            int code = type == QueuePairType.UD
                    ? senders[sender].postSend(1, local.address() + ROOM, bytes, local.lkey(),
                            new Destination(way, receiver.qpNum(), new LinkSpec().qkey()), SendFlags.SIGNALED)
                    : senders[sender].postSend(1, local.address() + ROOM, bytes, local.lkey(), SendFlags.SIGNALED);
            assertTrue(LEGAL.contains(code), () -> PostStatus.describe(code));
        }

        void close() {
            receiver.close();
            for (QueuePair sender : senders) {
                sender.close();
            }
            way.close();
            recvCq.close();
            sendCq.close();
        }
    }

    private static Object poll(CompletionQueue cq, AtomicBoolean stop) {
        WorkCompletion completion = new WorkCompletion();
        while (!stop.get()) {
            int code = cq.poll(completion);
            assertTrue(code >= 0, () -> PostStatus.describe(code));
            if (code == 0) {
                Thread.onSpinWait();
            }
        }
        return null;
    }

    private void start(Threads threads, Scene scene, AtomicBoolean stop) {
        for (int i = 0; i < SENDERS; i++) {
            int sender = i;
            threads.start("sender" + i, () -> {
                for (int turn = 0; !stop.get(); turn++) {
                    scene.send(sender, turn % 200);
                }
                return null;
            });
        }
        threads.start("receiver", () -> {
            while (!stop.get()) {
                int code = scene.receive();
                assertTrue(LEGAL.contains(code), () -> PostStatus.describe(code));
            }
            return null;
        });
        threads.start("send poller", () -> poll(scene.sendCq, stop));
        threads.start("receive poller", () -> poll(scene.recvCq, stop));
    }

    private void churn(QueuePairType type, Threading threading, boolean shared, int rounds) {
        local = fixture.local(2 * ROOM, MemoryKind.DEVICE);
        Random random = new Random(11);
        for (int round = 0; round < rounds; round++) {
            SharedReceiveQueue srq = !shared ? null : fixture.a().domain()
                    .createSharedReceiveQueue(new SharedReceiveQueueConfig(PLACES, 1, Threading.SAFE));
            Scene scene = new Scene(type, threading, srq);
            AtomicBoolean stop = new AtomicBoolean();
            try (Threads threads = new Threads()) {
                start(threads, scene, stop);
                for (int i = 0; i < 6; i++) {
                    Waiting.pause(random.nextInt(200_000));
                    change(scene, random);
                }
                if (random.nextBoolean()) {
                    scene.receiver.close();
                }
                stop.set(true);
            }
            scene.close();
            events();
            if (shared) {
                everyPlaceIsUsable(srq);
                srq.close();
            }
        }
    }

    private void change(Scene scene, Random random) {
        switch (random.nextInt(5)) {
            case 0 -> scene.receiver.modify(QueuePairAttributes.toState(QueuePairState.ERR));
            case 1 -> {
                scene.receiver.modify(QueuePairAttributes.toState(QueuePairState.RESET));
                scene.bringUp();
            }
            case 2 -> scene.senders[1].modify(QueuePairAttributes.toState(QueuePairState.RESET));
            case 3 -> {
                if (scene.srq != null) {
                    scene.srq.setLimit(random.nextInt(PLACES));
                    resize(scene.srq, PLACES + random.nextInt(40));
                }
            }
            default -> {
                if (scene.type == QueuePairType.UD) {
                    scene.receiver.attachMulticast(GROUP);
                    scene.receiver.detachMulticast(GROUP);
                }
            }
        }
    }

    private static void resize(SharedReceiveQueue srq, int size) {
        try {
            srq.resize(size);
        } catch (VerbsException inUse) {
            assertTrue(srq.capacity() > size, inUse.toString());
        }
    }

    /** Takes all events; none may come twice. */
    private void events() {
        Set<Long> seen = new HashSet<>();
        for (AsyncEvent event = fixture.a().context().getAsyncEvent(0); event != null;
                event = fixture.a().context().getAsyncEvent(0)) {
            assertTrue(seen.add(event.sequence()), "twice: " + event);
            fixture.a().context().acknowledge(event);
        }
    }

    /** When all queue pairs are gone the queue takes as many receives as it has places, and gives them out again. */
    private void everyPlaceIsUsable(SharedReceiveQueue srq) {
        while (srq.postReceive(2, 0, 0, 0) == PostStatus.OK) {
            Thread.onSpinWait();
        }
        CompletionQueue cq = fixture.a().completionQueue(512, false, Threading.SAFE);
        QueuePair qp = fixture.a().domain().createQueuePair(
                new QueuePairSpec().depth(256, 1).config(cq, cq).withSrq(srq));
        LinkSpec link = new LinkSpec().rnrRetry(0);
        link.connect(qp, new QueuePairEndpoint(fixture.a().gid(), qp.qpNum(), link.psn()));
        int capacity = srq.capacity();
        for (int i = 0; i <= capacity; i++) {
            assertEquals(PostStatus.OK, qp.postSend(i, 0, 0, 0, SendFlags.SIGNALED));
        }
        var all = Waiting.poll(cq, 2 * capacity + 1, Waiting.LIMIT_NANOS);
        assertEquals(2 * capacity + 1, all.size());
        assertEquals(2 * capacity, all.stream().filter(each -> each.status() == WcStatus.SUCCESS).count());
        assertEquals(WcStatus.RNR_RETRY_EXC_ERR,
                all.stream().filter(each -> each.status() != WcStatus.SUCCESS).findFirst().orElseThrow().status());
        qp.close();
        cq.close();
    }

    @ParameterizedTest
    @CsvSource({"UD, SAFE, false", "UD, SAFE, true", "RC, SAFE, true", "UC, SAFE, false"})
    void stateChangesAndCloseInTheMiddleOfTrafficDoNoHarm(QueuePairType type, Threading threading, boolean shared) {
        churn(type, threading, shared, 60);
    }

    @ParameterizedTest
    @Tag("ci")
    @CsvSource({"UD, SAFE, false", "UD, SAFE, true", "RC, SAFE, true", "UC, SAFE, false"})
    void manyStateChangesInTheMiddleOfTrafficDoNoHarm(QueuePairType type, Threading threading, boolean shared) {
        churn(type, threading, shared, 1_000);
    }

    /** A consumer that sleeps until it is told gets every message, also while others on its queue are reset. */
    @ParameterizedTest
    @CsvSource({"RC", "UD"})
    void sleepingConsumerMissesNothingWhileOthersAreReset(QueuePairType type) {
        local = fixture.local(2 * ROOM, MemoryKind.DEVICE);
        SharedReceiveQueue srq = fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(PLACES, 1, Threading.SAFE)));
        CompletionQueue cq = fixture.a().completionQueue(64, true, Threading.SAFE);
        PairSpec spec = new PairSpec().type(type);
        Pair pair = fixture.connected(spec.srq(srq).recvCq(cq));
        Pair other = fixture.connected(new PairSpec().type(type).srq(srq).recvCq(cq));
        AtomicBoolean stop = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            threads.start("resetter", () -> {
                while (!stop.get()) {
                    other.modify(QueuePairState.RESET);
                }
                return null;
            });
            WorkCompletion completion = new WorkCompletion();
            for (int i = 0; i < 2_000; i++) {
                assertEquals(PostStatus.OK, srq.postReceive(i, local.address(), ROOM, local.lkey()));
                assertEquals(PostStatus.OK, cq.arm(false));
                pair.postRemote(WorkSpec.send(i, Opcode.SEND).flags(i % 16 == 15 ? SendFlags.SIGNALED : 0));
                boolean came = cq.poll(completion) == 1;
                while (!came) {
                    assertTrue(cq.channel().get(Waiting.LIMIT_NANOS) != null, "nobody woke the consumer, message " + i);
                    cq.acknowledge(1);
                    assertEquals(PostStatus.OK, cq.arm(false));
                    came = cq.poll(completion) == 1;
                }
                assertEquals(i, completion.wrId());
                if (i % 16 == 15) {
                    pair.awaitRemoteSends(1);
                }
            }
            stop.set(true);
        }
    }

    /** After its region was closed no byte of a receive's buffer changes, whoever delivers at that moment. */
    @ParameterizedTest
    @CsvSource({"UD, false", "UD, true", "RC, true"})
    void memoryOfReceivesIsLeftAloneOnceItsRegionIsClosed(QueuePairType type, boolean shared) {
        local = fixture.local(2 * ROOM, MemoryKind.DEVICE).fill(1);
        SharedReceiveQueue srq = !shared ? null : fixture.a().keep(fixture.a().domain()
                .createSharedReceiveQueue(new SharedReceiveQueueConfig(PLACES, 1, Threading.SAFE)));
        Scene scene = new Scene(type, Threading.SAFE, srq);
        GuardedMemory memory = fixture.a().allocate(ROOM, MemoryKind.DEVICE);
        AtomicBoolean stop = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            start(threads, scene, stop);
            for (int round = 0; round < 400; round++) {
                MemoryRegion region = fixture.a().domain().register(memory.segment(), Fixture.ALL_ACCESS);
                for (int i = 0; i < 4; i++) {
                    int code = srq == null
                            ? scene.receiver.postReceive(9, region.address(), ROOM, region.lkey())
                            : srq.postReceive(9, region.address(), ROOM, region.lkey());
                    assertTrue(LEGAL.contains(code), () -> PostStatus.describe(code));
                }
                region.close();
                Pattern.fill(memory.segment(), round);
                Waiting.pause(50_000);
                assertEquals(-1, Pattern.mismatch(memory.segment(), round),
                        "written after deregistration, round " + round);
                if (scene.receiver.state() != QueuePairState.RTS) {
                    scene.receiver.modify(QueuePairAttributes.toState(QueuePairState.RESET));
                    scene.bringUp();
                }
            }
            stop.set(true);
        }
        scene.close();
        events();
    }
}
