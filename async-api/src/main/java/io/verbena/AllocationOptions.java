package io.verbena;

import io.verbena.verbs.Access;

/**
 * How memory is allocated. Immutable.
 *
 * @param alignment of its address, a power of two, 1 to 4096 bytes
 * @param zeroed whether all bytes are 0; else they are whatever they were, perhaps bytes of another connection
 * @param access what operations and peers may do at most, bits of {@link Access}: without LOCAL_WRITE no operation
 *     writes into it; REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC (the last two together with LOCAL_WRITE) are what
 *     exposures of it may grant. Nothing is open to peers before {@link LocalMemory#expose}
 */
public record AllocationOptions(int alignment, boolean zeroed, int access) {
    /** What exposures may grant. */
    static final int REMOTE = Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;

    /** Aligned to 8 bytes, zeroed, with all rights. */
    public static final AllocationOptions DEFAULT = new AllocationOptions(8, true, Access.LOCAL_WRITE | REMOTE);

    private static final int MAX_ALIGNMENT = 4_096;

    /** Checks every value. */
    public AllocationOptions {
        if (alignment < 1 || alignment > MAX_ALIGNMENT || Integer.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("alignment is " + alignment + "; allowed: powers of two, 1 to "
                    + MAX_ALIGNMENT);
        }
        checkAccess(access, Access.LOCAL_WRITE | REMOTE);
    }

    static void checkRemote(String name, int rights) {
        if ((rights & ~REMOTE) != 0) {
            throw new IllegalArgumentException(name + " is " + Access.toString(rights) + "; allowed: some of "
                    + Access.toString(REMOTE));
        }
    }

    static void checkAccess(int access, int allowed) {
        if ((access & ~allowed) != 0) {
            throw new IllegalArgumentException("access is " + Access.toString(access) + "; allowed: "
                    + Access.toString(allowed));
        }
        boolean remoteWrites = (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
        if (remoteWrites && (access & Access.LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException("access is " + Access.toString(access)
                    + "; allowed: REMOTE_WRITE and REMOTE_ATOMIC only together with LOCAL_WRITE");
        }
    }

    /**
     * The same with another alignment.
     *
     * @param bytes see {@link #alignment}
     * @return new options
     */
    public AllocationOptions withAlignment(int bytes) {
        return new AllocationOptions(bytes, zeroed, access);
    }

    /**
     * The same, zeroed or not.
     *
     * @param zero see {@link #zeroed}
     * @return new options
     */
    public AllocationOptions withZeroed(boolean zero) {
        return new AllocationOptions(alignment, zero, access);
    }

    /**
     * The same with other rights.
     *
     * @param bits see {@link #access}
     * @return new options
     */
    public AllocationOptions withAccess(int bits) {
        return new AllocationOptions(alignment, zeroed, bits);
    }
}
