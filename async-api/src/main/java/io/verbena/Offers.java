package io.verbena;

import io.verbena.async.memory.Grant;
import io.verbena.async.op.Operation;
import io.verbena.verbs.WcStatus;

/**
 * Long messages that the peer is to fetch. One ends when both has happened: the frame that offers it has completed, so
 * that its place can be used again, and the peer has answered. The two come in either order. Whoever posts makes an
 * offer; everything else is the driver's.
 */
final class Offers {
    private static final byte NONE = 0;
    private static final byte FETCHED = 1;
    private static final byte REFUSED = 2;

    private final ConnectionCore core;
    private final Grant[] grants;
    private final boolean[] sent;
    private final byte[] answers;

    Offers(ConnectionCore core) {
        this.core = core;
        grants = new Grant[core.user.size()];
        sent = new boolean[grants.length];
        answers = new byte[grants.length];
    }

    /** An offer is about to be posted. */
    void begin(int place, Grant grant) {
        grants[place] = grant;
    }

    /** It was not posted. */
    void undo(int place) {
        Grant grant = grants[place];
        grants[place] = null;
        grant.revoke();
    }

    /** A send has completed; returns whether it was an offer that ends later, or has ended here. */
    boolean completed(Operation op, int status) {
        int place = op.index();
        if (grants[place] == null) {
            return false;
        }
        if (status != OperationStatus.SUCCESS) {
            revoke(place);
            return false;
        }
        sent[place] = true;
        if (answers[place] != NONE) {
            end(op, answers[place]);
        } else if (core.life.hasFailed()) {
            sweep(op);
        }
        return true;
    }

    /** The peer has fetched a message, or refuses to; false when it was not asked to. */
    boolean answered(long wrId, int status) {
        Operation op = core.user.find(wrId);
        if (op == null || grants[op.index()] == null || answers[op.index()] != NONE) {
            return false;
        }
        byte answer = status == 0 ? FETCHED : REFUSED;
        if (sent[op.index()]) {
            end(op, answer);
        } else {
            answers[op.index()] = answer;
        }
        return true;
    }

    private void end(Operation op, byte answer) {
        revoke(op.index());
        core.end(op, answer == FETCHED ? OperationStatus.SUCCESS : OperationStatus.REFUSED, answer == FETCHED ? null
                : new PeerRefusedException("the peer did not fetch a message of " + op.length
                        + " bytes: it has no memory for it; send it again later, or in parts"));
    }

    private void revoke(int place) {
        sent[place] = false;
        answers[place] = NONE;
        undo(place);
    }

    /** No answer comes any more. What has not completed yet ends by its completion. */
    void failed() {
        for (int i = 0; i < sent.length; i++) {
            if (sent[i]) {
                sweep(core.user.at(i));
            }
        }
    }

    private void sweep(Operation op) {
        revoke(op.index());
        core.end(op, WcStatus.WR_FLUSH_ERR.code(), core.life.swept(op.kind));
    }

    /** The queue pair is gone, and everything on it has ended. */
    void closed() {
        for (int i = 0; i < grants.length; i++) {
            if (grants[i] != null) {
                revoke(i);
            }
        }
    }
}
