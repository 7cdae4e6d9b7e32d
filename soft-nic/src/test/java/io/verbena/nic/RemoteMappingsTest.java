package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ProcessPeer;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What is mapped of another process's memory stays bounded while a connection lasts. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class RemoteMappingsTest {
    private static final String DEVICE = "soft6?link=shm";
    private static final int ROUNDS = 200;
    private static final int BYTES = 4_096;
    private static final int ALLOWED = 40;

    private static long mappings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("verbena-memory")).count();
        }
    }

    @Test
    void memoryThatItsOwnerRegistersAgainAndAgainIsNotMappedMoreAndMore() throws IOException {
        try (End end = new End(DEVICE, Setup.of(Threading.SINGLE, 16)); ProcessPeer peer = new ProcessPeer(DEVICE)) {
            int cq = peer.execute(new PeerCommand.CreateCompletionQueue(16, false, Threading.SINGLE));
            PeerAnswer.QueuePairInfo qp = peer.execute(new PeerCommand.CreateQueuePair(
                    new QueuePairSpec().threading(Threading.SINGLE).depth(16, 16), cq, cq));
            int memory = peer.execute(new PeerCommand.Allocate(BYTES, MemoryKind.DEVICE));
            LinkSpec link = new LinkSpec().retry(14, 7);
            Gid gid = end.context.queryGid(1, 0).gid();
            peer.execute(new PeerCommand.Connect(qp.handle(),
                    new QueuePairEndpoint(gid, end.qp.qpNum(), link.psn()).format(), link));
            link.connect(end.qp, new QueuePairEndpoint(Gid.ofHex(qp.gid()), qp.qpNum(), link.psn()));
            PeerAnswer.RegionInfo kept =
                    peer.execute(new PeerCommand.Register(PeerCommand.DOMAIN, memory, 0, BYTES, End.ALL));
            long before = mappings();
            for (int round = 0; round < ROUNDS; round++) {
                PeerAnswer.RegionInfo region =
                        peer.execute(new PeerCommand.Register(PeerCommand.DOMAIN, memory, 0, BYTES, End.ALL));
                Pattern.fill(end.memory.segment().asSlice(0, BYTES), round);
                write(end, round, round % 7 == 0 ? kept : region);
                assertEquals(-1L, peer.execute(new PeerCommand.Check(memory, 0, BYTES, round)));
                write(end, round, region);
                peer.execute(new PeerCommand.Destroy(region.handle()));
            }
            long grown = mappings() - before;
            assertTrue(grown <= ALLOWED, ROUNDS + " registrations left " + grown + " mappings");
        }
    }

    private static void write(End end, int wrId, PeerAnswer.RegionInfo to) {
        End.ok(end.qp.postWrite(wrId, end.at(0), BYTES, end.region.lkey(), to.address(), to.rkey(),
                SendFlags.SIGNALED));
        End.expect(end.sendCq, wrId);
    }
}
