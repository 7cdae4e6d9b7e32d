package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What two ends agree on about memory, over every link. */
class RemoteRequestsTest {
    @EveryLink
    void requestedMemoryIsWrittenAndHandedBack(String link) {
        try (Ends ends = Ends.open(link)) {
            RemoteMemory remote = ends.await(ends.left.requestMemory(100, Ends.REMOTE, null));
            assertEquals(100, remote.length());
            LocalMemory mine = ends.leftMemory(100);
            mine.writable().fill((byte) 5);
            ends.await(ends.left.write(mine, remote));
            ends.await(ends.left.handBackMemory(remote));
            LocalMemory got = ends.await(ends.right.receiveHandedBack());
            assertEquals(-1, got.readable().mismatch(mine.readable()));
            got.close();
            assertInstanceOf(PeerRefusedException.class, ends.failure(ends.left.releaseMemory(remote)));
        }
    }

    @EveryLink
    void memoryThatIsLentReachesThePeerAsAToken(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory theirs = ends.rightMemory(8);
            MemoryLease lease = theirs.expose(Access.REMOTE_READ, Duration.ofMinutes(1));
            RdmaFuture<Void> told = ends.right.sendMemory(lease);
            RemoteMemory remote = ends.await(ends.left.receiveMemory());
            ends.await(told);
            assertFalse(remote.isExpired());
            assertTrue(remote.remaining().compareTo(Duration.ofMinutes(1)) <= 0);
            ends.await(ends.left.read(ends.leftMemory(8), remote));
            assertEquals(OperationStatus.NO_RIGHT,
                    ends.left.write(ends.leftMemory(8), remote, (token, status, value) -> { }, 0));
        }
    }

    @Test
    void leasesAreRenewedAndReleasedAndEndByThemselves() {
        try (Ends ends = Ends.open("soft")) {
            RemoteMemory first = ends.await(ends.left.requestMemory(64, Ends.REMOTE, Duration.ofMinutes(1)));
            RemoteMemory longer = ends.await(ends.left.renewMemory(first, Duration.ofMinutes(10)));
            assertTrue(longer.remaining().compareTo(Duration.ofMinutes(5)) > 0);
            assertEquals(1, ends.here.memory().leases());
            ends.await(ends.left.releaseMemory(longer));
            assertEquals(0, ends.here.memory().leases());

            RemoteMemory brief = ends.await(ends.left.requestMemory(64, Ends.REMOTE, Duration.ofMillis(30)));
            ends.until(brief::isExpired);
            assertInstanceOf(LeaseExpiredException.class, ends.failure(ends.left.read(ends.leftMemory(64), brief)));
            ends.until(() -> ends.here.memory().leases() == 0);
            assertInstanceOf(PeerRefusedException.class,
                    ends.failure(ends.left.renewMemory(brief, Duration.ofDays(1))));
        }
    }

    @Test
    void whatThePeerDoesNotGrantIsRefusedWithTheReason() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withGrants(
                GrantConfig.DEFAULT.withQuotaBytes(1_000).withMaxRights(Access.REMOTE_READ));
        try (Ends ends = Ends.open("soft", config)) {
            String rights = ends.failure(ends.left.requestMemory(10, Ends.REMOTE, null)).getMessage();
            assertTrue(rights.contains("maxRights"), rights);
            String quota = ends.failure(ends.left.requestMemory(1_001, Access.REMOTE_READ, null)).getMessage();
            assertTrue(quota.contains("quotaBytes"), quota);
            RemoteMemory all = ends.await(ends.left.requestMemory(1_000, Access.REMOTE_READ, null));
            assertInstanceOf(PeerRefusedException.class,
                    ends.failure(ends.left.requestMemory(1, Access.REMOTE_READ, null)));
            ends.await(ends.left.releaseMemory(all));
            ends.await(ends.left.requestMemory(1_000, Access.REMOTE_READ, null));
        }
    }

    @Test
    void aPeerThatNobodyDrivesIsReportedWithinTheDeadline() {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withDeadline(Duration.ofMillis(50));
        try (Ends ends = Ends.open("shm", config)) {
            RdmaFuture<RemoteMemory> asked = ends.left.requestMemory(10, Ends.REMOTE, null);
            while (!asked.isDone()) {
                ends.here.poll();
            }
            assertInstanceOf(DeadlineExceededException.class, asked.exceptionNow());
        }
    }

    @Test
    void memoryThatNobodyWaitsForAnyMoreIsReleasedWhenItIsGranted() {
        try (Ends ends = Ends.open("soft")) {
            ends.left.requestMemory(64, Ends.REMOTE, null).cancel(false);
            ends.await(ends.left.requestMemory(64, Ends.REMOTE, null));
            ends.until(() -> ends.here.memory().leases() == 1);
        }
    }

    @Test
    void requestsThatWereGivenUpCountUntilTheyAreAnswered() {
        try (Ends ends = Ends.open("shm")) {
            for (int i = 0; i < 200; i++) {
                ends.left.requestMemory(64, Ends.REMOTE, null).cancel(false);
            }
            assertInstanceOf(BackPressureException.class,
                    ends.left.requestMemory(64, Ends.REMOTE, null).exceptionNow());
            ends.until(() -> ends.there.memory().leases() == 0
                    && !ends.left.requestMemory(64, Ends.REMOTE, null).isCompletedExceptionally());
            assertEquals(ConnectionState.OPEN, ends.left.state());
        }
    }

    @Test
    void whatIsHandedBackCountsUntilItIsTaken() {
        ConnectionConfig config =
                ConnectionConfig.DEFAULT.withGrants(GrantConfig.DEFAULT.withQuotaBytes(1_000));
        try (Ends ends = Ends.open("soft", config)) {
            ends.await(ends.left.handBackMemory(ends.await(ends.left.requestMemory(1_000, Ends.REMOTE, null))));
            assertInstanceOf(PeerRefusedException.class, ends.failure(ends.left.requestMemory(1, Ends.REMOTE, null)));
            ends.await(ends.right.receiveHandedBack()).close();
            ends.await(ends.left.requestMemory(1_000, Ends.REMOTE, null));
        }
    }

    @Test
    void aPeerIsToldOfSoMuchMemoryOnlyAsItTakes() {
        try (Ends ends = Ends.open("soft")) {
            MemoryLease lease = ends.leftMemory(8).expose(Ends.REMOTE);
            for (int i = 0; i < MemoryRequests.MAX_OPEN; i++) {
                ends.await(ends.left.sendMemory(lease));
            }
            String why = ends.failure(ends.left.sendMemory(lease)).getMessage();
            assertTrue(why.contains("receiveMemory"), why);
            ends.await(ends.right.receiveMemory());
            ends.await(ends.left.sendMemory(lease));
        }
    }

    @Test
    void aLeaseThatThePeerWasToldOfEndsNoSoonerHereThanThere() {
        try (Ends ends = Ends.open("soft")) {
            MemoryLease lease = ends.leftMemory(8).expose(Ends.REMOTE, Duration.ofMinutes(1));
            RdmaFuture<Void> told = ends.left.sendMemory(lease);
            RemoteMemory there = ends.await(ends.right.receiveMemory());
            ends.await(told);
            assertTrue(lease.remote().deadline() >= there.deadline());
        }
    }
}
