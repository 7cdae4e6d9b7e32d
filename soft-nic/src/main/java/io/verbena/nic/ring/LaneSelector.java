package io.verbena.nic.ring;

import io.verbena.nic.memory.Fences;
import io.verbena.verbs.WorkCompletion;

/** Chooses the lane to poll next: a few hot ones in turn, then the ready ones. Used by the poll role only. */
final class LaneSelector {
    private static final int MAX_HOT = 8;
    /** A hot lane that gave nothing for so many polls makes room for another. */
    private static final long STALE_POLLS = 4_096;

    private final CompletionLane[] hot = new CompletionLane[MAX_HOT];
    private final LaneFifo cold = new LaneFifo();
    private int hotCount;
    private CompletionLane next;
    private long polls;
    private boolean roomWanted;
    private long lastRoom;

    /** Counts a poll; returns how many there have been. */
    long count() {
        return ++polls;
    }

    /** The next hot lane that has a completion; null when none has, after so many looks at each. */
    CompletionLane findHot(int looks) {
        CompletionLane first = next;
        if (first == null) {
            return null;
        }
        // A circle rather than an index: the JVM would unroll a counted loop and grow too large to inline.
        CompletionLane lane = first;
        for (int left = looks; !lane.isReady(); ) {
            lane = lane.nextHot;
            if (lane == first) {
                if (--left <= 0) {
                    return null;
                }
                Thread.onSpinWait();
            }
        }
        return lane;
    }

    /** Takes the completion that {@link #findHot} found; the search goes on behind that lane. */
    void takeHot(CompletionLane lane, WorkCompletion completion) {
        lane.lastServed = polls;
        if (next != lane.nextHot) { // storing a reference costs a store to the collector's card table as well
            next = lane.nextHot;
        }
        lane.take(completion);
    }

    private void closeCircle() {
        for (int i = 0; i < hotCount; i++) {
            hot[i].nextHot = hot[i + 1 < hotCount ? i + 1 : 0];
        }
        next = hotCount == 0 ? null : hot[0];
    }

    /** Takes over a stack of lanes that became ready, oldest first. */
    void accept(CompletionLane top) {
        CompletionLane reversed = null;
        for (CompletionLane lane = top; lane != null; ) {
            CompletionLane below = lane.nextReady;
            lane.nextReady = reversed;
            reversed = lane;
            lane = below;
        }
        for (CompletionLane lane = reversed; lane != null; ) {
            CompletionLane after = lane.nextReady;
            lane.nextReady = null;
            if (!lane.removed) {
                cold.addLast(lane);
            }
            lane = after;
        }
    }

    int pollCold(WorkCompletion completion) {
        for (int left = cold.size(); left > 0; left--) {
            CompletionLane lane = cold.pollFirst();
            int taken = lane.poll(completion);
            if (taken != 0) {
                keep(lane);
                return taken;
            }
            // Not ready any more, and only then a last look: the producer publishes, then reads the flag.
            lane.mark(LaneShared.READY, 0);
            if (lane.hasCompletion() && lane.setReady()) {
                cold.addLast(lane);
            }
        }
        if (roomWanted && polls - lastRoom >= STALE_POLLS) {
            makeRoom();
        }
        return 0;
    }

    private void keep(CompletionLane lane) {
        lane.lastServed = polls;
        if (hotCount == MAX_HOT) {
            roomWanted = true;
            cold.addLast(lane);
        } else {
            lane.mark(LaneShared.COLD | LaneShared.READY, 0);
            lane.showHot(true);
            hot[hotCount++] = lane;
            closeCircle();
        }
    }

    private void makeRoom() {
        roomWanted = false;
        lastRoom = polls;
        int kept = 0;
        int demoted = hotCount;
        for (int i = 0; i < hotCount; i++) {
            if (polls - hot[i].lastServed <= STALE_POLLS) {
                CompletionLane lane = hot[i];
                hot[i] = hot[kept];
                hot[kept++] = lane;
            }
        }
        for (int i = kept; i < demoted; i++) {
            hot[i].mark(0, LaneShared.COLD);
            hot[i].showHot(false);
        }
        hotCount = kept;
        closeCircle();
        if (kept < demoted) {
            // Producers that saw these lanes hot have published by now, or will see them cold.
            Fences.heavy();
        }
        for (int i = kept; i < demoted; i++) {
            if (hot[i].hasCompletion() && hot[i].setReady()) {
                cold.addLast(hot[i]);
            }
            hot[i] = null;
        }
    }

    void forgetRemoved() {
        cold.forgetRemoved();
        int kept = 0;
        for (int i = 0; i < hotCount; i++) {
            if (!hot[i].removed) {
                hot[kept++] = hot[i];
            }
        }
        for (int i = kept; i < hotCount; i++) {
            hot[i] = null;
        }
        hotCount = kept;
        closeCircle();
    }
}
