package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Threads asleep in the device: they drive it, are woken, time out and can be interrupted. */
class WaitingTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(5);

    @Test
    void waiterRetriesWhatASleepingPosterHasLeft() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, 8).withEvents())) {
            End.ok(ends.b.recvCq.arm(false));
            End.ok(ends.a.send(1, 0, 100));
            try (Crew crew = new Crew()) {
                crew.start("waiter", () -> {
                    assertSame(ends.b.recvCq, ends.b.channel.get(LONG_NS));
                    ends.b.recvCq.acknowledge(1);
                });
                // From here on nobody but the waiter enters the device; the post itself does no retry.
                End.ok(ends.b.receive(2, 0, 100));
            }
            End.expect(ends.b.recvCq, 2);
            End.expect(ends.a.sendCq, 1);
        }
    }

    @Test
    void dedicatedProgressRetriesWithoutAnybodyWaiting() {
        Setup setup = Setup.of(Threading.SINGLE, 8).withDevices("soft3?progress=dedicated", "soft3?progress=dedicated");
        try (TwoEnds ends = new TwoEnds(setup)) {
            ends.b.set(0, 0);
            ends.a.set(0, 77);
            End.ok(ends.a.write(1, 0, 8, ends.b));
            End.ok(ends.a.send(1, 0, 2000));
            End.ok(ends.b.receive(2, 4096, 2000));
            // Only memory is watched: no call enters the device.
            Crew.await("the message", () -> ends.b.get(4096) == 77);
        }
    }

    @Test
    void waitEndsAfterItsTimeOnly() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withEvents())) {
            assertNull(ends.a.channel.get(0));
            long start = System.nanoTime();
            assertNull(ends.a.channel.get(SHORT_NS));
            assertTrue(System.nanoTime() - start >= SHORT_NS);
        }
    }

    @Test
    void interruptedWaitSaysSo() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withEvents())) {
            try (Crew crew = new Crew()) {
                Thread waiter = crew.start("waiter", () -> {
                    VerbsException e = assertThrows(VerbsException.class, () -> ends.a.channel.get(-1));
                    assertEquals(Errno.EINTR, e.errno());
                });
                awaitParked(waiter);
                waiter.interrupt();
                Thread other = crew.start("event-waiter", () -> {
                    VerbsException e = assertThrows(VerbsException.class, () -> ends.a.context.getAsyncEvent(-1));
                    assertEquals(Errno.EINTR, e.errno());
                });
                other.interrupt();
            }
        }
    }

    private static void awaitParked(Thread thread) {
        Crew.await("parking", () -> thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void eachEventWakesOneOfAHundredWaiters() {
        int waiters = 100;
        int rounds = 20;
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withEvents())) {
            AtomicInteger woken = new AtomicInteger();
            try (Crew crew = new Crew()) {
                for (int i = 0; i < waiters; i++) {
                    crew.start("waiter-" + i, () -> {
                        while (woken.get() < rounds && !crew.hasFailed()) {
                            CompletionQueue queue = ends.a.channel.get(TimeUnit.MILLISECONDS.toNanos(200));
                            if (queue != null) {
                                assertSame(ends.a.sendCq, queue);
                                queue.acknowledge(1);
                                woken.incrementAndGet();
                            }
                        }
                    });
                }
                for (int round = 0; round < rounds; round++) {
                    int before = round;
                    End.ok(ends.a.sendCq.arm(false));
                    End.ok(ends.a.write(round, 0, 8, ends.b));
                    Crew.await("wake-up " + round, () -> crew.hasFailed() || woken.get() > before);
                    End.expect(ends.a.sendCq, round);
                }
            }
            assertEquals(rounds, woken.get());
            assertNull(ends.a.channel.get(0));
        }
    }

    @Test
    void sleeperIsWokenByALaterDeadlineOfAnotherThread() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8).withEvents())) {
            try (Crew crew = new Crew()) {
                End.ok(ends.a.sendCq.arm(false));
                Thread waiter = crew.start("waiter", () -> {
                    assertSame(ends.a.sendCq, ends.a.channel.get(LONG_NS));
                    ends.a.sendCq.acknowledge(1);
                });
                awaitParked(waiter);
                // The send waits for its receiver; the sleeper had no deadline before.
                End.ok(ends.a.send(1, 0, 100));
                LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
                End.ok(ends.b.receive(2, 0, 100));
            }
            End.expect(ends.a.sendCq, 1);
            End.expect(ends.b.recvCq, 2);
        }
    }
}
