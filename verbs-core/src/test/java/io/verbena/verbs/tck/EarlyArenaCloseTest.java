package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user closes the arena of registered memory: work ends with a status, and the JVM does not crash. */
@DisplayName("Arena closed while registered")
@Timeout(60)
class EarlyArenaCloseTest extends FixtureTest {
    private static final Set<WcStatus> REMOTE = Set.of(WcStatus.REM_ACCESS_ERR, WcStatus.REM_OP_ERR);
    private static final int BYTES = 200_000;

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"SEND", "RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ",
        "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void localMemoryThatIsGoneIsAProtectionError(Opcode opcode) {
        for (int bytes : new int[] {8, BYTES}) {
            Pair pair = fixture.connected();
            Buffer local = fixture.local(bytes, MemoryKind.SHARED);
            RemoteBuffer remote = fixture.remote(bytes, MemoryKind.DEVICE);
            pair.postRemoteReceive(1, remote, 0, bytes);
            local.memory().close();
            int size = RemoteKeyC27Test.isAtomic(opcode) ? 8 : bytes;
            pair.post(WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            pair.await(WcStatus.LOC_PROT_ERR);
            local.region().close();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "RDMA_READ",
        "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void remoteMemoryThatIsGoneIsARemoteError(Opcode opcode) {
        for (int bytes : new int[] {8, BYTES}) {
            Pair pair = fixture.connected();
            Buffer local = fixture.local(bytes, MemoryKind.DEVICE);
            RemoteBuffer remote = fixture.remote(bytes, MemoryKind.SHARED);
            fixture.b().execute(new PeerCommand.Destroy(remote.memory()));
            pair.postRemoteReceive(WorkSpec.receive(1));
            int size = RemoteKeyC27Test.isAtomic(opcode) ? 8 : bytes;
            pair.post(WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()));
            WcStatus status = pair.await().status();
            assertTrue(REMOTE.contains(status), opcode + " gave " + status);
        }
    }

    @Test
    void receiveBufferThatIsGoneIsAProtectionError() {
        for (int bytes : new int[] {8, BYTES}) {
            Pair pair = fixture.connected();
            Buffer local = fixture.local(bytes, MemoryKind.DEVICE);
            RemoteBuffer remote = fixture.remote(bytes, MemoryKind.SHARED);
            pair.postRemoteReceive(1, remote, 0, bytes);
            fixture.b().execute(new PeerCommand.Destroy(remote.memory()));
            pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), bytes, local.lkey()));
            WcStatus sender = pair.await().status();
            assertTrue(sender == WcStatus.REM_OP_ERR || sender == WcStatus.SUCCESS, sender.toString());
            pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR);
        }
    }

    @Test
    void inlineDataThatIsGoneIsRefusedOrFails() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.SHARED);
        local.memory().close();
        int status = pair.qp().postWrite(1, local.address(), 32, local.lkey(), 0, 0,
                SendFlags.SIGNALED | SendFlags.INLINE);
        if (status == PostStatus.OK) {
            pair.await(WcStatus.LOC_PROT_ERR);
        } else {
            assertEquals(PostStatus.INLINE_NOT_REGISTERED, status);
        }
    }

    @Test
    void regionCanStillBeClosed() {
        Buffer local = fixture.local(64, MemoryKind.SHARED);
        local.memory().close();
        local.region().close();
        fixture.connected();
    }

    @Test
    void closingDuringAStormEndsItWithAStatus() {
        for (int round = 0; round < 30; round++) {
            Pair pair = fixture.connected();
            GuardedMemory memory = fixture.a().allocate(BYTES, MemoryKind.SHARED);
            MemoryRegion region = fixture.a().register(memory, Fixture.ALL_ACCESS);
            RemoteBuffer remote = fixture.remote(BYTES, MemoryKind.DEVICE);
            boolean read = round % 2 == 0;
            try (Threads threads = new Threads()) {
                threads.start("storm", () -> {
                    assertEquals(WcStatus.LOC_PROT_ERR, storm(pair, region, remote, read));
                    return null;
                });
                Waiting.pause(200_000L * round);
                closeWhenAllowed(memory);
            }
        }
    }

    /** A shared arena refuses to be closed at the very moment somebody accesses it. */
    private static void closeWhenAllowed(GuardedMemory memory) {
        assertTrue(Waiting.until(() -> {
            try {
                memory.close();
                return true;
            } catch (IllegalStateException busy) {
                return false;
            }
        }, Waiting.LIMIT_NANOS));
    }

    private static WcStatus storm(Pair pair, MemoryRegion region, RemoteBuffer remote, boolean read) {
        WorkCompletion completion = new WorkCompletion();
        while (true) {
            int status = read
                    ? pair.qp().postRead(1, region.address(), BYTES, region.lkey(), remote.address(), remote.rkey(),
                            SendFlags.SIGNALED)
                    : pair.qp().postWrite(1, region.address(), BYTES, region.lkey(), remote.address(), remote.rkey(),
                            SendFlags.SIGNALED);
            assertEquals(PostStatus.OK, status);
            assertTrue(Waiting.until(() -> pair.sendCq().poll(completion) > 0, Waiting.LIMIT_NANOS));
            if (!completion.isSuccess()) {
                return completion.status();
            }
        }
    }
}
