package io.verbena.nic.direct;

import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;

/** What ties an endpoint to another process: the peer that it sends to, and who sends to it. */
public final class Abroad {
    /** A process that runs answers sooner; one that does not is no peer, and the tries go by. */
    private static final long LONGEST_LOOK_NS = 200_000_000;

    private final Endpoint endpoint;
    private final Neighbours neighbours;
    private final AtomicReference<Peer> peer = new AtomicReference<>();
    private volatile ForeignUser user;
    private boolean looking;
    private long lookingUntil;
    /** The connection has failed for good. */
    private volatile boolean over;

    Abroad(Endpoint endpoint, Neighbours neighbours) {
        this.endpoint = endpoint;
        this.neighbours = neighbours;
    }

    /** The peer when it is in another process; null while none was found. */
    public Peer peer() {
        return peer.get();
    }

    /**
     * Connects to a peer in another process; under the control lock.
     *
     * @param found the peer
     */
    public void peer(Peer found) {
        peer.set(found);
        Fabric.LOCAL.generation().bump();
        endpoint.progress().register(endpoint);
    }

    /**
     * Whether the peer may answer yet; forgets it when it was reset since it was found. By the holder of the send
     * queue, who uses nothing of the peer's any more after this call.
     */
    boolean isHopeful(Link link) {
        Peer known = peer.get();
        if (!over && known != null && known.isOutdated() && peer.compareAndSet(known, null)) {
            link.forgetPeer();
            neighbours.leave(known);
            known = null;
        }
        return !over && (known == null || !known.isGone());
    }

    /** Whether the peer is looked for, and may be found in a moment; begins to. By the holder of the send queue. */
    boolean isLooking() {
        Path path = endpoint.path();
        if (over || peer.get() != null || path.remoteGid() == null || Fabric.LOCAL.isHere(path.remoteGid())) {
            looking = false;
            return false;
        }
        long now = System.nanoTime();
        if (!looking) {
            looking = true;
            lookingUntil = now + LONGEST_LOOK_NS;
            neighbours.seek(endpoint);
            return true;
        }
        looking = neighbours.isSeeking(endpoint) && now - lookingUntil < 0;
        return looking;
    }

    /** Whether datagrams for groups go to any other process. */
    boolean hasOthers() {
        return neighbours.hasOthers();
    }

    /** Sends a datagram to other processes. */
    Neighbours.Fate send(Gid to, Datagram datagram, MemorySegment payload) {
        return neighbours.send(to, datagram, payload);
    }

    /** The process at the other end has ended, or was cut off: nothing sent will be answered. */
    public void gone() {
        over = true;
        Peer known = peer.get();
        if (known != null) {
            known.cutOff();
        }
        Fabric.LOCAL.generation().bump();
        endpoint.requester().executor.hurry();
        // What is outstanding ends in an error first, unless nobody would tell.
        if (endpoint.requester().queue().hasNext() && endpoint.type() == QueuePairType.RC) {
            endpoint.progress().register(endpoint);
        } else {
            endpoint.enterError(Kind.QP_FATAL);
        }
    }

    /**
     * The process of a peer has ended; under the control lock.
     *
     * @param ended the peer, which may be that of an earlier connection
     */
    public void gone(Peer ended) {
        if (peer.get() == ended) {
            gone();
        }
    }

    /** Whoever produces completions here from another process, or null. */
    public ForeignUser user() {
        return user;
    }

    /**
     * Lets a requester of another process produce completions here; under the control lock.
     *
     * @param newUser whom to wait for
     */
    public void user(ForeignUser newUser) {
        user = newUser;
    }

    /**
     * The packet sequence number that the next message to the endpoint starts with; under the control lock.
     *
     * @return 24 bits
     */
    public int expectedPsn() {
        ForeignUser known = user;
        return known == null ? endpoint.receiveLane().expectedPsn() : known.psn();
    }

    /** Whether the peer in another process has found the way back. */
    public boolean isFound() {
        ForeignUser known = user;
        return known != null && known.isReady();
    }

    /** Waits for a requester of another process; after the state was changed and Fences.heavy. */
    void awaitUser() {
        ForeignUser waited = user;
        if (waited != null) {
            Fabric.awaitForeign(waited);
        }
    }

    /** The connection is over, and nothing of it is in use. */
    void leave() {
        looking = false;
        Peer left = peer.getAndSet(null);
        ForeignUser released = user;
        user = null;
        over = false;
        if (left != null) {
            neighbours.leave(left);
        }
        if (released != null) {
            released.release();
        }
    }
}
