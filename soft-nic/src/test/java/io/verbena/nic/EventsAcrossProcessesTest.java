package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.nic.shm.Bells;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting for messages of another process by events: nothing is lost, and nobody is woken who does not sleep. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class EventsAcrossProcessesTest {
    private static final String ADAPTIVE = "soft6?link=shm";
    private static final String SLEEPING = "soft6?link=shm&wait=sleep";
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int ROUNDS = 3_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final long TOLERATED_BYTES = 4_096;

    private EventSide side;
    private EventEcho echo;

    private void start(String device, Threading threading, int count, boolean solicited) throws IOException {
        side = new EventSide(device, threading, count, solicited);
        echo = new EventEcho(side, device, threading, solicited, List.of());
    }

    @AfterEach
    void close() throws IOException {
        System.clearProperty(Ear.PARK_PROPERTY);
        if (echo != null) {
            echo.close();
            side.close();
        }
    }

    private void pingPong(int rounds) throws IOException {
        echo.echo(rounds);
        for (int i = 0; i < rounds; i++) {
            side.roundTrip(i % side.qps.size());
        }
        echo.expect("done");
    }

    @ParameterizedTest
    @CsvSource({SLEEPING + ", SAFE, false", SLEEPING + ", SINGLE, false", SLEEPING + ", SINGLE, true",
        ADAPTIVE + ", SAFE, true", ADAPTIVE + ", SINGLE, false", "soft6?link=shm&wait=spin, SAFE, false"})
    void roundTripsWithEventsAtBothEndsLoseNothing(String device, Threading threading, boolean solicited)
            throws IOException {
        start(device, threading, 1, solicited);
        pingPong(ROUNDS);
        assertTrue(side.waits() > ROUNDS / 100, "only " + side.waits() + " events");
    }

    @ParameterizedTest
    @CsvSource({SLEEPING + ", SAFE, false", SLEEPING + ", SINGLE, true", ADAPTIVE + ", SAFE, true"})
    @Tag("ci")
    @Timeout(300)
    void aHundredThousandRoundTripsLoseNothing(String device, Threading threading, boolean solicited)
            throws IOException {
        start(device, threading, 1, solicited);
        pingPong(100_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {SLEEPING, ADAPTIVE})
    void manyQueuePairsShareOneChannel(String device) throws IOException {
        // More than are looked at unasked, so that most of them have to be found.
        start(device, Threading.SAFE, 100, false);
        pingPong(ROUNDS);
        echo.ask(ROUNDS);
        for (int i = 0; i < ROUNDS; i++) {
            side.echo();
        }
        echo.expect("done");
    }

    @Test
    void nobodyIsWokenWhileNobodySleeps() throws IOException {
        start("soft6?link=shm&wait=spin", Threading.SAFE, 20, false);
        pingPong(100);
        long before = Bells.wakes();
        pingPong(ROUNDS);
        assertEquals(before, Bells.wakes());
    }

    @ParameterizedTest
    @EnumSource
    void waitingAndWakingAllocateNothing(Threading threading) throws IOException {
        start(SLEEPING, threading, 1, false);
        int measured = 5_000;
        long least = Long.MAX_VALUE;
        // Until everything is compiled, which takes its time on two cores that have other work.
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (least > TOLERATED_BYTES && System.nanoTime() - end < 0) {
            echo.echo(measured);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < measured; i++) {
                side.roundTrip(0);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            echo.expect("done");
        }
        assertTrue(least <= TOLERATED_BYTES, least + " bytes in " + measured + " round trips");
    }

    @Test
    void whoSleepsIsWokenOnceForEachEvent() throws IOException {
        start(SLEEPING, Threading.SAFE, 1, false);
        long before = Bells.wakes();
        pingPong(ROUNDS);
        long wakes = Bells.wakes() - before;
        // A machine that is busy wakes late, and a thread that has found its event may not have slept at all; but
        // nobody is woken a second time for what it has not looked at.
        assertTrue(wakes > 0 && wakes <= 2 * ROUNDS, wakes + " wake-ups");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void parkedThreadsAreWokenThroughTheSocket(boolean solicited) throws IOException {
        System.setProperty(Ear.PARK_PROPERTY, "true");
        start(SLEEPING, Threading.SAFE, 20, solicited);
        pingPong(ROUNDS);
    }

    @Test
    void virtualThreadsWaitWithoutKeepingTheirCarriers() throws Exception {
        start(SLEEPING, Threading.SAFE, 1, false);
        List<EventSide> idle = List.of(new EventSide(SLEEPING, Threading.SAFE, 1, false),
                new EventSide(SLEEPING, Threading.SAFE, 1, false), new EventSide(SLEEPING, Threading.SAFE, 1, false));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch ended = new CountDownLatch(1);
        List<Thread> waiting = idle.stream().map(each -> Thread.startVirtualThread(() ->
                assertThrows(VerbsException.class, () -> each.end.channel.get(-1)))).toList();
        Thread.startVirtualThread(() -> {
            try {
                pingPong(ROUNDS);
            } catch (Throwable e) {
                failure.set(e);
            } finally {
                ended.countDown();
            }
        });
        assertTrue(ended.await(60, TimeUnit.SECONDS), "no carrier is left");
        assertNull(failure.get());
        for (Thread thread : waiting) {
            thread.interrupt();
            thread.join();
        }
        idle.forEach(EventSide::close);
    }

    @ParameterizedTest
    @ValueSource(strings = {SLEEPING, ADAPTIVE})
    void threadsOfTheSameProcessAndRetriesThatAreDueWakeSleepersToo(String device) {
        Setup setup = Setup.of(Threading.SAFE, 8).withDevices(device, device).withEvents();
        try (TwoEnds ends = new TwoEnds(setup); Crew crew = new Crew()) {
            int rounds = 500;
            crew.start("waiter", () -> {
                for (int round = 0; round < rounds; round++) {
                    End.ok(ends.b.recvCq.arm(false));
                    // The receive comes late: the sender's retry is due while this thread sleeps.
                    End.ok(ends.b.receive(round, 0, 100));
                    assertEquals(ends.b.recvCq, ends.b.channel.get(EventSide.PATIENCE_NANOS));
                    ends.b.recvCq.acknowledge(1);
                    End.expect(ends.b.recvCq, round);
                }
            });
            for (int round = 0; round < rounds && !crew.hasFailed(); round++) {
                End.ok(ends.a.send(round, 0, 100));
                End.expect(ends.a.sendCq, round);
            }
        }
    }

    @Test
    void theEndOfAProducerWakesItsWaiter() throws Exception {
        start(SLEEPING, Threading.SAFE, 2, false);
        pingPong(10);
        try (Crew crew = new Crew()) {
            AtomicReference<CompletionQueue> event = new AtomicReference<>();
            Thread waiter = crew.start("waiter", () -> event.set(side.end.channel.get(-1)));
            Crew.await("waiting", () -> waiter.getState() == Thread.State.RUNNABLE);
            echo.process().destroyForcibly().waitFor();
            waiter.join(EventSide.PATIENCE_NANOS / 1_000_000);
            assertEquals(side.end.recvCq, event.get());
        }
        side.end.recvCq.acknowledge(1);
        assertEquals(WcStatus.WR_FLUSH_ERR, End.next(side.end.recvCq).status());
        acknowledgeAll();
    }

    private void acknowledgeAll() {
        Crew.await("the end", () -> side.qps.stream().allMatch(qp -> qp.state() == QueuePairState.ERR));
        for (var event = side.end.context.getAsyncEvent(SHORT_NS); event != null;
                event = side.end.context.getAsyncEvent(SHORT_NS)) {
            side.end.context.acknowledge(event);
        }
    }

    @Test
    void theEndOfAWaiterHarmsNoProducer() throws Exception {
        start(SLEEPING, Threading.SAFE, 1, false);
        pingPong(10);
        echo.echo(100);
        echo.process().destroyForcibly().waitFor();
        side.send(0);
        // Delivered before the end was noticed, or not: it completes in either case.
        assertNotNull(End.next(side.end.sendCq).status());
        acknowledgeAll();
    }

    @Test
    void anotherProcessThatComesWhileSomebodySleepsIsHeard() throws Exception {
        side = new EventSide(SLEEPING, Threading.SAFE, 1, false);
        try (Crew crew = new Crew()) {
            side.arm();
            crew.start("waiter", () -> {
                CompletionQueue queue = side.end.channel.get(EventSide.PATIENCE_NANOS);
                assertEquals(side.end.recvCq, queue);
                queue.acknowledge(1);
            });
            // The waiter sleeps, perhaps, before the other process has attached.
            echo = new EventEcho(side, SLEEPING, Threading.SAFE, false, List.of());
            echo.ask(1);
            crew.join();
            side.echo();
            echo.expect("done");
        }
    }

    @Test
    void waitsEndInTimeAndByInterruption() throws IOException {
        start(SLEEPING, Threading.SAFE, 1, false);
        pingPong(10);
        long start = System.nanoTime();
        assertNull(side.end.channel.get(SHORT_NS));
        assertTrue(System.nanoTime() - start >= SHORT_NS);
        try (Crew crew = new Crew()) {
            Thread waiter = crew.start("waiter", () -> {
                VerbsException e = assertThrows(VerbsException.class, () -> side.end.channel.get(-1));
                assertEquals(Errno.EINTR, e.errno());
            });
            waiter.interrupt();
            Thread other = crew.start("late", () ->
                    assertThrows(VerbsException.class, () -> side.end.channel.get(-1)));
            assertNull(side.end.channel.get(SHORT_NS));
            other.interrupt();
        }
        pingPong(10);
    }
}
