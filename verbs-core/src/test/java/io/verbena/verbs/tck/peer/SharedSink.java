package io.verbena.verbs.tck.peer;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The thread behind {@link SharingCommand.StartSink}. */
final class SharedSink implements AutoCloseable {
    private static final int SPINS = 100;
    private static final long PARK_NANOS = 20_000;

    private final SharingCommand.StartSink spec;
    private final Object target;
    private final CompletionQueue cq;
    private final MemoryRegion buffer;
    private final WorkCompletion completion = new WorkCompletion();
    private final Map<Long, Long> lastOfSender = new HashMap<>();
    private final Thread thread;
    private volatile boolean stop;
    private volatile String failure = "";
    private volatile long sum;
    private volatile long messages;

    SharedSink(SharingCommand.StartSink spec, PeerExecutor objects) {
        this.spec = spec;
        target = objects.get(spec.target(), Object.class);
        cq = objects.get(spec.cq(), CompletionQueue.class);
        buffer = objects.get(spec.buffer().handle(), MemoryRegion.class);
        thread = new Thread(this::run, "peer-sink");
        thread.start();
    }

    private void run() {
        int idle = 0;
        try {
            while (!stop && failure.isEmpty()) {
                int code = cq.poll(completion);
                if (code < 0) {
                    failure = PostStatus.describe(code);
                } else if (code == 1) {
                    idle = 0;
                    take();
                } else if (++idle < SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(PARK_NANOS);
                }
            }
        } catch (RuntimeException | AssertionError e) {
            failure = e.toString();
        }
    }

    private void take() {
        if (!completion.isSuccess()) {
            failure = completion.toString();
            return;
        }
        long offset = completion.wrId() * spec.stride();
        long number = buffer.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset + spec.header());
        long sender = buffer.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, offset + spec.header() + Long.BYTES);
        Long last = spec.ordered() ? lastOfSender.put(sender, number) : null;
        if (last != null && last >= number) {
            failure = "message " + number + " of sender " + sender + " came after " + last;
        }
        // Before it is posted again, when another message may fill it.
        sum += number;
        int status = post(completion.wrId(), buffer.address() + offset);
        if (status != PostStatus.OK) {
            failure = PostStatus.describe(status);
        }
        messages++;
    }

    private int post(long wrId, long address) {
        return target instanceof SharedReceiveQueue srq
                ? srq.postReceive(wrId, address, spec.stride(), buffer.lkey())
                : ((QueuePair) target).postReceive(wrId, address, spec.stride(), buffer.lkey());
    }

    SharingCommand.SinkReport report() {
        // The count last, so that it is never ahead of the sum.
        long taken = messages;
        return new SharingCommand.SinkReport(taken, sum, failure);
    }

    @Override
    public void close() {
        stop = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
