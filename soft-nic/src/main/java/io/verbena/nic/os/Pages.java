package io.verbena.nic.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Says to the system what becomes of the pages behind memory, while its addresses stay mapped (madvise(2)). Apart from
 * {@link Libc}, most of whose functions a NIC without guests never needs.
 */
public final class Pages {
    /** A multiple of every page size there is. */
    private static final long UNIT = 64 << 10;
    private static final int DONTNEED = 4;
    private static final int HUGE = 14;
    private static final MethodHandle MADVISE = Native.isHere() ? find() : null;

    private Pages() {}

    private static MethodHandle find() {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
        return linker.defaultLookup().find("madvise").map(address -> linker.downcallHandle(address, type)).orElse(null);
    }

    /**
     * Forgets what memory holds: read again it is zero, or what it was where the system keeps the pages (memory that is
     * locked, or shared, or where the system is another).
     *
     * @param memory native memory that nobody needs the contents of; what does not fill pages stays
     */
    public static void release(MemorySegment memory) {
        long first = memory.address() + UNIT - 1 & -UNIT;
        long end = memory.address() + memory.byteSize() & -UNIT;
        if (first < end) {
            advise(first, end - first, DONTNEED);
        }
    }

    /** Asks for large pages behind a mapping, where the system makes them of ordinary memory. */
    static void preferHuge(long address, long bytes) {
        advise(address, bytes, HUGE);
    }

    private static void advise(long address, long bytes, int advice) {
        if (MADVISE == null) {
            return;
        }
        try {
            int ignored = (int) MADVISE.invokeExact(address, bytes, advice);
        } catch (Throwable e) {
            throw new AssertionError("madvise has no Java side to throw", e);
        }
    }
}
