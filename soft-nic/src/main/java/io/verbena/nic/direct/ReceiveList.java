package io.verbena.nic.direct;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveRequests;

/** Posts lists of receives. */
final class ReceiveList {
    private ReceiveList() {}

    /** Posts one after the other until one is refused. */
    static int post(Endpoint to, ReceiveRequests requests) {
        for (int i = 0; i < requests.size(); i++) {
            int status = to.state() == QueuePairState.RESET ? refusal(to) : postOne(to, requests, i);
            if (status != PostStatus.OK) {
                to.announceFlush();
                return requests.setRefused(i, status);
            }
        }
        to.announceFlush();
        return requests.setRefused(-1, requests.size() == 0 && to.isClosed() ? PostStatus.CLOSED : PostStatus.OK);
    }

    private static int refusal(Endpoint to) {
        return to.isClosed() ? PostStatus.CLOSED : PostStatus.WRONG_STATE;
    }

    private static int postOne(Endpoint to, ReceiveRequests requests, int index) {
        if (to.shared() == null) {
            return to.receiveQueue().post(requests, index);
        }
        int refused = to.beginOwnPost();
        if (refused != PostStatus.OK) {
            return refused;
        }
        try {
            return to.shared().queue().post(requests, index);
        } finally {
            to.endDelivery();
        }
    }
}
