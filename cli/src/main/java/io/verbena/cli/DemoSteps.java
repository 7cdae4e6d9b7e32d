package io.verbena.cli;

import io.verbena.bench.Endpoint;
import io.verbena.bench.EndpointConfig;
import io.verbena.bench.PathConfig;
import io.verbena.bench.PerfException;
import io.verbena.bench.StopFlag;
import io.verbena.bench.Waiter;
import io.verbena.verbs.Access;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEvent.QueuePairEvent;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The steps of the demo: connect, SEND, WRITE, READ, an atomic, and an access that is refused. */
final class DemoSteps implements AutoCloseable {
    private static final int DEPTH = 16;
    private static final long PAGE = 4_096;
    /** Where in its memory each end keeps what: messages out, messages in, text for WRITE and READ, the counter. */
    private static final long OUT = 0;
    private static final long IN = 64;
    private static final long TEXT = 128;
    private static final long COUNTER = 256;
    private static final int MESSAGES = 3;
    private static final int ROOM = 64;
    private static final long EVENT_WAIT_NS = 5_000_000_000L;

    private final DemoReport report;
    private final StopFlag stop = new StopFlag();
    private final Endpoint server;
    private final Endpoint client;

    DemoSteps(String device, DemoReport report) {
        this.report = report;
        EndpointConfig end = EndpointConfig.simple(device, PAGE, DEPTH);
        server = new Endpoint(end);
        try {
            client = new Endpoint(end);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    void run() {
        connect();
        pingPong();
        write();
        read();
        atomic();
        protectionError();
    }

    private void connect() {
        report.step("connect", "Connect: each end opens the device, registers memory, creates a queue pair");
        QueuePairEndpoint serverEnd = server.describe(0, PathConfig.DEFAULT);
        QueuePairEndpoint clientEnd = client.describe(0, PathConfig.DEFAULT);
        server.connect(0, serverEnd, clientEnd, PathConfig.DEFAULT);
        client.connect(0, clientEnd, serverEnd, PathConfig.DEFAULT);
        report.say(String.format("server  QPN 0x%06x  GID %s", serverEnd.qpNum(), serverEnd.gid()));
        report.say(String.format("client  QPN 0x%06x  GID %s", clientEnd.qpNum(), clientEnd.gid()));
        report.say("They tell each other these addresses, and where their memory is: address and rkey.");
        report.fact("server_qpn", serverEnd.qpNum()).fact("client_qpn", clientEnd.qpNum()).done();
    }

    private void pingPong() {
        report.step("send", "SEND: messages go into buffers that the receiver has posted");
        for (int i = 0; i < MESSAGES; i++) {
            postReceive(server);
            postReceive(client);
        }
        Thread answering = Thread.ofPlatform().name("demo-server").daemon().start(this::answer);
        Waiter receives = client.receives(0, stop);
        for (int i = 1; i <= MESSAGES; i++) {
            send(client, "ping " + i);
            receives.take();
            report.say("client -> server  \"ping " + i + "\"     server -> client  \"" + get(client, IN) + '"');
            expect("answer", "pong " + i, get(client, IN));
        }
        try {
            answering.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        }
        stop.check();
        report.fact("messages", MESSAGES).done();
    }

    /** The server's thread: answers each message. */
    private void answer() {
        try {
            Waiter receives = server.receives(0, stop);
            for (int i = 0; i < MESSAGES; i++) {
                receives.take();
                send(server, get(server, IN).replace("ping", "pong"));
            }
        } catch (RuntimeException e) {
            stop.raise(e);
        }
    }

    private void write() {
        report.step("write", "RDMA WRITE: the client writes the server's memory; the server's CPU does nothing");
        String text = "written by the client";
        set(client, TEXT, text);
        finish(client, client.qp(0).postWrite(1, at(client, TEXT), ROOM, client.region().lkey(), at(server, TEXT),
                server.region().rkey(), SendFlags.SIGNALED));
        report.say("in the server's memory now: \"" + get(server, TEXT) + '"');
        expect("server's memory", text, get(server, TEXT));
        report.fact("bytes", ROOM).done();
    }

    private void read() {
        report.step("read", "RDMA READ: the client reads the server's memory");
        String text = "left here by the server";
        set(server, TEXT, text);
        finish(client, client.qp(0).postRead(2, at(client, TEXT), ROOM, client.region().lkey(), at(server, TEXT),
                server.region().rkey(), SendFlags.SIGNALED));
        report.say("the client read: \"" + get(client, TEXT) + '"');
        expect("client's memory", text, get(client, TEXT));
        report.fact("bytes", ROOM).done();
    }

    private void atomic() {
        report.step("atomic", "ATOMIC FETCH AND ADD: a counter in the server's memory");
        long before = 41;
        memory(server).set(ValueLayout.JAVA_LONG, COUNTER, before);
        finish(client, client.qp(0).postFetchAndAdd(3, at(client, COUNTER), client.region().lkey(),
                at(server, COUNTER), server.region().rkey(), 1, SendFlags.SIGNALED));
        long fetched = memory(client).get(ValueLayout.JAVA_LONG, COUNTER);
        long after = memory(server).get(ValueLayout.JAVA_LONG, COUNTER);
        report.say("add 1: the client fetched " + fetched + ", the server's counter is " + after);
        expect("counter", before + " then " + (before + 1), fetched + " then " + after);
        report.fact("fetched", fetched).fact("counter", after).done();
    }

    private void protectionError() {
        report.step("protection", "What is not allowed: WRITE to memory that the server opened for READ only");
        try (AllocatedMemory memory = server.context().allocateMemory(PAGE, PAGE);
                MemoryRegion readOnly = server.domain().register(memory.segment(), Access.REMOTE_READ)) {
            QueuePair qp = client.qp(0);
            int status = qp.postWrite(4, at(client, TEXT), ROOM, client.region().lkey(), readOnly.address(),
                    readOnly.rkey(), SendFlags.SIGNALED);
            expect("post", PostStatus.describe(PostStatus.OK), PostStatus.describe(status));
            WorkCompletion completion = client.sends(0, stop).takeAny();
            WcStatus outcome = completion.status();
            report.say("the client's completion:  " + outcome + " (" + outcome.text() + ")");
            report.say("what to do about it:      " + outcome.advice());
            expect("status", WcStatus.REM_ACCESS_ERR.name(), outcome.name());
            AsyncEvent event = awaitAccessError();
            report.say("the server's async event: " + ((QueuePairEvent) event).kind() + " on QPN "
                    + String.format("0x%06x", ((QueuePairEvent) event).queuePair().qpNum()));
            server.context().acknowledge(event);
            boolean untouched = memory.segment().mismatch(MemorySegment.ofArray(new byte[(int) PAGE])) < 0;
            expect("server's page", "untouched", untouched ? "untouched" : "written");
            report.say("the server's page:        untouched");
            report.say("both queue pairs:         client " + qp.state() + ", server " + server.qp(0).state());
            report.fact("status", outcome.name()).fact("text", outcome.text()).fact("advice", outcome.advice())
                    .fact("async_event", ((QueuePairEvent) event).kind().name());
        }
        recover();
        report.done();
    }

    private AsyncEvent awaitAccessError() {
        long deadline = System.nanoTime() + EVENT_WAIT_NS;
        while (true) {
            AsyncEvent event = server.context().getAsyncEvent(Math.max(0, deadline - System.nanoTime()));
            if (event == null) {
                throw new PerfException("the server was not told of the refused access");
            }
            if (event instanceof QueuePairEvent about && about.kind() == QueuePairEvent.Kind.QP_ACCESS_ERR) {
                return event;
            }
            server.context().acknowledge(event);
        }
    }

    /** Takes both queue pairs back to RESET, connects them again, and writes once more. */
    private void recover() {
        client.reset(0);
        server.reset(0);
        Endpoint.connect(client, server, PathConfig.DEFAULT);
        String text = "written after recovery";
        set(client, TEXT, text);
        finish(client, client.qp(0).postWrite(5, at(client, TEXT), ROOM, client.region().lkey(), at(server, TEXT),
                server.region().rkey(), SendFlags.SIGNALED));
        expect("server's memory", text, get(server, TEXT));
        report.say("reset and connected again: the next WRITE to open memory succeeds (" + QueuePairState.RTS + ")");
    }

    private void postReceive(Endpoint end) {
        int status = end.qp(0).postReceive(0, at(end, IN), ROOM, end.region().lkey());
        expect("receive", PostStatus.describe(PostStatus.OK), PostStatus.describe(status));
    }

    private void send(Endpoint end, String text) {
        set(end, OUT, text);
        finish(end, end.qp(0).postSend(0, at(end, OUT), ROOM, end.region().lkey(), SendFlags.SIGNALED));
    }

    private void finish(Endpoint end, int status) {
        if (status != PostStatus.OK) {
            throw PerfException.refused("an operation", status);
        }
        end.sends(0, stop).take();
    }

    private static void expect(String what, String expected, String found) {
        if (!expected.equals(found)) {
            throw new PerfException(what + ": expected \"" + expected + "\", found \"" + found + '"');
        }
    }

    private static MemorySegment memory(Endpoint end) {
        return end.region().segment();
    }

    private static long at(Endpoint end, long offset) {
        return end.region().address() + offset;
    }

    private static void set(Endpoint end, long offset, String text) {
        memory(end).asSlice(offset, ROOM).fill((byte) 0).setString(0, text);
    }

    private static String get(Endpoint end, long offset) {
        return memory(end).getString(offset);
    }

    @Override
    public void close() {
        try {
            client.close();
        } finally {
            server.close();
        }
    }
}
