package io.verbena.nic;

import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;

/** What registration refuses (ibv_reg_mr(3)). */
final class RegionChecks {
    private static final int KNOWN = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ
            | Access.REMOTE_ATOMIC | Access.MW_BIND | Access.ZERO_BASED | Access.HUGETLB | Access.FLUSH_GLOBAL
            | Access.FLUSH_PERSISTENT | Access.OPTIONAL_RANGE;
    private static final int UNSUPPORTED = Access.ON_DEMAND;
    /** Never started: stands for any thread but the owner of a confined arena. */
    private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> { });

    private RegionChecks() {}

    static void all(MemorySegment segment, long iova, int access) {
        segment(segment);
        access(access);
        if (segment.isReadOnly() && (access & Access.LOCAL_WRITE) != 0) {
            throw new VerbsException(Errno.EACCES, "segment",
                    "the segment is read-only; register it without LOCAL_WRITE, REMOTE_WRITE and REMOTE_ATOMIC");
        }
        if ((access & Access.FLUSH_PERSISTENT) != 0 && !segment.isMapped()) {
            throw new VerbsException(Errno.EOPNOTSUPP, "access", "FLUSH_PERSISTENT is for segments of mapped files"
                    + " (FileChannel.map); register other memory without it, perhaps with FLUSH_GLOBAL");
        }
        long limit = NicLimits.limit(DeviceLimit.MAX_MR_SIZE);
        if (segment.byteSize() > limit) {
            throw VerbsException.invalid("segment", segment.byteSize() + " bytes long", "up to " + limit + " bytes");
        }
        long base = iova(segment, iova, access);
        if (Long.compareUnsigned(base, base + segment.byteSize() - 1) > 0) {
            throw VerbsException.invalid("iova", "0x" + Long.toHexString(base),
                    "one at which " + segment.byteSize() + " bytes end below 2^64");
        }
        if ((access & Access.REMOTE_ATOMIC) != 0 && ((base ^ segment.address()) & Long.BYTES - 1) != 0) {
            throw VerbsException.invalid("iova", "0x" + Long.toHexString(base),
                    "with REMOTE_ATOMIC, one equal modulo 8 to the address 0x" + Long.toHexString(segment.address()));
        }
    }

    /** The first remote address: ZERO_BASED overrides what was given. */
    static long iova(MemorySegment segment, long iova, int access) {
        return (access & Access.ZERO_BASED) != 0 ? 0 : iova;
    }

    static void segment(MemorySegment segment) {
        if (segment == null) {
            throw VerbsException.invalid("segment", null, "a native memory segment");
        }
        if (!segment.isNative()) {
            throw VerbsException.invalid("segment", "a heap segment",
                    "native memory, for example from Context.allocateMemory or Arena.ofShared()");
        }
        if (segment.byteSize() == 0) {
            throw VerbsException.invalid("segment", "empty", "1 byte or more");
        }
        if (!segment.scope().isAlive()) {
            throw VerbsException.invalid("segment", "of a closed arena", "a segment whose arena is open");
        }
        if (!segment.isAccessibleBy(ANY_THREAD)) {
            throw VerbsException.invalid("segment", "of a confined arena",
                    "one that every thread may access: Arena.ofShared(), ofAuto() or global()");
        }
    }

    static void access(int access) {
        if ((access & UNSUPPORTED) != 0) {
            throw VerbsException.unsupported("access " + Access.toString(access & UNSUPPORTED),
                    "it supports all other bits of Access");
        }
        if ((access & ~KNOWN) != 0) {
            throw VerbsException.invalid("access", Access.toString(access), "bits of Access");
        }
        if ((access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0 && (access & Access.LOCAL_WRITE) == 0) {
            throw VerbsException.invalid("access", Access.toString(access),
                    "REMOTE_WRITE and REMOTE_ATOMIC only together with LOCAL_WRITE");
        }
    }
}
