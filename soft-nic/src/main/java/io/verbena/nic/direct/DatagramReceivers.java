package io.verbena.nic.direct;

import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairType;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who takes datagrams: the UD queue pairs of this JVM and their multicast groups. Changed by control calls under the
 * control lock; data calls find receivers without lock or allocation.
 */
public final class DatagramReceivers {
    private static final Endpoint[] NOBODY = {};

    private final ConcurrentHashMap<Gid, Endpoint[]> groups = new ConcurrentHashMap<>();

    DatagramReceivers() {}

    /** The UD queue pair with an address, or null. */
    Endpoint find(Gid gid, int qpNum) {
        Endpoint found = Fabric.LOCAL.find(gid, qpNum);
        return found == null || found.type() != QueuePairType.UD ? null : found;
    }

    /**
     * Adds a queue pair to a group.
     *
     * @param mostGroups groups there may be
     * @param mostMembers queue pairs one group may have
     * @return false when there are too many; true when it is a member now
     */
    public boolean join(Gid group, Endpoint endpoint, long mostGroups, long mostMembers) {
        Endpoint[] now = groups.getOrDefault(group, NOBODY);
        if (Arrays.asList(now).contains(endpoint)) {
            return true;
        }
        if (now.length >= mostMembers || now.length == 0 && groups.size() >= mostGroups) {
            return false;
        }
        groups.put(group, with(now, endpoint));
        return true;
    }

    /** Removes a queue pair from a group; false when it was no member. */
    public boolean leave(Gid group, Endpoint endpoint) {
        Endpoint[] now = groups.getOrDefault(group, NOBODY);
        if (!Arrays.asList(now).contains(endpoint)) {
            return false;
        }
        if (now.length == 1) {
            groups.remove(group);
        } else {
            groups.put(group, without(now, endpoint));
        }
        return true;
    }

    /** The members of a group; not to be changed. */
    Endpoint[] members(Gid group) {
        Endpoint[] now = groups.get(group);
        return now == null ? NOBODY : now;
    }

    private static Endpoint[] with(Endpoint[] endpoints, Endpoint added) {
        Endpoint[] more = Arrays.copyOf(endpoints, endpoints.length + 1);
        more[endpoints.length] = added;
        return more;
    }

    private static Endpoint[] without(Endpoint[] endpoints, Endpoint removed) {
        return Arrays.stream(endpoints).filter(other -> other != removed).toArray(Endpoint[]::new);
    }
}
