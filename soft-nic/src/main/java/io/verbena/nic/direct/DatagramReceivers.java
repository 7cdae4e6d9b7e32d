package io.verbena.nic.direct;

import io.verbena.verbs.Gid;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The UD queue pairs of this JVM by address, and their multicast groups. Changed by control calls under the control
 * lock; data calls find receivers without lock or allocation.
 */
public final class DatagramReceivers {
    private static final Endpoint[] NOBODY = {};

    private final ConcurrentHashMap<Gid, Numbers> addresses = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Gid, Endpoint[]> groups = new ConcurrentHashMap<>();

    /** The queue pairs behind one GID: an open-addressing table, replaced as a whole. */
    private static final class Numbers {
        private static final int SPREAD = 0x9E37_79B9;

        private final Endpoint[] slots;
        private final int shift;
        private final int size;

        private Numbers(Endpoint[] endpoints) {
            size = endpoints.length;
            int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * size + 1);
            slots = new Endpoint[1 << bits];
            shift = Integer.SIZE - bits;
            for (Endpoint endpoint : endpoints) {
                int at = endpoint.qpNum() * SPREAD >>> shift;
                while (slots[at] != null) {
                    at = at + 1 & slots.length - 1;
                }
                slots[at] = endpoint;
            }
        }

        private Endpoint find(int qpNum) {
            int at = qpNum * SPREAD >>> shift;
            while (slots[at] != null && slots[at].qpNum() != qpNum) {
                at = at + 1 & slots.length - 1;
            }
            return slots[at];
        }

        private Endpoint[] all() {
            return Arrays.stream(slots).filter(slot -> slot != null).toArray(Endpoint[]::new);
        }
    }

    DatagramReceivers() {}

    void add(Gid gid, Endpoint endpoint) {
        addresses.compute(gid, (key, now) -> new Numbers(with(now == null ? NOBODY : now.all(), endpoint)));
    }

    void remove(Gid gid, Endpoint endpoint) {
        addresses.computeIfPresent(gid, (key, now) -> {
            Endpoint[] left = without(now.all(), endpoint);
            return left.length == 0 ? null : new Numbers(left);
        });
    }

    /** The queue pair with an address, or null. */
    Endpoint find(Gid gid, int qpNum) {
        Numbers numbers = addresses.get(gid);
        return numbers == null ? null : numbers.find(qpNum);
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
