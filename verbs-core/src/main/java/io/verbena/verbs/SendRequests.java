package io.verbena.verbs;

/**
 * A reusable list of send work requests for one {@link QueuePair#postSend(SendRequests)} (a chain of
 * struct ibv_send_wr). Filled in order: {@link #add} starts a request, the other calls complete the newest one.
 * Holds plain numbers, allocates nothing after construction, and may be changed as soon as the post returns.
 * Not thread-safe.
 *
 * <pre>{@code
 * requests.clear();
 * requests.add(1, Opcode.RDMA_WRITE, 0).sge(address, 4096, lkey).remote(remoteAddress, rkey);
 * requests.add(2, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED).sge(header, 32, lkey).imm(7);
 * int status = qp.postSend(requests);
 * if (status != PostStatus.OK) {
 *     report(requests.refusedIndex(), PostStatus.describe(status));
 * }
 * }</pre>
 */
public final class SendRequests {
    private final int maxSge;
    private final long[] wrIds;
    private final Opcode[] opcodes;
    private final int[] flags;
    private final int[] sgeCounts;
    private final SgeTable sges;
    private final long[] remoteAddresses;
    private final int[] rkeys;
    private final int[] imms;
    private final long[] compareAdds;
    private final long[] swaps;
    private final AddressHandle[] addressHandles;
    private final int[] remoteQpns;
    private final int[] remoteQkeys;
    private final MemoryWindow[] windows;
    private final MemoryRegion[] regions;
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
    public SendRequests(int capacity, int maxSge) {
        SgeTable.check(capacity, maxSge);
        this.maxSge = maxSge;
        wrIds = new long[capacity];
        opcodes = new Opcode[capacity];
        flags = new int[capacity];
        sgeCounts = new int[capacity];
        sges = new SgeTable(capacity * maxSge);
        remoteAddresses = new long[capacity];
        rkeys = new int[capacity];
        imms = new int[capacity];
        compareAdds = new long[capacity];
        swaps = new long[capacity];
        addressHandles = new AddressHandle[capacity];
        remoteQpns = new int[capacity];
        remoteQkeys = new int[capacity];
        windows = new MemoryWindow[capacity];
        regions = new MemoryRegion[capacity];
    }

    /**
     * Empties the list.
     *
     * @return this
     */
    public SendRequests clear() {
        size = 0;
        refusedIndex = -1;
        refusedStatus = PostStatus.OK;
        return this;
    }

    /**
     * Starts the next work request.
     *
     * @param wrId comes back in the completion
     * @param opcode what to do
     * @param sendFlags bits of {@link SendFlags}
     * @return this
     * @throws VerbsException ENOMEM when the list is full
     */
    public SendRequests add(long wrId, Opcode opcode, int sendFlags) {
        if (size == wrIds.length) {
            throw SgeTable.full("work requests", wrIds.length);
        }
        if (opcode == null) {
            throw VerbsException.invalid("opcode", null, "one of Opcode");
        }
        int index = size++;
        wrIds[index] = wrId;
        opcodes[index] = opcode;
        flags[index] = sendFlags;
        sgeCounts[index] = 0;
        remoteAddresses[index] = 0;
        rkeys[index] = 0;
        imms[index] = 0;
        compareAdds[index] = 0;
        swaps[index] = 0;
        addressHandles[index] = null;
        windows[index] = null;
        regions[index] = null;
        return this;
    }

    /**
     * Adds a local buffer to the newest work request.
     *
     * @param address its first byte, as the region's iova counts
     * @param length bytes; 0 is skipped and its key not checked
     * @param lkey the region's local key
     * @return this
     * @throws VerbsException ENOMEM when the work request already has maxSge entries
     */
    public SendRequests sge(long address, long length, int lkey) {
        int index = newest();
        if (sgeCounts[index] == maxSge) {
            throw SgeTable.full("scatter/gather entries of one work request", maxSge);
        }
        sges.set(index * maxSge + sgeCounts[index]++, address, length, lkey);
        return this;
    }

    /**
     * Names the remote memory of the newest work request (RDMA, atomics, FLUSH).
     *
     * @param remoteAddress first byte, as the peer's region counts
     * @param rkey the peer's remote key
     * @return this
     */
    public SendRequests remote(long remoteAddress, int rkey) {
        remoteAddresses[newest()] = remoteAddress;
        rkeys[newest()] = rkey;
        return this;
    }

    /**
     * Sets the immediate value of the newest work request.
     *
     * @param imm 32 bits, carried unchanged
     * @return this
     */
    public SendRequests imm(int imm) {
        imms[newest()] = imm;
        return this;
    }

    /**
     * Sets the operands of a compare and swap.
     *
     * @param compare swap only when the remote 8 bytes equal this
     * @param swap the new value
     * @return this
     */
    public SendRequests compareAndSwap(long compare, long swap) {
        compareAdds[newest()] = compare;
        swaps[newest()] = swap;
        return this;
    }

    /**
     * Sets the operand of a fetch and add.
     *
     * @param add added modulo 2^64
     * @return this
     */
    public SendRequests fetchAndAdd(long add) {
        compareAdds[newest()] = add;
        return this;
    }

    /**
     * Names the receiver of the newest work request (UD).
     *
     * @param handle way to the peer; must stay open until the work request completes
     * @param remoteQpn the peer's queue pair number
     * @param remoteQkey the peer's queue key
     * @return this
     */
    public SendRequests to(AddressHandle handle, int remoteQpn, int remoteQkey) {
        addressHandles[newest()] = handle;
        remoteQpns[newest()] = remoteQpn;
        remoteQkeys[newest()] = remoteQkey;
        return this;
    }

