package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Access;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Station;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Reregistration: new memory, domain or rights under the same keys. */
@DisplayName("C34 reregistration")
@Timeout(60)
class ReregisterC34Test extends FixtureTest {
    private static final int BYTES = 256;

    private Pair pair;
    private Buffer local;

    private RemoteBuffer prepare(MemoryKind kind) {
        pair = fixture.connected();
        local = fixture.local(BYTES, MemoryKind.DEVICE).fill(1);
        return fixture.remote(BYTES, kind);
    }

    private RemoteBuffer reregister(RemoteBuffer buffer, int flags, int domain, int memory, int access) {
        return new RemoteBuffer(fixture.b(), memory, fixture.b().execute(
                new PeerCommand.Reregister(buffer.region().handle(), flags, domain, memory, access)));
    }

    private WorkSpec request(Opcode opcode, RemoteBuffer target) {
        int size = RemoteKeyC27Test.isAtomic(opcode) ? 8 : BYTES;
        return WorkSpec.send(1, opcode).sge(local.address(), size, local.lkey())
                .remote(target.address(), target.rkey());
    }

    private void expect(WcStatus status, Opcode opcode, RemoteBuffer target) {
        pair.post(request(opcode, target));
        pair.await(status);
        if (status != WcStatus.SUCCESS) {
            pair.reconnect();
        }
    }

    @ParameterizedTest
    @CsvSource({"DEVICE, 256", "SHARED, 256", "DEVICE, 8", "SHARED, 8"})
    void receivePostedOnTheOldMemoryFailsAndTrafficWorksAfterReset(MemoryKind kind, int size) {
        RemoteBuffer old = prepare(kind).fill(5);
        int fresh = fixture.b().execute(new PeerCommand.Allocate(BYTES, kind));
        pair.postRemoteReceive(3, old, 0, BYTES);
        RemoteBuffer moved = reregister(old, MemoryRegion.CHANGE_TRANSLATION, PeerCommand.DOMAIN, fresh, 0);
        pair.post(WorkSpec.send(1, Opcode.SEND).sge(local.address(), size, local.lkey()));
        pair.await(WcStatus.REM_OP_ERR);
        pair.awaitRemoteReceive(WcStatus.LOC_PROT_ERR);
        old.check(0, BYTES, 5, "old memory");
        pair.reconnect();
        pair.postRemoteReceive(4, moved, 0, BYTES);
        expect(WcStatus.SUCCESS, Opcode.SEND, moved);
        pair.awaitRemoteReceive(WcStatus.SUCCESS);
        moved.check(0, BYTES, 1, "new memory");
    }

    @ParameterizedTest
    @EnumSource(value = MemoryKind.class, names = {"DEVICE", "SHARED"})
    void peersReachTheNewMemoryUnderTheSameKeyAndTheOldNoMore(MemoryKind kind) {
        RemoteBuffer old = prepare(kind).fill(5);
        int fresh = fixture.b().execute(new PeerCommand.Allocate(2 * BYTES, kind));
        expect(WcStatus.SUCCESS, Opcode.RDMA_READ, old);
        local.fill(1);
        RemoteBuffer moved = reregister(old, MemoryRegion.CHANGE_TRANSLATION, PeerCommand.DOMAIN, fresh, 0);
        assertEquals(old.rkey(), moved.rkey());
        assertEquals(old.lkey(), moved.lkey());
        assertEquals(2 * BYTES, moved.length());
        expect(WcStatus.SUCCESS, Opcode.RDMA_WRITE, moved);
        moved.check(0, BYTES, 1, "new memory");
        expect(WcStatus.REM_ACCESS_ERR, Opcode.RDMA_WRITE, old);
        old.check(0, BYTES, 5, "old memory");
    }

