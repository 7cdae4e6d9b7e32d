package io.verbena.nic.ring;

/** Ready lanes in order, linked through a field of their own, so that adding one allocates nothing. */
final class LaneFifo {
    private CompletionLane first;
    private CompletionLane last;
    private int size;

    int size() {
        return size;
    }

    void addLast(CompletionLane lane) {
        lane.nextReady = null;
        if (first == null) {
            first = lane;
        } else {
            last.nextReady = lane;
        }
        last = lane;
        size++;
    }

    /** Takes the oldest lane, or null. */
    CompletionLane pollFirst() {
        CompletionLane lane = first;
        if (lane != null) {
            first = lane.nextReady;
            lane.nextReady = null;
            size--;
        }
        return lane;
    }

    void forgetRemoved() {
        for (int left = size; left > 0; left--) {
            CompletionLane lane = pollFirst();
            if (!lane.removed) {
                addLast(lane);
            }
        }
    }
}
