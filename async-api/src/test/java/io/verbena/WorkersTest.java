package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Threading;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node with workers tells of what has completed on their threads: in order for each connection, and bounded. */
class WorkersTest {
    private static final int SENDS = 8;
    private static final ConnectionConfig SMALL =
            ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(SENDS).withReceives(SENDS));

    private final CountDownLatch go = new CountDownLatch(1);
    private RdmaNode node;

    private ConnectionPair open(int workers, ConnectionConfig config) {
        if (node == null) {
            node = RdmaNode.open(Ends.node("soft", PollerMode.ADAPTIVE).withWorkers(workers));
        }
        return ConnectionPair.open(node, node, config);
    }

    @AfterEach
    void close() {
        go.countDown();
        if (node != null) {
            node.close();
        }
    }

    private void block() {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this", e);
        }
    }

    private RemoteMemory page() {
        return node.memory().allocate(4_096).expose(Ends.REMOTE).remote();
    }

    private static boolean isWorker() {
        return Thread.currentThread().getName().startsWith("verbena-worker-");
    }

    private static void post(IntSupplier operation) {
        int status = operation.getAsInt();
        while (status == OperationStatus.BACK_PRESSURED) {
            Thread.onSpinWait();
            status = operation.getAsInt();
        }
        assertEquals(OperationStatus.SUCCESS, status);
    }

    @Test
    void eachConnectionIsToldInOrderOnAWorkersThread() {
        int connections = 5;
        int operations = 2_000;
        List<ConnectionPair> pairs = new ArrayList<>();
        List<List<Long>> told = new ArrayList<>();
        AtomicInteger elsewhere = new AtomicInteger();
        for (int i = 0; i < connections; i++) {
            pairs.add(open(3, ConnectionConfig.DEFAULT));
            told.add(Collections.synchronizedList(new ArrayList<>()));
        }
        LocalMemory mine = node.memory().allocate(8);
        RemoteMemory remote = page().slice(0, 8);
        for (long number = 0; number < operations; number++) {
            for (int i = 0; i < connections; i++) {
                List<Long> here = told.get(i);
                RdmaConnection connection = pairs.get(i).left();
                long token = number;
                CompletionCallback note = (which, status, value) -> {
                    here.add(status == 0 ? which : -1);
                    if (!isWorker()) {
                        elsewhere.incrementAndGet();
                    }
                    if (ThreadLocalRandom.current().nextInt(100) == 0) {
                        LockSupport.parkNanos(20_000);
                    }
                };
                post(() -> token % 7 == 0
                        ? connection.fetchAndAdd(remote, 1, note, token) : connection.write(mine, remote, note, token));
            }
        }
        for (List<Long> each : told) {
            Waiting.until("all are told", () -> each.size() == operations);
            for (int i = 0; i < operations; i++) {
                assertEquals(i, each.get(i));
            }
        }
        assertEquals(0, elsewhere.get(), "told by other threads");
        pairs.forEach(ConnectionPair::close);
    }

    @Test
    void messagesAndImmediatesComeInOrderThroughAHandlerAndThroughReceive() throws Exception {
        try (ConnectionPair pair = open(2, ConnectionConfig.DEFAULT)) {
            List<Integer> got = Collections.synchronizedList(new ArrayList<>());
            AtomicInteger elsewhere = new AtomicInteger();
            RemoteMemory remote = page().slice(0, 8);
            LocalMemory mine = node.memory().allocate(8);
            for (int i = 0; i < 10; i++) {
                pair.left().sendWithImm(mine, i).get(20, TimeUnit.SECONDS);
            }
            pair.right().onMessage(message -> {
                got.add(message.immediate());
                if (!isWorker()) {
                    elsewhere.incrementAndGet();
                }
            });
            for (int i = 10; i < 500; i++) {
                LocalMemory message = i % 50 == 0 ? node.memory().allocate(10_000) : mine;
                int number = i;
                post(() -> pair.left().sendWithImm(message, number, (token, status, value) -> { }, 0));
            }
            Waiting.until("all have come", () -> got.size() == 500);
            for (int i = 0; i < 500; i++) {
                assertEquals(i, got.get(i));
            }
            pair.right().onMessage(null);
            pair.left().send(mine);
            Ends.get(pair.right().receive()).close();
            pair.left().writeWithImm(mine, remote, 7);
            assertEquals(7, Ends.get(pair.right().receiveWriteImm()));
            AtomicInteger told = new AtomicInteger();
            pair.right().onWriteImm((token, status, value) -> {
                told.addAndGet((int) value);
                if (!isWorker()) {
                    elsewhere.incrementAndGet();
                }
            });
            for (int i = 0; i < 300; i++) {
                post(() -> pair.left().writeWithImm(mine, remote, 1, (token, status, value) -> { }, 0));
            }
            Waiting.until("all have come", () -> told.get() == 300);
            assertEquals(0, elsewhere.get(), "told by other threads");
        }
    }

    @Test
    void aWorkerThatBlocksStallsItsOwnConnectionsOnlyAndIsBackPressureThere() throws Exception {
        try (ConnectionPair slow = open(2, SMALL); ConnectionPair fast = open(2, SMALL)) {
            LocalMemory mine = node.memory().allocate(8);
            RemoteMemory remote = page().slice(0, 8);
            AtomicInteger told = new AtomicInteger();
            CountDownLatch inside = new CountDownLatch(1);
            CompletionCallback blocks = (token, status, value) -> {
                inside.countDown();
                block();
                told.incrementAndGet();
            };
            assertEquals(OperationStatus.SUCCESS, slow.left().write(mine, remote, blocks, 0));
            inside.await();
            int started = 1;
            long end = System.nanoTime() + 200_000_000;
            while (System.nanoTime() < end) {
                started += slow.left().write(mine, remote, blocks, 0) == OperationStatus.SUCCESS ? 1 : 0;
            }
            assertTrue(started > SENDS && started <= 1 + 2 * SENDS, started + " were started though none was told");
            assertEquals(0, told.get());
            // The right end of a pair has the other worker.
            RdmaConnection other = slow.right();
            assertEquals(OperationStatus.SUCCESS,
                    other.write(mine, remote, (token, status, value) -> told.addAndGet(1_000), 0));
            Waiting.until("the other worker goes on", () -> told.get() == 1_000);
            Ends.get(fast.right().write(mine, remote));
            go.countDown();
            int all = started;
            Waiting.until("all are told", () -> told.get() == 1_000 + all);
            Waiting.until("there is room again",
                    () -> slow.left().write(mine, remote, (token, status, value) -> { }, 0) == OperationStatus.SUCCESS);
        }
    }

    @Test
    void aHandlerThatBlocksStopsThePeerWithoutLosingAnything() {
        try (ConnectionPair pair = open(2, SMALL)) {
            List<Integer> got = Collections.synchronizedList(new ArrayList<>());
            pair.right().onMessage(message -> {
                block();
                got.add(message.immediate());
            });
            LocalMemory mine = node.memory().allocate(8);
            int started = 0;
            long end = System.nanoTime() + 200_000_000;
            while (System.nanoTime() < end) {
                int status = pair.left().sendWithImm(mine, started, (token, done, value) -> { }, 0);
                started += status == OperationStatus.SUCCESS ? 1 : 0;
            }
            assertTrue(started <= SENDS, started + " messages for " + SENDS + " receives");
            go.countDown();
            int all = started;
            Waiting.until("all have come", () -> got.size() == all);
            for (int i = 0; i < all; i++) {
                assertEquals(i, got.get(i));
            }
        }
    }

    @Test
    void aHandlerThatClosesItsMessageEarlyClosesNoOther() {
        int messages = 200;
        try (ConnectionPair pair = open(1, SMALL.withBackPressure(BackPressure.queue(messages)))) {
            List<Integer> got = Collections.synchronizedList(new ArrayList<>());
            pair.right().onMessage(message -> {
                int number = message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
                message.close();
                // Long enough for all other receives to be taken.
                LockSupport.parkNanos(200_000);
                got.add(number == message.immediate() ? number : -1);
            });
            for (int i = 0; i < messages; i++) {
                LocalMemory mine = node.memory().allocate(8);
                mine.writable().set(ValueLayout.JAVA_INT, 0, i);
                pair.left().sendWithImm(mine, i);
            }
            Waiting.until("all have come", () -> got.size() == messages);
            for (int i = 0; i < messages; i++) {
                assertEquals(i, got.get(i));
            }
        }
    }

    @Test
    void operationsInLineGoOnWhenTheWorkerDoes() {
        try (ConnectionPair pair = open(1, SMALL.withBackPressure(BackPressure.queue(20)))) {
            LocalMemory mine = node.memory().allocate(8);
            RemoteMemory remote = page().slice(0, 8);
            List<Long> told = Collections.synchronizedList(new ArrayList<>());
            long started = 0;
            long end = System.nanoTime() + 200_000_000;
            while (System.nanoTime() < end) {
                int status = pair.left().write(mine, remote, (token, done, value) -> {
                    block();
                    told.add(token);
                }, started);
                started += status == OperationStatus.SUCCESS ? 1 : 0;
            }
            assertTrue(started <= 2 * SENDS + 20 + 1, started + " were started");
            go.countDown();
            long all = started;
            Waiting.until("all are told", () -> told.size() == all);
            for (int i = 0; i < all; i++) {
                assertEquals(i, told.get(i));
            }
        }
    }

    @Test
    void aCallbackMayWaitForOtherResultsOfItsOwnWorker() throws Exception {
        try (ConnectionPair pair = open(1, ConnectionConfig.DEFAULT); ConnectionPair other = open(1, SMALL)) {
            LocalMemory mine = node.memory().allocate(8);
            RemoteMemory remote = page().slice(0, 8);
            AtomicInteger done = new AtomicInteger();
            pair.left().write(mine, remote, (token, status, value) -> {
                pair.left().write(mine, remote).join();
                other.left().fetchAndAdd(remote, 1).join();
                pair.right().onMessage(message -> done.addAndGet((int) message.length()));
                pair.left().send(mine).join();
            }, 0);
            Waiting.until("the callback has returned", () -> done.get() == 8);
        }
    }

    @Test
    void inlineDependentsRunOnTheWorker() throws Exception {
        node = RdmaNode.open(Ends.node("soft", PollerMode.ADAPTIVE).withWorkers(1).withInlineDependents(true));
        try (ConnectionPair pair = open(1, ConnectionConfig.DEFAULT)) {
            AtomicReference<String> where = new AtomicReference<>();
            RdmaFuture<ReceivedMessage> receive = pair.right().receive();
            var dependent = receive.thenAccept(message -> {
                where.set(Thread.currentThread().getName());
                message.close();
            });
            pair.left().send(new byte[3]);
            dependent.get(20, TimeUnit.SECONDS);
            assertEquals("verbena-worker-0", where.get());
        }
    }

    @Test
    void closingWithWorkToDoTellsEverybodyOnce() throws Exception {
        ConnectionPair pair = open(1, SMALL);
        LocalMemory mine = node.memory().allocate(8);
        RemoteMemory remote = page().slice(0, 8);
        List<Long> told = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch inside = new CountDownLatch(1);
        CompletionCallback blocks = (token, status, value) -> {
            inside.countDown();
            block();
            told.add(token);
        };
        pair.right().onMessage(message -> told.add(100 + message.length()));
        long started = 0;
        while (pair.left().write(mine, remote, blocks, started) == OperationStatus.SUCCESS) {
            started++;
        }
        inside.await();
        pair.right().send(new byte[5]);
        RdmaFuture<ReceivedMessage> waiting = pair.left().receive();
        pair.close();
        assertFalse(waiting.isDone(), "what came before was not told yet");
        assertEquals(List.of(), told);
        go.countDown();
        assertEquals(5, Ends.get(waiting).length(), "it had arrived");
        waiting.join().close();
        long all = started;
        Waiting.until("all are told", () -> told.size() >= all);
        node.close();
        assertEquals(all, told.size());
        for (int i = 0; i < all; i++) {
            assertEquals(i, told.get(i));
        }
        node = null;
    }

    @Test
    void closingTheNodeTellsWhatIsLeft() {
        ConnectionPair pair = open(2, SMALL);
        LocalMemory mine = node.memory().allocate(8);
        RemoteMemory remote = page().slice(0, 8);
        AtomicInteger told = new AtomicInteger();
        int started = 0;
        while (pair.left().write(mine, remote, (token, status, value) -> {
            LockSupport.parkNanos(1_000_000);
            told.incrementAndGet();
        }, 0) == OperationStatus.SUCCESS) {
            started++;
        }
        node.close();
        node = null;
        assertEquals(started, told.get());
    }

    @Test
    void aCallbackOnAWorkerMayCloseItsConnectionAndItsNode() throws Exception {
        ConnectionPair pair = open(2, ConnectionConfig.DEFAULT);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        RdmaNode mine = node;
        node = null;
        pair.left().write(mine.memory().allocate(8), mine.memory().allocate(8).expose(Ends.REMOTE).remote(),
                (token, status, value) -> {
                    try {
                        pair.left().close();
                        mine.close();
                    } catch (RuntimeException | Error e) {
                        failed.set(e);
                    }
                    closed.countDown();
                }, 0);
        assertTrue(closed.await(20, TimeUnit.SECONDS));
        assertEquals(null, failed.get());
        assertEquals(ConnectionState.CLOSED, pair.right().state());
    }

    @Test
    void rawReceivesAreToldByTheWorkerToo() throws Exception {
        ConnectionConfig raw = SMALL.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (ConnectionPair pair = open(1, raw)) {
            RdmaFuture<RawMessage> received = pair.right().receiveRaw(node.memory().allocate(64));
            pair.left().sendRaw(node.memory().allocate(5));
            assertEquals(5, Ends.get(received).length());
        }
    }

    @Test
    void workersGoWithManyThreadsOnly() {
        NodeConfig config = Ends.node("soft", PollerMode.MANUAL).withThreading(Threading.SINGLE);
        String why = assertThrows(IllegalArgumentException.class, () -> config.withWorkers(1)).getMessage();
        assertTrue(why.contains("SINGLE"), why);
        assertInstanceOf(IllegalArgumentException.class,
                assertThrows(RuntimeException.class, () -> NodeConfig.DEFAULT.withWorkers(65)));
    }
}
