package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.LinkSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One end of queue pairs to another process whose messages it waits for by events: all receives complete in one queue
 * with a channel. Messages are 32 bytes.
 */
final class EventSide implements AutoCloseable {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int BYTES = 32;
    private static final int DEPTH = 4;
    private static final int PSN = 1000;

    final End end;
    final List<QueuePair> qps = new ArrayList<>();
    final WorkCompletion completion = new WorkCompletion();
    private final int[] qpNums;
    private final boolean solicited;
    private long waits;

    EventSide(String device, Threading threading, int count, boolean solicited) {
        this.solicited = solicited;
        end = new End(device, Setup.of(threading, DEPTH).withCqe(2 * DEPTH * count).withEvents());
        qps.add(end.qp);
        while (qps.size() < count) {
            qps.add(end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(DEPTH))
                    .withRecvCq(end.recvCq).withThreading(threading)));
        }
        qpNums = qps.stream().mapToInt(QueuePair::qpNum).toArray();
    }

    List<String> endpoints() {
        return qps.stream().map(qp ->
                new QueuePairEndpoint(end.context.queryGid(1, 0).gid(), qp.qpNum(), PSN).format()).toList();
    }

    /** Connects each to the one of the other side in the same place, posts receives, and arms. */
    void connect(List<String> others) {
        LinkSpec link = new LinkSpec().retry(14, 7);
        for (int i = 0; i < qps.size(); i++) {
            QueuePairEndpoint other = QueuePairEndpoint.parse(others.get(i));
            link.connect(qps.get(i), new QueuePairEndpoint(other.gid(), other.qpNum(), link.psn()));
            postReceive(i);
            postReceive(i);
        }
        arm();
    }

    void arm() {
        End.ok0(end.recvCq.arm(solicited));
    }

    private void postReceive(int place) {
        End.ok0(qps.get(place).postReceive(place, end.at(place * (long) BYTES), BYTES, end.region.lkey()));
    }

    void send(int place) {
        int flags = SendFlags.SIGNALED | (solicited ? SendFlags.SOLICITED : 0);
        End.ok0(qps.get(place).postSend(
                place, end.at(End.BYTES / 2 + place * (long) BYTES), BYTES, end.region.lkey(), flags));
    }

    /** Takes the completion of a send, which the same call may have made. */
    void awaitSend() {
        long start = System.nanoTime();
        for (int taken = end.sendCq.poll(completion); taken != 1; taken = end.sendCq.poll(completion)) {
            assertTrue(taken == 0 && System.nanoTime() - start < PATIENCE_NANOS, "no completion of a send: " + taken);
        }
        assertTrue(completion.isSuccess(), completion::toString);
    }

    /** Waits for the next message by the loop that loses nothing; returns the place of its queue pair. */
    int awaitMessage() {
        while (end.recvCq.poll(completion) != 1) {
            CompletionQueue queue = end.channel.get(PATIENCE_NANOS);
            assertNotNull(queue, "a wake-up was lost");
            assertEquals(end.recvCq, queue);
            queue.acknowledge(1);
            waits++;
            arm();
        }
        assertTrue(completion.isSuccess(), completion::toString);
        int place = 0;
        while (qpNums[place] != completion.qpNum()) {
            place++;
        }
        postReceive(place);
        return place;
    }

    /** How often a message was waited for by an event. */
    long waits() {
        return waits;
    }

    void roundTrip(int place) {
        send(place);
        assertEquals(place, awaitMessage());
        awaitSend();
    }

    void echo() {
        send(awaitMessage());
        awaitSend();
    }

    @Override
    public void close() {
        qps.stream().skip(1).forEach(QueuePair::close);
        end.close();
    }
}
