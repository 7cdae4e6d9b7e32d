package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Guard;

/** Finds out, without waiting, that nobody can add anything more to the receive lane of an endpoint in ERR. */
final class Sealing {
    private final Endpoint endpoint;
    private final Requester suspect;
    private final long claimedSample;
    private final long aloneSample;
    private final ForeignUser user;
    private final long userSample;
    private final long userLimit;

    Sealing(Endpoint endpoint) {
        this.endpoint = endpoint;
        // The state was changed before this barrier; a peer that missed it shows in its guards after it.
        Fences.heavy();
        suspect = endpoint.producer();
        claimedSample = suspect == null ? 0 : suspect.queue().claimedSample();
        aloneSample = suspect == null ? 0 : suspect.queue().aloneSample();
        user = endpoint.abroad() == null ? null : endpoint.abroad().user();
        userSample = user == null ? 0 : user.sample();
        userLimit = user == null ? 0 : System.nanoTime() + user.patienceNs();
    }

    /** Whether nobody can any more. */
    boolean isOver() {
        boolean here = suspect == null || Guard.hasEnded(claimedSample, suspect.queue().claimedSample())
                && Guard.hasEnded(aloneSample, suspect.queue().aloneSample());
        return here && endpoint.arriving == 0 && (user == null || hasUserEnded());
    }

    private boolean hasUserEnded() {
        if (user.hasEnded(userSample)) {
            return true;
        }
        if (System.nanoTime() - userLimit >= 0) {
            // It may be filling a receive that is about to be flushed: not before nothing of it arrives any more.
            user.giveUp();
        }
        return false;
    }
}