    /**
     * Names the key that the newest work request invalidates: for LOCAL_INV the key of an own type 2 window, for
     * SEND_WITH_INV that of one of the peer's.
     *
     * @param rkey the key the window is bound under
     * @return this
     */
    public SendRequests invalidate(int rkey) {
        rkeys[newest()] = rkey;
        return this;
    }

    /**
     * Says what a BIND_MW binds (the bind_mw member of struct ibv_send_wr). The window, the region and the queue pair
     * must be of one protection domain; until the window is unbound the region can't be deregistered.
     *
     * @param window of type 2, not bound now; must stay open until the work request completes
     * @param rkey its low 8 bits become those of the window's new key, see {@link MemoryWindow#rkey(int)}; any value,
     *     the present one too
     * @param region with {@link Access#MW_BIND} and without {@link Access#ZERO_BASED}
     * @param address first byte, as the region's iova counts
     * @param length bytes, 1 or more
     * @param access some of REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC (the first and the last need LOCAL_WRITE on the
     *     region), FLUSH_GLOBAL, FLUSH_PERSISTENT, and ZERO_BASED: peers then count from the window's first byte
     * @return this
     */
    public SendRequests bind(
            MemoryWindow window, int rkey, MemoryRegion region, long address, long length, int access) {
        int index = newest();
        windows[index] = window;
        regions[index] = region;
        rkeys[index] = rkey;
        remoteAddresses[index] = address;
        compareAdds[index] = length;
        imms[index] = access;
        return this;
    }

    /**
     * Says what a FLUSH flushes (ibv_wr_flush(3)), besides the key and, for a range, the address given to
     * {@link #remote}.
     *
     * @param length bytes of the range; ignored for a whole region
     * @param placement {@link FlushType#GLOBAL}, {@link FlushType#PERSISTENT}, or both
     * @param selectivity {@link FlushType#RANGE} or {@link FlushType#REGION}
     * @return this
     */
    public SendRequests flush(long length, int placement, int selectivity) {
        compareAdds[newest()] = length;
        imms[newest()] = placement;
        swaps[newest()] = selectivity;
        return this;
    }

    private int newest() {
        if (size == 0) {
            throw new VerbsException(Errno.EINVAL, "requests", "the list is empty; call add first");
        }
        return size - 1;
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
     * Opcode of a work request.
     *
     * @param index 0 to size - 1
     * @return never null
     */
    public Opcode opcode(int index) {
        return opcodes[index];
    }

    /**
     * Flags of a work request.
     *
     * @param index 0 to size - 1
     * @return bits of {@link SendFlags}
     */
    public int flags(int index) {
        return flags[index];
    }

    /**
     * Number of local buffers of a work request.
     *
     * @param index 0 to size - 1
     * @return 0 to maxSge
     */
    public int sgeCount(int index) {
        return sgeCounts[index];
    }

    /**
     * Address of a local buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public long sgeAddress(int index, int entry) {
        return sges.address(index * maxSge + entry);
    }

    /**
     * Length of a local buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public long sgeLength(int index, int entry) {
        return sges.length(index * maxSge + entry);
    }

    /**
     * Local key of a local buffer.
     *
     * @param index 0 to size - 1
     * @param entry 0 to sgeCount - 1
     * @return what sge was given
     */
    public int sgeLkey(int index, int entry) {
        return sges.lkey(index * maxSge + entry);
    }

    /**
     * Remote address of a work request, or address of what a BIND_MW binds.
     *
     * @param index 0 to size - 1
     * @return 0 when none was set
     */
    public long remoteAddress(int index) {
        return remoteAddresses[index];
    }

    /**
     * Remote key of a work request, the key it invalidates, or the key that a BIND_MW asks for.
     *
     * @param index 0 to size - 1
     * @return 0 when none was set
     */
    public int rkey(int index) {
        return rkeys[index];
    }

    /**
     * Immediate value of a work request, access of a BIND_MW, or placement of a FLUSH.
     *
     * @param index 0 to size - 1
     * @return 0 when none was set
     */
    public int immediate(int index) {
        return imms[index];
    }

    /**
     * Compare operand of a compare and swap, addend of a fetch and add, or length of a BIND_MW or FLUSH.
     *
     * @param index 0 to size - 1
     * @return 0 when none was set
     */
    public long compareAdd(int index) {
        return compareAdds[index];
    }

    /**
     * Swap operand of a compare and swap, or selectivity of a FLUSH.
     *
     * @param index 0 to size - 1
     * @return 0 when none was set
     */
    public long swap(int index) {
        return swaps[index];
    }

    /**
     * Address handle of a UD work request.
     *
     * @param index 0 to size - 1
     * @return null when none was set
     */
    public AddressHandle addressHandle(int index) {
        return addressHandles[index];
    }

    /**
     * Receiver's queue pair number of a UD work request.
     *
     * @param index 0 to size - 1
     * @return meaningful only with an address handle
     */
    public int remoteQpn(int index) {
        return remoteQpns[index];
    }

    /**
     * Receiver's queue key of a UD work request.
     *
     * @param index 0 to size - 1
     * @return meaningful only with an address handle
     */
    public int remoteQkey(int index) {
        return remoteQkeys[index];
    }

    /**
     * Window of a BIND_MW.
     *
     * @param index 0 to size - 1
     * @return null when none was set
     */
    public MemoryWindow window(int index) {
        return windows[index];
    }

    /**
     * Region of a BIND_MW.
     *
     * @param index 0 to size - 1
     * @return null when none was set
     */
    public MemoryRegion region(int index) {
        return regions[index];
    }

    @Override
    public String toString() {
        return size + " of " + wrIds.length + " work requests";
    }
}
