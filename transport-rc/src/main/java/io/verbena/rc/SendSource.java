package io.verbena.rc;

/**
 * The send queue as the engine sees it: work requests under sequences that count from 0. A request stays as it is, in
 * memory that only the NIC writes, until {@link CompletionSink#sendEnded} was called for it. Called by the thread that
 * drives the engine; nothing here blocks, allocates or throws.
 */
public interface SendSource {
    /** The count of buffers that says the bytes are in the request itself. */
    int INLINE = -1;

    /** The opcode of a place that its poster gave up: it ends with success in its turn, and nobody is told. */
    int NOTHING = -1;

    /**
     * Work requests posted so far; an acquire load, what they say can be read after it.
     *
     * @return the sequence of the next one to come
     */
    long posted();

    /** The code of the request's {@link io.verbena.verbs.Opcode}, or {@link #NOTHING}. */
    int opcode(long sequence);

    /** Bits of {@link io.verbena.verbs.SendFlags}. */
    int flags(long sequence);

    /** The first byte at the peer; for a datagram the receiver's queue pair number. */
    long remoteAddress(long sequence);

    /** The peer's key, or the key to invalidate; for a datagram the queue key. */
    int rkey(long sequence);

    /** The compare operand or the addend; for a FLUSH the length. */
    long compareAdd(long sequence);

    /** The swap operand; for a FLUSH the selectivity. */
    long swap(long sequence);

    /** The immediate value; for a FLUSH the placement type. */
    int imm(long sequence);

    /** The number of buffers, or {@link #INLINE}. */
    int bufferCount(long sequence);

    /** Where the first buffer is described, see {@link Sge}; for {@link #INLINE} the first byte. */
    long buffers(long sequence);

    /** The number of bytes of an {@link #INLINE} request. */
    int inlineLength(long sequence);

    /**
     * Executes a request that no peer takes part in: LOCAL_INV or BIND_MW. Everything posted before it is complete.
     *
     * @return a code of {@link io.verbena.verbs.WcStatus}
     */
    int executeLocal(long sequence);
}
