package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Station;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Objects in use refuse to be closed and stay usable; closing twice does nothing; closed objects say so. */
@DisplayName("C05 destruction")
@Timeout(60)
class DestroyRefusalsC05Test extends FixtureTest {
    private static void busy(AutoCloseable object) {
        VerbsException refusal = assertThrows(VerbsException.class, object::close);
        assertEquals(Errno.EBUSY, refusal.errno(), refusal.getMessage());
    }

    private static void closed(Executable call) {
        assertThrows(VerbsException.class, call);
    }

    @Test
    void domainWithRegionStaysUsable() {
        Buffer buffer = fixture.local(64, MemoryKind.SHARED);
        busy(fixture.a().domain());
        fixture.a().keep(fixture.a().domain().register(buffer.segment(), Access.LOCAL_WRITE));
    }

    @Test
    void domainWithQueuePairStaysUsable() {
        Pair pair = fixture.connected();
        busy(fixture.a().domain());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void completionQueueOfQueuePairStaysUsable() {
        Pair pair = fixture.connected();
        busy(pair.sendCq());
        busy(pair.recvCq());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        pair.await(WcStatus.SUCCESS);
    }

    @Test
    void channelOfCompletionQueueStaysUsable() {
        Pair pair = fixture.connected(new PairSpec().events());
        busy(pair.sendCq().channel());
        assertEquals(PostStatus.OK, pair.sendCq().arm(false));
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE));
        assertEquals(pair.sendCq(), pair.sendCq().channel().get(1_000_000_000));
        pair.sendCq().acknowledge(1);
    }

    @Test
    void memoryUnderRegionStaysUsable() {
        AllocatedMemory memory = fixture.a().keep(fixture.a().context().allocateMemory(4096, 64));
        MemoryRegion region = fixture.a().domain().register(memory.segment().asSlice(100, 50), Access.LOCAL_WRITE);
        busy(memory);
        memory.segment().fill((byte) 1);
        region.close();
        memory.close();
        assertThrows(IllegalStateException.class, () -> memory.segment().fill((byte) 2));
    }

    @Test
    void sharedReceiveQueueOfQueuePairStaysOpen() throws Throwable {
        Fixture.orSkip(() -> {
            SharedReceiveQueue srq = fixture.a().keep(fixture.a().domain()
                    .createSharedReceiveQueue(new SharedReceiveQueueConfig(4, 1, Threading.SAFE)));
            CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
            fixture.a().keep(fixture.a().domain().createQueuePair(
                    QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(1)).withSrq(srq)));
            busy(srq);
        });
    }

    @Test
    void contextWithChildrenStaysUsable() {
        try (Station station = new Station()) {
            Context context = station.context();
            busy(context);
            station.domain().close();
            station.otherDomain().close();
            CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(1));
            busy(context);
            cq.close();
            CompletionChannel channel = context.createCompletionChannel();
            busy(context);
            channel.close();
            AllocatedMemory memory = context.allocateMemory(1, 1);
            busy(context);
            memory.close();
            context.close();
        }
    }

    @Test
    void closingTwiceDoesNothing() {
        Pair pair = fixture.connected(new PairSpec().events());
        Buffer buffer = fixture.local(64, MemoryKind.DEVICE);
        for (AutoCloseable object : new AutoCloseable[] {
            pair.qp(), pair.sendCq(), pair.sendCq().channel(), buffer.region(), buffer.memory()}) {
            Assertions.assertDoesNotThrow(object::close);
            Assertions.assertDoesNotThrow(object::close);
        }
    }

    @Test
    void closedQueuePairSaysSo() {
        Pair pair = fixture.connected();
        pair.qp().close();
        assertEquals(PostStatus.CLOSED, pair.tryPost(WorkSpec.send(1, Opcode.SEND)));
        assertEquals(PostStatus.CLOSED, pair.qp().postSend(1, 0, 0, 0, 0));
        assertEquals(PostStatus.CLOSED, pair.qp().postWrite(1, 0, 0, 0, 0, 0, 0));
        assertEquals(PostStatus.CLOSED, pair.qp().postRead(1, 0, 0, 0, 0, 0, 0));
        assertEquals(PostStatus.CLOSED, pair.qp().postFetchAndAdd(1, 0, 0, 0, 0, 1, 0));
        assertEquals(PostStatus.CLOSED, pair.qp().postReceive(1, 0, 0, 0));
        closed(() -> pair.qp().modify(QueuePairAttributes.toState(QueuePairState.RESET)));
        closed(() -> pair.qp().query());
    }

    @Test
    void closedCompletionQueueAndChannelSaySo() {
        CompletionQueue cq = fixture.a().completionQueue(4, true, Threading.SAFE);
        CompletionChannel channel = cq.channel();
        cq.close();
        assertEquals(PostStatus.CLOSED, cq.poll(new WorkCompletion()));
        assertEquals(PostStatus.CLOSED, cq.poll(new WorkCompletion[] {new WorkCompletion()}));
        assertEquals(PostStatus.CLOSED, cq.poll(completion -> {}, 1));
        assertEquals(PostStatus.CLOSED, cq.arm(false));
        closed(() -> cq.resize(8));
        channel.close();
        closed(() -> channel.get(0));
        closed(() -> fixture.a().context().createCompletionQueue(CompletionQueueConfig.of(1).withChannel(channel)));
    }

    @Test
    void closedCompletionQueueIsRefusedForQueuePairs() {
        CompletionQueue cq = fixture.a().completionQueue(4, false, Threading.SAFE);
        cq.close();
        closed(() -> fixture.a().domain()
                .createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(1))));
    }

    @Test
    void closedDomainAndContextSaySo() {
        Context context = Devices.open(Station.device());
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(1));
        domain.close();
        closed(() -> domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(1))));
        closed(() -> domain.register(Arena.global().allocate(8), 0));
        cq.close();
        context.close();
        context.close();
        closed(context::allocateProtectionDomain);
        closed(() -> context.createCompletionQueue(CompletionQueueConfig.of(1)));
        closed(() -> context.allocateMemory(1, 1));
        closed(context::createCompletionChannel);
    }

    @Test
    void closedRegionCannotBeReregistered() {
        Buffer buffer = fixture.local(64, MemoryKind.DEVICE);
        buffer.region().close();
        closed(() -> buffer.region().reregister(MemoryRegion.CHANGE_ACCESS, null, null, 0));
    }

    @Test
    void queuePairWithWorkOutstandingCanBeClosed() {
        Pair pair = fixture.connected();
        pair.post(WorkSpec.send(1, Opcode.SEND));
        pair.postReceive(WorkSpec.receive(2));
        QueuePair qp = pair.qp();
        qp.close();
        assertEquals(0, pair.sendCq().poll(new WorkCompletion()), "completions of a closed queue pair are dropped");
        pair.sendCq().close();
    }
}
