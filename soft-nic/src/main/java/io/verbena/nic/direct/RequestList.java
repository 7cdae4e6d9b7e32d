package io.verbena.nic.direct;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendRequests;

/** Posts lists of requests, each in the cheapest way there is for it. */
public final class RequestList {
    private RequestList() {}

    /** Posts a list; see QueuePair. */
    public static int post(Requester requester, SendRequests requests) {
        for (int i = 0; i < requests.size(); i++) {
            int status = post(requester, requests, i);
            if (status != PostStatus.OK) {
                return requests.setRefused(i, status);
            }
        }
        return requests.setRefused(-1, requests.size() == 0 ? checkOpen(requester) : PostStatus.OK);
    }

    /** Posts a list as a whole or not at all; see QueuePair. */
    public static int postAll(Requester requester, SendRequests requests) {
        int count = requests.size();
        for (int i = 0; i < count; i++) {
            int status = check(requester, requests, i);
            if (status != PostStatus.OK) {
                return requests.setRefused(i, status);
            }
        }
        if (count == 0) {
            return requests.setRefused(-1, checkOpen(requester));
        }
        long ticket = requester.beginBatch(count);
        if (ticket < 0) {
            return requests.setRefused(0, (int) ticket);
        }
        int status = PostStatus.OK;
        int bad = -1;
        for (int i = 0; i < count && bad < 0; i++) {
            status = encode(requester, (ticket >>> 1) + i, requests, i);
            bad = status == PostStatus.OK ? -1 : i;
        }
        requester.submitBatch(ticket, count, bad < 0);
        return requests.setRefused(bad, status);
    }

    private static int post(Requester requester, SendRequests requests, int index) {
        PostingRules rules = requester.rules();
        if (requests.sgeCount(index) == 1 && rules.maxSge() > 0 && !rules.isDatagram()) {
            long address = requests.sgeAddress(index, 0);
            long length = requests.sgeLength(index, 0);
            int lkey = requests.sgeLkey(index, 0);
            long wrId = requests.wrId(index);
            int flags = requests.flags(index);
            switch (requests.opcode(index)) {
                case SEND:
                    return requester.postSend(wrId, address, length, lkey, flags);
                case RDMA_WRITE:
                    return requester.postWrite(wrId, address, length, lkey, requests.remoteAddress(index),
                            requests.rkey(index), flags);
                case RDMA_READ:
                    return requester.postRead(wrId, address, length, lkey, requests.remoteAddress(index),
                            requests.rkey(index), flags);
                default:
                    break;
            }
        }
        return postListed(requester, requests, index);
    }

    /** Posts one request of a list in the general way. */
    private static int postListed(Requester requester, SendRequests requests, int index) {
        int refused = check(requester, requests, index);
        long ticket = refused != PostStatus.OK ? refused : requester.slowBegin();
        if (ticket < 0) {
            return (int) ticket;
        }
        int status = encode(requester, ticket >>> 1, requests, index);
        requester.submitChecked(ticket, status == PostStatus.OK);
        return status;
    }

    /** Whether a request may be posted. */
    private static int check(Requester requester, SendRequests requests, int index) {
        PostingRules rules = requester.rules();
        return rules.isDatagram() && RequestCheck.isLegal(requests.opcode(index), rules.type())
                && rules.route(requests.addressHandle(index)) == null
                ? PostStatus.BAD_ADDRESS_HANDLE : RequestCheck.check(requests, index, rules);
    }

    /** Writes a checked request into its entry; not OK when its inline bytes or its address have gone meanwhile. */
    private static int encode(Requester requester, long sequence, SendRequests requests, int index) {
        PostingRules rules = requester.rules();
        int status = RequestCheck.encode(requests, index, rules, requester.queue, sequence)
                ? PostStatus.OK : PostStatus.INLINE_NOT_REGISTERED;
        if (rules.isDatagram()) {
            Route route = rules.route(requests.addressHandle(index));
            requester.executor.datagrams().address(sequence, requester.queue.entry(sequence), route,
                    requests.remoteQpn(index), requests.remoteQkey(index));
            status = route == null ? PostStatus.BAD_ADDRESS_HANDLE : status;
        }
        return status;
    }

    /** What an empty list comes to. */
    private static int checkOpen(Requester requester) {
        return requester.self.isClosed() ? PostStatus.CLOSED : PostStatus.OK;
    }
}
