package io.verbena.verbs;

/**
 * A reusable list of receive work requests for one post (a chain of struct ibv_recv_wr). Filled like
 * {@link SendRequests}; allocates nothing after construction; may be changed as soon as the post returns.
 * Not thread-safe.
 */
public final class ReceiveRequests {
    private final int maxSge;
    private final long[] wrIds;
    private final int[] sgeCounts;
    private final SgeTable sges;
    private int size;
    private int refusedIndex = -1;
    private int refusedStatus;

    /**
     * Makes an empty list.
     *
     * @param capacity most work requests in one list, at least 1
     * @param maxSge most scatter/gather entries of one work request, 0 or more
     * @throws VerbsException EINVAL for other values
     */
    public ReceiveRequests(int capacity, int maxSge) {
        SgeTable.check(capacity, maxSge);
        this.maxSge = maxSge;
        wrIds = new long[capacity];
        sgeCounts = new int[capacity];
        sges = new SgeTable(capacity * maxSge);
    }

    /**
     * Empties the list.
     *
     * @return this
     */
    public ReceiveRequests clear() {
        size = 0;
        refusedIndex = -1;
        refusedStatus = PostStatus.OK;
        return this;
    }

    /**
     * Starts the next work request.
     *
     * @param wrId comes back in the completion
     * @return this
     * @throws VerbsException ENOMEM when the list is full
     */
    public ReceiveRequests add(long wrId) {
        if (size == wrIds.length) {
            throw SgeTable.full("work requests", wrIds.length);
        }
        wrIds[size] = wrId;
        sgeCounts[size++] = 0;
        return this;
    }

    /**
     * Adds a buffer to the newest work request; buffers are filled in order.
     *
     * @param address its first byte, as the region's iova counts
     * @param length bytes; 0 is skipped and its key not checked
     * @param lkey the region's local key; the region needs {@link Access#LOCAL_WRITE}
     * @return this
     * @throws VerbsException ENOMEM when the work request already has maxSge entries
     */
    public ReceiveRequests sge(long address, long length, int lkey) {
        if (size == 0) {
            throw new VerbsException(Errno.EINVAL, "requests", "the list is empty; call add first");
        }
        int index = size - 1;
        if (sgeCounts[index] == maxSge) {
            throw SgeTable.full("scatter/gather entries of one work request", maxSge);
        }
        sges.set(index * maxSge + sgeCounts[index]++, address, length, lkey);
        return this;
    }

    /**
     * Work requests in the list.
     *
     * @return 0 to the capacity
     */
    public int size() {
        return size;
    }

    /**
     * The work request that the last post refused.
     *
     * @return its index; -1 when all were taken
     */
    public int refusedIndex() {
        return refusedIndex;
    }

    /**
     * Why the last post refused a work request.
     *
     * @return a code of {@link PostStatus}
     */
    public int refusedStatus() {
        return refusedStatus;
    }

    /**
     * Notes the outcome of a post; for providers.
     *
     * @param index the first work request not taken, -1 for none
     * @param status the code returned
     * @return status
     */
    public int setRefused(int index, int status) {
        refusedIndex = index;
        refusedStatus = status;
        return status;
    }

    /**
     * Id of a work request.
     *
     * @param index 0 to size - 1
     * @return what add was given
     */
    public long wrId(int index) {
        return wrIds[index];
    }

    /**
     * Number of buffers of a work request.
     *
     * @param index 0 to size - 1
     * @return 0 to maxSge
     */
    public int sgeCount(int index) {
        return sgeCounts[index];
    }

    /**
     * Address of a buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public long sgeAddress(int index, int entry) {
        return sges.address(index * maxSge + entry);
    }

    /**
     * Length of a buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public long sgeLength(int index, int entry) {
        return sges.length(index * maxSge + entry);
    }

    /**
     * Local key of a buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public int sgeLkey(int index, int entry) {
        return sges.lkey(index * maxSge + entry);
    }

    @Override
    public String toString() {
        return size + " of " + wrIds.length + " work requests";
    }
}