    @ParameterizedTest
    @EnumSource(value = Opcode.class, names = {"RDMA_WRITE", "RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void rightsTakenAwayAndGivenBackTakeEffect(Opcode opcode) {
        RemoteBuffer target = prepare(MemoryKind.DEVICE);
        expect(WcStatus.SUCCESS, opcode, target);
        int without = Fixture.ALL_ACCESS & ~RemoteKeyC27Test.right(opcode);
        RemoteBuffer less = reregister(target, MemoryRegion.CHANGE_ACCESS, PeerCommand.DOMAIN, target.memory(),
                without);
        assertEquals(target.rkey(), less.rkey());
        expect(WcStatus.REM_ACCESS_ERR, opcode, less);
        RemoteBuffer again = reregister(target, MemoryRegion.CHANGE_ACCESS, PeerCommand.DOMAIN, target.memory(),
                Fixture.ALL_ACCESS);
        expect(WcStatus.SUCCESS, opcode, again);
    }

    @Test
    void regionInAnotherDomainIsClosedToTheQueuePairUntilItComesBack() {
        RemoteBuffer target = prepare(MemoryKind.DEVICE);
        pair.postRemoteReceive(1, target, 0, BYTES);
        RemoteBuffer away = reregister(target, MemoryRegion.CHANGE_PD, PeerCommand.OTHER_DOMAIN, target.memory(), 0);
        expect(WcStatus.REM_OP_ERR, Opcode.SEND, away);
        expect(WcStatus.REM_ACCESS_ERR, Opcode.RDMA_WRITE, away);
        RemoteBuffer back = reregister(target, MemoryRegion.CHANGE_PD, PeerCommand.DOMAIN, target.memory(), 0);
        expect(WcStatus.SUCCESS, Opcode.RDMA_WRITE, back);
        back.check(0, BYTES, 1, "memory after the return");
    }

    @Test
    void allThreeCanBeChangedAtOnce() {
        RemoteBuffer target = prepare(MemoryKind.DEVICE);
        int fresh = fixture.b().execute(new PeerCommand.Allocate(BYTES, MemoryKind.SHARED));
        int all = MemoryRegion.CHANGE_TRANSLATION | MemoryRegion.CHANGE_PD | MemoryRegion.CHANGE_ACCESS;
        RemoteBuffer changed = reregister(target, all, PeerCommand.DOMAIN, fresh, Access.REMOTE_READ);
        expect(WcStatus.SUCCESS, Opcode.RDMA_READ, changed);
        expect(WcStatus.REM_ACCESS_ERR, Opcode.RDMA_WRITE, changed);
    }

    @Test
    void localUseFollowsTheChange() {
        RemoteBuffer target = prepare(MemoryKind.DEVICE);
        var fresh = fixture.a().allocate(BYTES, MemoryKind.SHARED);
        long oldAddress = local.address();
        int lkey = local.lkey();
        local.region().reregister(MemoryRegion.CHANGE_TRANSLATION, null, fresh.segment(), 0);
        assertEquals(lkey, local.lkey());
        assertEquals(fresh.segment().address(), local.region().address());
        assertEquals(fresh.segment(), local.region().segment());
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), BYTES, lkey)
                .remote(target.address(), target.rkey()));
        pair.await(WcStatus.SUCCESS);
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(oldAddress, BYTES, lkey)
                .remote(target.address(), target.rkey()));
        pair.await(WcStatus.LOC_PROT_ERR);
    }

    @Test
    void oldDeviceMemoryCanBeFreedAfterwards() {
        prepare(MemoryKind.DEVICE);
        var fresh = fixture.a().allocate(BYTES, MemoryKind.DEVICE);
        assertThrows(VerbsException.class, () -> local.memory().close());
        local.region().reregister(MemoryRegion.CHANGE_TRANSLATION, null, fresh.segment(), 0);
        local.memory().close();
        assertThrows(VerbsException.class, fresh::close);
    }

    /** Arguments of a reregistration that must be refused. */
    private record Bad(int flags, ProtectionDomain domain, MemorySegment segment, int access) {}

    @Test
    void wrongArgumentsAreRefusedAndChangeNothing() {
        RemoteBuffer target = prepare(MemoryKind.DEVICE);
        try (Station other = new Station()) {
            List<Bad> all = List.of(
                    new Bad(0, null, null, 0),
                    new Bad(8, null, null, 0),
                    new Bad(-1, fixture.a().domain(), local.segment(), 0),
                    new Bad(MemoryRegion.CHANGE_ACCESS, null, null, Access.REMOTE_WRITE),
                    new Bad(MemoryRegion.CHANGE_ACCESS, null, null, Access.REMOTE_ATOMIC),
                    new Bad(MemoryRegion.CHANGE_ACCESS, null, null, 1 << 15),
                    new Bad(MemoryRegion.CHANGE_PD, null, null, 0),
                    new Bad(MemoryRegion.CHANGE_PD, other.domain(), null, 0),
                    new Bad(MemoryRegion.CHANGE_TRANSLATION, null, null, 0),
                    new Bad(MemoryRegion.CHANGE_TRANSLATION, null, MemorySegment.ofArray(new byte[8]), 0),
                    new Bad(MemoryRegion.CHANGE_TRANSLATION, null, local.segment().asSlice(0, 0), 0),
                    new Bad(MemoryRegion.CHANGE_TRANSLATION | MemoryRegion.CHANGE_ACCESS, null,
                            local.segment().asSlice(0, 8), Access.REMOTE_WRITE));
            for (Bad bad : all) {
                VerbsException refusal = assertThrows(VerbsException.class, () -> local.region()
                        .reregister(bad.flags(), bad.domain(), bad.segment(), bad.access()), bad.toString());
                assertEquals(true, List.of(Errno.EINVAL, Errno.EOPNOTSUPP).contains(refusal.errno()), bad.toString());
                assertEquals(BYTES, local.region().length());
                assertEquals(Fixture.ALL_ACCESS, local.region().access());
            }
        }
        expect(WcStatus.SUCCESS, Opcode.RDMA_READ, target);
    }
}
