package io.verbena.rc.memory;

/**
 * What one key opens.
 *
 * @param domain the protection domain it belongs to
 * @param access the rights, as bits of {@link io.verbena.verbs.Access}
 * @param iova the address by which work requests and peers name the first byte
 * @param length bytes, 0 or more; the range must not wrap at 2^64
 * @param base raw address of the first byte, or 0 when the memory may only be touched through checked access
 *     (then {@code region} says which segment)
 * @param region the owner's number for the memory region behind the key
 */
public record MemoryEntry(int domain, int access, long iova, long length, long base, int region) {
    /**
     * Refuses ranges that the range check could not tell apart.
     *
     * @throws IllegalArgumentException for a negative length or a range that wraps at 2^64
     */
    public MemoryEntry {
        if (length < 0) {
            throw new IllegalArgumentException("length is " + length + "; allowed: 0 or more bytes");
        }
        if (length > 0 && Long.compareUnsigned(iova + length - 1, iova) < 0) {
            throw new IllegalArgumentException("iova 0x" + Long.toHexString(iova) + " + " + length
                    + " bytes wraps at 2^64; choose a lower iova");
        }
    }
}
