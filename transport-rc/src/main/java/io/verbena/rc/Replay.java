package io.verbena.rc;

import io.verbena.rc.packet.PacketType;

/**
 * The last READs and atomics that were executed, with what is needed to answer them again (IBA 9.7.4.1.2, 9.7.5.1.2):
 * the range of a READ, whose bytes are read anew, and the result of an atomic, which is never executed again. A ring;
 * the oldest is forgotten for the newest.
 */
final class Replay {
    /** Nothing remembered fits. */
    static final int NONE = -1;

    private PacketType[] types;
    private long[] first;
    private long[] last;
    private long[] address;
    private int[] rkey;
    private long[] length;
    private long[] value;
    private int[] msn;
    private int newest = -1;
    private int count;

    Replay(int entries) {
        types = new PacketType[entries];
        first = new long[entries];
        last = new long[entries];
        address = new long[entries];
        rkey = new int[entries];
        length = new long[entries];
        value = new long[entries];
        msn = new int[entries];
    }

    int capacity() {
        return types.length;
    }

    /**
     * Remembers more from now on. What has a place moves there from the place that {@link #oldestPlace} is before the
     * call, which becomes the first.
     */
    void grow(int entries) {
        int oldest = oldestPlace();
        int size = types.length;
        types = (PacketType[]) moved(types, new PacketType[entries], oldest, size);
        first = (long[]) moved(first, new long[entries], oldest, size);
        last = (long[]) moved(last, new long[entries], oldest, size);
        address = (long[]) moved(address, new long[entries], oldest, size);
        rkey = (int[]) moved(rkey, new int[entries], oldest, size);
        length = (long[]) moved(length, new long[entries], oldest, size);
        value = (long[]) moved(value, new long[entries], oldest, size);
        msn = (int[]) moved(msn, new int[entries], oldest, size);
        newest = count - 1;
    }

    /** The place of the request that is forgotten first. */
    int oldestPlace() {
        return count == 0 ? 0 : Math.floorMod(newest - count + 1, types.length);
    }

    /** Copies a ring so that it begins with one of its places. */
    static Object moved(Object ring, Object to, int start, int size) {
        System.arraycopy(ring, start, to, 0, size - start);
        System.arraycopy(ring, 0, to, size - start, start);
        return to;
    }

    /** The place that the next request will be remembered in. */
    int nextPlace() {
        return (newest + 1) % types.length;
    }

    /** Remembers a request at {@link #nextPlace}. */
    int save(PacketType type, long firstPosition, long lastPosition, int messages) {
        newest = nextPlace();
        count = Math.min(count + 1, types.length);
        types[newest] = type;
        first[newest] = firstPosition;
        last[newest] = lastPosition;
        msn[newest] = messages;
        return newest;
    }

    void memory(int place, long newAddress, int newRkey, long newLength) {
        address[place] = newAddress;
        rkey[place] = newRkey;
        length[place] = newLength;
    }

    void value(int place, long result) {
        value[place] = result;
    }

    /** The request that a position belongs to, or {@link #NONE}. */
    int find(long position) {
        for (int i = 0; i < count; i++) {
            int place = Math.floorMod(newest - i, types.length);
            if (position >= first[place] && position <= last[place]) {
                return place;
            }
        }
        return NONE;
    }

    PacketType type(int place) {
        return types[place];
    }

    long first(int place) {
        return first[place];
    }

    long last(int place) {
        return last[place];
    }

    int msn(int place) {
        return msn[place];
    }

    long address(int place) {
        return address[place];
    }

    int rkey(int place) {
        return rkey[place];
    }

    long length(int place) {
        return length[place];
    }

    long value(int place) {
        return value[place];
    }

    /** Whether memory lies inside what a READ was for; safe against overflow. */
    boolean covers(int place, long from, long bytes) {
        long offset = from - address[place];
        return Long.compareUnsigned(offset, length[place]) <= 0
                && Long.compareUnsigned(bytes, length[place] - offset) <= 0;
    }
}
