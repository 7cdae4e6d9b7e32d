package io.verbena.nic.direct;

/**
 * All endpoints, to be walked by any thread without lock or allocation. Who walks meets every endpoint that is on the
 * list from the beginning of the walk to its end.
 */
final class EndpointList {
    private volatile Place first;

    /** An endpoint as the list sees it. */
    abstract static class Place {
        /** Stays when the place is taken off the list: who stands here finds the way back. */
        private volatile Place next;
        private Place previous;
        private boolean listed;
    }

    /** Adds a place; under the control lock. */
    void add(Place place) {
        assert !place.listed && place.next == null : "a place is on the list once";
        Place second = first;
        place.next = second;
        place.listed = true;
        if (second != null) {
            second.previous = place;
        }
        first = place;
    }

    /** Takes a place off the list, for ever; under the control lock. */
    void remove(Place place) {
        if (!place.listed) {
            return;
        }
        place.listed = false;
        Place after = place.next;
        if (place.previous == null) {
            first = after;
        } else {
            place.previous.next = after;
        }
        if (after != null) {
            after.previous = place.previous;
        }
        place.previous = null;
    }

    /** Waits until no data call is in flight that any requester had begun before; after Fences.heavy(). */
    void awaitQuiescent() {
        for (Place place = first; place != null; place = place.next) {
            ((Endpoint) place).requester().awaitQuiescent();
        }
    }

    /** Notes whose requesters are in the middle of a data call; after Fences.heavy(). */
    void noteUsers(Unbinding unbinding) {
        for (Place place = first; place != null; place = place.next) {
            unbinding.note(((Endpoint) place).requester());
        }
    }
}
