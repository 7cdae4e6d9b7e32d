package io.verbena.nic.direct;

import io.verbena.nic.memory.Guard;
import java.util.Arrays;

/**
 * Finds out, without waiting, that nobody uses a key any more that is no longer to be found: notes who is in the middle
 * of a data call, and looks again later. Used by the holder of a send queue, whose own guard is not looked at.
 */
final class Unbinding {
    /** So long those at work are looked at at once, while a caller waits: who runs is done by then, mostly. */
    private static final long LOOK_NS = 20_000;

    private final Endpoint self;
    /** Used again and again: only the first few that are needed at a time are ever made. */
    private User[] users = {};
    private int count;

    /** Somebody who was in the middle of a data call: a requester of this process or one of another. */
    private static final class User {
        private Requester requester;
        private ForeignUser foreign;
        private long claimedSample;
        private long aloneSample;
        private long limit;

        void set(Requester newRequester, ForeignUser newForeign, long claimed, long alone) {
            requester = newRequester;
            foreign = newForeign;
            claimedSample = claimed;
            aloneSample = alone;
            limit = newForeign == null ? 0 : System.nanoTime() + newForeign.patienceNs();
        }

        boolean hasEnded() {
            if (foreign == null) {
                return Guard.hasEnded(claimedSample, requester.queue().claimedSample())
                        && Guard.hasEnded(aloneSample, requester.queue().aloneSample());
            }
            if (foreign.hasEnded(claimedSample)) {
                return true;
            }
            if (System.nanoTime() - limit >= 0) {
                foreign.giveUp();
            }
            return false;
        }
    }

    Unbinding(Endpoint self) {
        this.self = self;
    }

    /**
     * Begins to wait for those who may be using a key that was made unknown before.
     *
     * @param all whether that may be anybody; else the connected peer alone
     */
    void begin(boolean all) {
        count = 0;
        if (all) {
            Fabric.LOCAL.noteUsers(this);
        } else {
            Fabric.LOCAL.lookAgain();
            Requester peer = self.producer();
            if (peer != null) {
                note(peer);
            }
            ForeignUser user = self.abroad() == null ? null : self.abroad().user();
            if (user != null) {
                note(user);
            }
        }
        long start = System.nanoTime();
        while (!isOver() && System.nanoTime() - start < LOOK_NS) {
            Thread.onSpinWait();
        }
    }

    /** Notes a requester of this process if it is at work; after Fences.heavy. */
    void note(Requester requester) {
        long claimed = requester.queue().claimedSample();
        long alone = requester.queue().aloneSample();
        if (((claimed | alone) & 1) != 0 && requester != self.requester()) {
            next().set(requester, null, claimed, alone);
        }
    }

    /** Notes a requester of another process if it is at work; after Fences.heavy. */
    void note(ForeignUser user) {
        long sample = user.sample();
        if (!user.hasEnded(sample)) {
            next().set(null, user, sample, 0);
        }
    }

    private User next() {
        if (count == users.length) {
            users = Arrays.copyOf(users, 2 * count + 1);
        }
        if (users[count] == null) {
            users[count] = new User();
        }
        return users[count++];
    }

    /** Whether all of them have ended what they were at. Who takes too long is given up, which ends it some time. */
    boolean isOver() {
        for (int i = count - 1; i >= 0; i--) {
            User user = users[i];
            if (user.hasEnded()) {
                user.set(null, null, 0, 0);
                users[i] = users[--count];
                users[count] = user;
            }
        }
        return count == 0;
    }

    /** Waits for nobody any more. */
    void drop() {
        while (count > 0) {
            users[--count].set(null, null, 0, 0);
        }
    }
}
