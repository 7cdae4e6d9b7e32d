package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One signalled operation over loopback, post and poll, on one thread. Run with {@code -prof gc}: nothing is
 * allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class VerbsLoopbackBenchmark {
    private static final int DEPTH = 64;

    /** Who may post and poll. */
    @Param({"SINGLE", "SAFE"})
    Threading threading;

    /** Bytes of an operation; a parameter, so that the compiler doesn't know it. */
    @Param({"64"})
    long size;

    private final WorkCompletion completion = new WorkCompletion();
    private Endpoint own;
    private Endpoint peer;
    private QueuePair qp;
    private QueuePair peerQp;
    private CompletionQueue sendCq;
    private CompletionQueue peerRecvCq;
    private long address;
    private int lkey;
    private long remoteAddress;
    private int remoteLkey;
    private int rkey;

    /** Connects two ends. They are not closed again: the profiler would count it to the last iteration. */
    @Setup(Level.Trial)
    public void connect() {
        EndpointConfig end = EndpointConfig.simple("soft", Math.max(size, Long.BYTES), DEPTH).withThreading(threading);
        own = new Endpoint(end);
        peer = new Endpoint(end);
        Endpoint.connect(own, peer, PathConfig.DEFAULT);
        qp = own.qp(0);
        peerQp = peer.qp(0);
        sendCq = qp.sendCq();
        peerRecvCq = peerQp.recvCq();
        address = own.region().address();
        lkey = own.region().lkey();
        remoteAddress = peer.region().address();
        remoteLkey = peer.region().lkey();
        rkey = peer.region().rkey();
    }

    /** RDMA WRITE. */
    @Benchmark
    public void write() {
        posted(qp.postWrite(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED));
        await(sendCq);
    }

    /** RDMA READ. */
    @Benchmark
    public void read() {
        posted(qp.postRead(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED));
        await(sendCq);
    }

    /** Receive posted, SEND posted, both completions polled. */
    @Benchmark
    public void sendReceive() {
        posted(peerQp.postReceive(0, remoteAddress, size, remoteLkey));
        posted(qp.postSend(0, address, size, lkey, SendFlags.SIGNALED));
        await(peerRecvCq);
        await(sendCq);
    }

    /** Atomic fetch and add. */
    @Benchmark
    public void fetchAndAdd() {
        posted(qp.postFetchAndAdd(0, address, lkey, remoteAddress, rkey, 1, SendFlags.SIGNALED));
        await(sendCq);
    }

    private static void posted(int status) {
        if (status != PostStatus.OK) {
            throw new IllegalStateException(PostStatus.describe(status));
        }
    }

    private void await(CompletionQueue queue) {
        int polled;
        do {
            polled = queue.poll(completion);
        } while (polled == 0);
        if (polled < 0 || completion.statusCode() != 0) {
            throw new IllegalStateException(completion.toString());
        }
    }
}
