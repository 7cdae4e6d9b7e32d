package io.verbena.bench;

/**
 * Where the other end's memory is, for READs, WRITEs and atomics.
 *
 * @param address its first byte, as the other end sees it
 * @param rkey its key
 */
record PeerMemory(long address, int rkey) {
    /** The registered memory of an end. */
    static PeerMemory of(Endpoint end) {
        return new PeerMemory(end.region().address(), end.region().rkey());
    }
}
