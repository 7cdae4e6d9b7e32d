package io.verbena.sim;

/**
 * One work request, and what it must do.
 *
 * @param sequence in its send queue
 * @param kind what it is
 * @param length bytes
 * @param imm its immediate value
 * @param compareAdd operand of an atomic
 * @param swap operand of a swap
 * @param before what the peer's counter shows before an atomic
 */
record Job(long sequence, Kind kind, int length, int imm, long compareAdd, long swap, long before) {
    /** What the peer's counter shows after it. */
    long after() {
        return switch (kind) {
            case FETCH_ADD -> before + compareAdd;
            case COMPARE_SWAP -> before == compareAdd ? swap : before;
            default -> before;
        };
    }
}
