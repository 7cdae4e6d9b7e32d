package io.verbena.nic.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Sleeps until another thread, of this process or another, changes a word of shared memory (futex(2)). One object
 * serves one waiting thread at a time; waking needs none. Nothing here allocates.
 */
public final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long NUMBER = System.getProperty("os.arch", "").equals("aarch64") ? 98 : 202;
    private static final MethodHandle SYSCALL = Native.isHere() ? handle() : null;

    private final MemorySegment timeout = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);

    /** Makes one for a thread that waits. */
    public Futex() {}

    private static MethodHandle handle() {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("syscall"), type, Linker.Option.firstVariadicArg(1));
    }

    /**
     * Sleeps while the word has a value; also returns for no reason, so look again.
     *
     * @param address of 4 bytes, aligned, in memory that stays mapped
     * @param value what the word must be for this thread to fall asleep
     * @param nanos how long at most, 0 or more
     */
    public void await(long address, int value, long nanos) {
        timeout.set(ValueLayout.JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
        timeout.set(ValueLayout.JAVA_LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
        call(address, WAIT, value, timeout.address());
    }

    /**
     * Wakes threads that sleep.
     *
     * @param address of the word
     * @param count how many at most
     * @return how many were woken
     */
    public static int wake(long address, int count) {
        return (int) call(address, WAKE, count, 0);
    }

    private static long call(long address, int operation, int value, long timeout) {
        try {
            return (long) SYSCALL.invokeExact(NUMBER, address, operation, value, timeout);
        } catch (Throwable e) {
            throw new AssertionError("futex has no Java side to throw", e);
        }
    }
}
