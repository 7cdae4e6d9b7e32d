package io.verbena.nic.ring;

/** All lanes of a completion queue, linked through fields of their own; not for the data path. */
final class LaneList {
    private CompletionLane first;

    CompletionLane first() {
        return first;
    }

    void add(CompletionLane lane) {
        lane.nextLane = first;
        if (first != null) {
            first.previousLane = lane;
        }
        first = lane;
    }

    void remove(CompletionLane lane) {
        if (lane.previousLane == null) {
            first = lane.nextLane;
        } else {
            lane.previousLane.nextLane = lane.nextLane;
        }
        if (lane.nextLane != null) {
            lane.nextLane.previousLane = lane.previousLane;
        }
        lane.nextLane = null;
        lane.previousLane = null;
    }
}
