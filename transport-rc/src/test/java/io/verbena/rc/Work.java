package io.verbena.rc;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;

/**
 * A work request of a test.
 *
 * @param opcode what to do
 * @param flags bits of SendFlags
 * @param remoteAddress first byte at the peer
 * @param rkey the peer's key
 * @param operands of an atomic: compare or add, swap; of a FLUSH: length, selectivity
 * @param imm immediate value
 * @param local where the local bytes are
 */
record Work(Opcode opcode, int flags, long remoteAddress, int rkey, long[] operands, int imm, Place[] local) {
    /** A local buffer. */
    record Place(long address, long length, int lkey) {}

    static Work of(Opcode opcode) {
        return new Work(opcode, SendFlags.SIGNALED, 0, 0, new long[2], 0, new Place[0]);
    }

    Work flags(int more) {
        return new Work(opcode, flags | more, remoteAddress, rkey, operands, imm, local);
    }

    Work remote(long address, int key) {
        return new Work(opcode, flags, address, key, operands, imm, local);
    }

    Work operands(long compareAdd, long swap) {
        return new Work(opcode, flags, remoteAddress, rkey, new long[] {compareAdd, swap}, imm, local);
    }

    Work imm(int value) {
        return new Work(opcode, flags, remoteAddress, rkey, operands, value, local);
    }

    Work local(Place... places) {
        return new Work(opcode, flags, remoteAddress, rkey, operands, imm, places);
    }
}
