package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.tck.peer.Peer;
import io.verbena.verbs.tck.peer.PeerAnswer;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.SharingCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A shared receive queue of side B.
 *
 * @param b side B
 * @param handle its handle
 */
record RemoteSrq(Peer b, int handle) {
    private static final long EVENT_NANOS = 3_000_000_000L;

    /** Creates one in the domain that queue pairs belong to. */
    static RemoteSrq create(Fixture fixture, int maxWr, int maxSge) {
        return new RemoteSrq(fixture.b(),
                fixture.b().execute(new SharingCommand.CreateSharedQueue(PeerCommand.DOMAIN, maxWr, maxSge)));
    }

    int tryPost(WorkSpec... receives) {
        return b.execute(new SharingCommand.PostShared(handle, new ArrayList<>(Arrays.asList(receives))));
    }

    void post(WorkSpec... receives) {
        assertEquals(PostStatus.OK, tryPost(receives));
    }

    /** Posts receives without buffers with ids from one number up to another, exclusively. */
    void postEmpty(int from, int to) {
        for (int i = from; i < to; i++) {
            post(WorkSpec.receive(i));
        }
    }

    void setLimit(int limit) {
        b.execute(new SharingCommand.SetLimit(handle, limit));
    }

    void resize(int maxWr) {
        b.execute(new SharingCommand.ResizeShared(handle, maxWr));
    }

    SharingCommand.SharedView query() {
        return b.execute(new SharingCommand.QueryShared(handle));
    }

    void close() {
        b.execute(new PeerCommand.Destroy(handle));
    }

    /** Waits until there are fewer receives than {@link #setLimit} said. */
    void awaitLimit() {
        for (;;) {
            PeerAnswer.Event event = b.execute(new PeerCommand.TakeEvent(-1, EVENT_NANOS));
            if (event.equals(PeerAnswer.Event.NONE)) {
                fail("the limit of the shared receive queue was not reached");
            }
            if (event.kind().equals("SRQ_LIMIT_REACHED")) {
                return;
            }
        }
    }

    /** Takes events of side B until none comes for a while; fails unless a kind is among them exactly so often. */
    static void expectEvents(Peer b, String kind, int count) {
        List<PeerAnswer.Event> seen = new ArrayList<>();
        long matching = 0;
        for (long wait = count > 0 ? EVENT_NANOS : Pair.QUIET_NANOS;;
                wait = matching < count ? EVENT_NANOS : Pair.QUIET_NANOS) {
            PeerAnswer.Event event = b.execute(new PeerCommand.TakeEvent(-1, wait));
            if (event.equals(PeerAnswer.Event.NONE)) {
                break;
            }
            seen.add(event);
            matching += event.kind().equals(kind) ? 1 : 0;
        }
        if (matching != count) {
            fail(count + " events " + kind + " expected; came: " + seen);
        }
    }
}
