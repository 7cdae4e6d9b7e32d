package io.verbena.verbs.tck.peer;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The thread behind a {@link ServiceSpec}. */
final class PeerService implements AutoCloseable {
    private static final int MAX_SLOTS = 16;

    private final ServiceSpec spec;
    private final QueuePair qp;
    private final CompletionQueue sendCq;
    private final CompletionQueue recvCq;
    private final MemoryRegion buffer;
    private final MemorySegment checked;
    private final WorkCompletion completion = new WorkCompletion();
    private final Thread thread;
    private volatile boolean stop;
    private volatile String failure = "";
    private volatile long messages;
    private long posted;

    PeerService(ServiceSpec spec, PeerExecutor objects) {
        this.spec = spec;
        qp = objects.get(spec.objects().qp(), QueuePair.class);
        sendCq = objects.get(spec.objects().sendCq(), CompletionQueue.class);
        recvCq = objects.get(spec.objects().recvCq(), CompletionQueue.class);
        buffer = objects.get(spec.buffer().handle(), MemoryRegion.class);
        checked = spec.check() == null ? null
                : objects.get(spec.check().memory(), GuardedMemory.class).segment().asSlice(0, spec.check().bytes());
        thread = new Thread(this::run, "peer-" + spec.kind());
        if (spec.kind() == ServiceSpec.Kind.ECHO) {
            for (int slot = 0; slot < slots(); slot++) {
                postReceive(slot);
            }
        }
        thread.start();
    }

    private int slots() {
        return (int) Math.min(MAX_SLOTS, buffer.length() / spec.bytes());
    }

    private long address(long slot) {
        return buffer.address() + slot * spec.bytes();
    }

    private void run() {
        try {
            while (!stop && failure.isEmpty()) {
                boolean moved = spec.kind() == ServiceSpec.Kind.ECHO ? echo() : send();
                if (!moved) {
                    Thread.onSpinWait();
                }
            }
        } catch (RuntimeException | AssertionError e) {
            failure = e.toString();
        }
    }

    private boolean echo() {
        boolean moved = false;
        if (poll(sendCq)) {
            postReceive(completion.wrId());
            moved = true;
        }
        if (poll(recvCq)) {
            if (checked != null && (completion.flags() & WcFlags.WITH_IMM) != 0) {
                long at = Pattern.mismatch(checked, completion.imm());
                failure = at < 0 ? failure : "stale data at offset " + at + " of message " + messages;
            }
            long length = Math.min(completion.byteLen(), spec.bytes());
            postSend(completion.wrId(), length);
            messages++;
            moved = true;
        }
        return moved;
    }

    private boolean send() {
        boolean moved = false;
        while (poll(sendCq)) {
            messages++;
            moved = true;
        }
        while (posted < spec.count() && posted - messages < slots()) {
            long slot = posted % slots();
            if (spec.bytes() >= Long.BYTES) {
                buffer.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, slot * spec.bytes(), posted);
            }
            postSend(posted, slot, spec.bytes());
            posted++;
            moved = true;
        }
        return moved;
    }

    private boolean poll(CompletionQueue cq) {
        int code = cq.poll(completion);
        if (code < 0) {
            failure = PostStatus.describe(code);
        } else if (code > 0 && !completion.isSuccess()) {
            failure = completion.toString();
        }
        return code > 0 && completion.isSuccess();
    }

    private void postReceive(long slot) {
        check(qp.postReceive(slot, address(slot), spec.bytes(), buffer.lkey()));
    }

    private void postSend(long slot, long length) {
        postSend(slot, slot, length);
    }

    private void postSend(long wrId, long slot, long length) {
        int flags = SendFlags.SIGNALED | SendFlags.SOLICITED;
        check(qp.postSend(wrId, address(slot), length, buffer.lkey(), flags));
    }

    private void check(int status) {
        if (status != PostStatus.OK) {
            failure = PostStatus.describe(status);
        }
    }

    /** A sender is given time to see its last completions. */
    PeerAnswer.ServiceReport end() {
        Waiting.until(() -> spec.kind() != ServiceSpec.Kind.SENDER || messages >= spec.count() || !failure.isEmpty(),
                Waiting.LIMIT_NANOS);
        close();
        return new PeerAnswer.ServiceReport(messages, failure);
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
