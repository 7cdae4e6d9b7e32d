package io.verbena.verbs.tck;

import io.verbena.verbs.tck.peer.Peer;
import io.verbena.verbs.tck.peer.PeerAnswer.RegionInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.Waiting;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Registered memory of side B.
 *
 * @param peer side B
 * @param memory handle of the memory
 * @param region the region that covers it or a part of it
 */
record RemoteBuffer(Peer peer, int memory, RegionInfo region) {
    long address() {
        return region.address();
    }

    int rkey() {
        return region.rkey();
    }

    int lkey() {
        return region.lkey();
    }

    long length() {
        return region.bytes();
    }

    RemoteBuffer fill(long seed) {
        fill(0, length(), seed);
        return this;
    }

    void fill(long offset, long bytes, long seed) {
        peer.execute(new PeerCommand.Fill(memory, offset, bytes, seed));
    }

    /** Fails unless a range holds the first bytes of a pattern. */
    void check(long offset, long bytes, long seed, Object what) {
        long at = peer.execute(new PeerCommand.Check(memory, offset, bytes, seed));
        if (at >= 0) {
            throw new AssertionError(what + ": B's memory differs from pattern " + seed + " at offset "
                    + (offset + at) + ", " + bytes + " bytes expected from " + offset);
        }
    }

    /** The same for what was written without acknowledgement: it may still be on its way. */
    void await(long offset, long bytes, long seed, Object what) {
        Waiting.until(() -> peer.execute(new PeerCommand.Check(memory, offset, bytes, seed)) < 0, Waiting.LIMIT_NANOS);
        check(offset, bytes, seed, what);
    }

    byte[] bytes(long offset, int bytes) {
        return peer.execute(new PeerCommand.ReadBytes(memory, offset, bytes));
    }

    /** Eight bytes in the byte order of the host. */
    long getLong(long offset) {
        return ByteBuffer.wrap(bytes(offset, Long.BYTES)).order(ByteOrder.nativeOrder()).getLong();
    }

    /** Closes the region, or answers what B's close threw. */
    void deregister() {
        peer.execute(new PeerCommand.Destroy(region.handle()));
    }

    /** Registers a part of the same memory once more. */
    RemoteBuffer again(int domain, long offset, long bytes, int access) {
        return new RemoteBuffer(peer, memory,
                peer.execute(new PeerCommand.Register(domain, memory, offset, bytes, access)));
    }
}
