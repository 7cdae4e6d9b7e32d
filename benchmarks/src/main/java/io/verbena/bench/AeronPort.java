package io.verbena.bench;

import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.concurrent.UnsafeBuffer;

/** What one side of aeron_lat works with: messages are copied in from and out to a buffer of its own. */
final class AeronPort {
    private final ExclusivePublication out;
    private final Subscription in;
    private final int size;
    private final Runnable work;
    private final BufferClaim claim = new BufferClaim();
    private final UnsafeBuffer own;
    private final FragmentHandler handler;

    AeronPort(ExclusivePublication out, Subscription in, int size, Runnable work) {
        this.out = out;
        this.in = in;
        this.size = size;
        this.work = work;
        own = new UnsafeBuffer(new byte[size]);
        handler = (buffer, at, length, header) -> own.putBytes(0, buffer, at, length);
    }

    /** Sends a message, if there is room. */
    boolean send() {
        if (out.tryClaim(size, claim) < 0) {
            return false;
        }
        claim.putBytes(own, 0, size);
        claim.commit();
        return true;
    }

    /** Takes a message, if one is there. */
    boolean receive() {
        return in.poll(handler, 1) > 0;
    }

    /** Does what Aeron's threads would do. */
    void work() {
        work.run();
    }
}
