package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.OffHeap;

/**
 * What a {@link Link} to a peer in another process has to do besides: say there when a data call is in flight, and look
 * at the changes that are counted there.
 */
final class ForeignLink {
    final Peer peer;
    private final long guardAt;
    private final long generationAt;
    private long guard;
    private long seen = -1;
    private boolean entered;

    ForeignLink(Peer peer) {
        this.peer = peer;
        guardAt = peer.guardAt();
        generationAt = peer.generationAt();
        // Odd means in flight: an even number that nobody was left with.
        guard = OffHeap.getLongAcquire(guardAt) + 1 & -2;
    }

    /** Announces a data call. */
    void enter() {
        if (!entered) {
            // Counted here and not read back: what lies there is in the hands of others.
            guard++;
            entered = true;
            OffHeap.putLong(guardAt, guard);
            Fences.light();
        }
    }

    /** Ends the data call announced last. */
    void exit() {
        if (entered) {
            guard++;
            entered = false;
            OffHeap.putLongRelease(guardAt, guard);
        }
    }

    /** Takes note of the changes up to now, before what may have changed is looked at. */
    void look() {
        seen = OffHeap.getLongAcquire(generationAt);
    }

    /** Whether something has changed since. */
    boolean isChanged() {
        return OffHeap.getLongAcquire(generationAt) != seen;
    }
}
