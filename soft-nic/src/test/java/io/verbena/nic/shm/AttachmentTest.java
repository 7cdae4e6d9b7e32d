package io.verbena.nic.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Threading;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ProcessPeer;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Two NICs that mean well. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "shared memory between processes needs Linux")
class AttachmentTest {
    private static final long LIMIT_MS = 10_000;
    private static final Consumer<Attachment> NOTHING = ended -> { };

    static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(LIMIT_MS, TimeUnit.MILLISECONDS), "nothing came in time");
    }

    @Test
    void boardsAreSeenAndCanNotBeWritten() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, NOTHING)) {
            owner.boardMemory.set(ValueLayout.JAVA_LONG, 4096, 42);
            MemorySegment board = attachment.board();
            assertEquals(FakeNic.BOARD_BYTES, board.byteSize());
            assertEquals(42, board.get(ValueLayout.JAVA_LONG, 4096));
            assertTrue(board.isReadOnly());
        }
    }

    @Test
    void inboxesAndRegionsAreWrittenByBoth() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, NOTHING);
                var inbox = attachment.openQueuePair(FakeNic.QP_NUM, 5);
                var region = attachment.openRegion(FakeNic.RKEY)) {
            assertEquals(FakeNic.OPENED, inbox.description());
            inbox.memory().set(ValueLayout.JAVA_INT, 128, 6);
            assertEquals(6, owner.inboxMemory.get(ValueLayout.JAVA_INT, 128));
            assertEquals(new Message.RegionOpened(10_000, 1_000, 9_000), region.description());
            owner.regionMemory.set(ValueLayout.JAVA_BYTE, 9_999, (byte) 8);
            assertEquals(8, region.memory().get(ValueLayout.JAVA_BYTE, 9_999));
        }
    }

    @Test
    void refusalsSayWhyAndLeaveTheAttachmentUsable() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, NOTHING)) {
            RefusedException refusal =
                    assertThrows(RefusedException.class, () -> attachment.openQueuePair(0xABC, 5));
            assertTrue(refusal.getMessage().endsWith("there is no queue pair 0xabc"), refusal.getMessage());
            assertEquals(OsException.ENOENT, refusal.errno());
            assertThrows(RefusedException.class, () -> attachment.openRegion(1));
            assertThrows(RefusedException.class, () -> attachment.closeQueuePair(FakeNic.QP_NUM, 5));
            attachment.notice(FakeNic.QP_NUM, 5, 1);
            attachment.openQueuePair(FakeNic.QP_NUM, 5).close();
            assertThrows(RefusedException.class, () -> attachment.openQueuePair(FakeNic.QP_NUM, 5));
            attachment.notice(FakeNic.QP_NUM, 5, 1);
            attachment.ring();
            attachment.closeQueuePair(FakeNic.QP_NUM, 5);
            assertEquals(List.of("open 5", "notice 5 1", "close 5"), owner.calls);
        }
    }

    @Test
    void aServiceThatFailsGoesOn() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, NOTHING)) {
            owner.failures.set(3);
            owner.service.ring();
            long start = System.nanoTime();
            do {
                attachment.openRegion(FakeNic.RKEY).close();
                assertTrue(System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(LIMIT_MS), "it never failed");
            } while (owner.failures.get() > 0);
            attachment.openRegion(FakeNic.RKEY).close();
            user.service.attach(owner.gid, NOTHING).close();
        }
    }

    @Test
    void anEndThatCouldNotBeToldIsToldAgain() throws Exception {
        CountDownLatch told = new CountDownLatch(2);
        try (FakeNic user = FakeNic.any(); FakeNic owner = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, ended -> {
                    told.countDown();
                    if (told.getCount() > 0) {
                        throw new OutOfMemoryError("made up by a test");
                    }
                })) {
            owner.service.close();
            await(told);
            assertTrue(attachment.isEnded());
        }
    }

    @Test
    void aRequestThatThereIsNoMemoryForFailsItsConnectionOnly() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, NOTHING);
                MemoryFile little = MemoryFile.create("room", 4_096);
                MemoryFile much = MemoryFile.create("room", 65_536)) {
            owner.mostRoom = 4_096;
            attachment.openQueuePair(FakeNic.QP_NUM, 5).close();
            attachment.openQueuePair(FakeNic.QP_NUM, 6).close();
            attachment.room(FakeNic.QP_NUM, 5, much);
            attachment.room(FakeNic.QP_NUM, 6, little);
            attachment.openRegion(FakeNic.RKEY).close();
            assertEquals(List.of("open 5", "open 6", "fail 5", "room 6 4096"), owner.calls);
        }
    }

    @Test
    void theWayOfDatagramsToAProcessThatHasEndedIsClosedUnused() throws IOException {
        ProcessPeer peer = new ProcessPeer("soft6?link=shm");
        try (FakeNic user = FakeNic.any()) {
            int cq = peer.execute(new PeerCommand.CreateCompletionQueue(1, false, Threading.SINGLE));
            Gid owner = Gid.ofHex(peer.execute(new PeerCommand.CreateQueuePair(
                    new QueuePairSpec().threading(Threading.SINGLE).depth(1, 1), cq, cq)).gid());
            user.couriers.ensure(owner);
            assertTrue(user.couriers.hasSome());
            peer.process().destroyForcibly().onExit().join();
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
            while (user.couriers.hasSome() && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertFalse(user.couriers.hasSome(), "it is kept though its process has ended");
        } finally {
            peer.process().destroyForcibly();
        }
    }

    @Test
    void whoSendsDatagramsGetsNoBellAndNoBoard() throws IOException {
        try (FakeNic owner = FakeNic.any();
                UnixSocket courier = UnixSocket.connect(AttachmentService.address(FakeNic.uid(), owner.gid))) {
            long before = HostileGuestTest.openDescriptors();
            courier.send(Codec.encode(new Message.Courier(Codec.VERSION, FakeNic.anyGid())));
            courier.send(Codec.encode(new Message.OpenRegion(FakeNic.RKEY)));
            UnixSocket.Message answer = courier.receive((int) LIMIT_MS);
            assertEquals(0, answer.descriptors().length);
            String reason = assertInstanceOf(Message.Refused.class, Codec.decode(answer.bytes())).reason();
            assertTrue(reason.contains("must send nothing else"), reason);
            HostileGuestTest.awaitDescriptors(before);
        }
    }

    @Test
    void nobodyThereIsToldAtOnce() throws IOException {
        try (FakeNic user = FakeNic.any()) {
            Gid nobody = FakeNic.anyGid();
            RefusedException refusal = assertThrows(RefusedException.class, () -> user.service.attach(nobody, NOTHING));
            assertEquals("no process of this user has a NIC at " + nobody, refusal.getMessage());
        }
    }

    @Test
    void addressesAreTakenOnceAndFreeAgain() throws IOException {
        FakeNic first = FakeNic.any();
        assertEquals(OsException.EADDRINUSE,
                assertThrows(OsException.class, () -> new FakeNic(first.gid, FakeNic.uid())).errno());
        first.close();
        new FakeNic(first.gid, FakeNic.uid()).close();
    }

    @Test
    void theEndOfTheOwnerIsTold() throws IOException, InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        FakeNic owner = FakeNic.any();
        try (FakeNic user = FakeNic.any();
                Attachment attachment = user.service.attach(owner.gid, ended -> gone.countDown())) {
            var inbox = attachment.openQueuePair(FakeNic.QP_NUM, 5);
            assertFalse(attachment.isEnded());
            owner.close();
            await(gone);
            assertTrue(attachment.isEnded());
            inbox.memory().fill((byte) 1);
            inbox.close();
            assertThrows(IOException.class, () -> attachment.openRegion(FakeNic.RKEY));
        }
    }

    @Test
    void theEndOfTheUserClosesWhatItHadOpen() throws IOException {
        try (FakeNic owner = FakeNic.any()) {
            FakeNic user = FakeNic.any();
            Attachment attachment =
                    user.service.attach(owner.gid, ended -> owner.calls.add("wrong: told of its own end"));
            for (int i = 0; i < 3; i++) {
                attachment.openQueuePair(FakeNic.QP_NUM, i).close();
            }
            attachment.close();
            user.close();
            List<String> expected = List.of("open 0", "open 1", "open 2", "gone 0", "gone 1", "gone 2");
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
            while (owner.calls.size() < expected.size() && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            assertEquals(expected, owner.calls);
        }
    }

    @Test
    void nicsAttachToEachOtherAndToThemselves() throws IOException {
        try (FakeNic a = FakeNic.any(); FakeNic b = FakeNic.any();
                Attachment there = a.service.attach(b.gid, NOTHING);
                Attachment back = b.service.attach(a.gid, NOTHING);
                Attachment self = a.service.attach(a.gid, NOTHING)) {
            there.openQueuePair(FakeNic.QP_NUM, 1).close();
            back.openQueuePair(FakeNic.QP_NUM, 2).close();
            self.openQueuePair(FakeNic.QP_NUM, 3).close();
            assertEquals(List.of("open 2", "open 3"), a.calls);
            assertEquals(List.of("open 1"), b.calls);
        }
    }

    @Test
    void attachmentsComeAndGo() throws IOException {
        try (FakeNic owner = FakeNic.any(); FakeNic user = FakeNic.any()) {
            try (Attachment first = user.service.attach(owner.gid, NOTHING)) {
                first.openRegion(FakeNic.RKEY).close();
            }
            long before = HostileGuestTest.openDescriptors();
            for (int i = 0; i < 1_000; i++) {
                try (Attachment attachment = user.service.attach(owner.gid, NOTHING)) {
                    attachment.openQueuePair(FakeNic.QP_NUM, 1).close();
                    attachment.openRegion(FakeNic.RKEY).close();
                }
            }
            HostileGuestTest.awaitDescriptors(before);
        }
    }
}
