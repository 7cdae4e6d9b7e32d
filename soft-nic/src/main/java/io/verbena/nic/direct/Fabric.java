package io.verbena.nic.direct;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.memory.Generation;
import io.verbena.nic.memory.Guard;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the software NICs of one JVM share: the way to each other's endpoints, the generation that data calls compare,
 * and the lock of all control planes. No data call takes the lock.
 */
public final class Fabric {
    /** The one fabric of this JVM. */
    public static final Fabric LOCAL = new Fabric();

    private final ConcurrentHashMap<Address, Endpoint> endpoints = new ConcurrentHashMap<>();
    private final EndpointList all = new EndpointList();
    private final Set<Guard> pollGuards = ConcurrentHashMap.newKeySet();
    private final Generation generation = new Generation();
    private final DatagramReceivers datagramReceivers = new DatagramReceivers();
    private final ReentrantLock controlLock = new ReentrantLock();

    private Fabric() {}

    /** Where an endpoint is. */
    private record Address(Gid gid, int qpNum) {}

    /** Taken by every control call that changes something. */
    public ReentrantLock controlLock() {
        return controlLock;
    }

    /** Changes whenever data calls must look again at what they remember. */
    public Generation generation() {
        return generation;
    }

    /** Makes an endpoint reachable. */
    public void add(Gid gid, Endpoint endpoint) {
        endpoints.put(new Address(gid, endpoint.qpNum()), endpoint);
        all.add(endpoint.place());
        if (endpoint.type() == QueuePairType.UD) {
            datagramReceivers.add(gid, endpoint);
        }
    }

    /** Makes an endpoint unreachable; data calls that use it already are not stopped by this. */
    public void remove(Gid gid, Endpoint endpoint) {
        endpoints.remove(new Address(gid, endpoint.qpNum()));
        if (endpoint.type() == QueuePairType.UD) {
            datagramReceivers.remove(gid, endpoint);
        }
    }

    /** Who takes datagrams. */
    public DatagramReceivers datagramReceivers() {
        return datagramReceivers;
    }

    /** Waits no longer for an endpoint; once it was reset for the last time. */
    public void forget(Endpoint endpoint) {
        all.remove(endpoint.place());
    }

    /** Finds an endpoint, or null. */
    Endpoint find(Gid gid, int qpNum) {
        return endpoints.get(new Address(gid, qpNum));
    }

    /** Adds a guard of polls that write to registered memory. */
    public void addPollGuard(Guard guard) {
        pollGuards.add(guard);
    }

    /** Removes a guard added before. */
    public void removePollGuard(Guard guard) {
        pollGuards.remove(guard);
    }

    /** Makes data calls look again, and waits for those in flight; they use nothing revoked before this call. */
    public void quiesce() {
        quiesceRequesters();
        pollGuards.forEach(Guard::awaitQuiescent);
    }

    /** Like {@link #quiesce} for what polls never use, such as keys of peers; by any thread outside all guards. */
    void quiesceRequesters() {
        generation.bump();
        Fences.heavy();
        all.awaitQuiescent();
    }
}
