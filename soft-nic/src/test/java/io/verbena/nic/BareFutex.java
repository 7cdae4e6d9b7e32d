package io.verbena.nic;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Two threads, of one process or two, that hand a number to and fro by a word of shared memory and futex(2) each, with
 * nothing around it: what waiting for events is compared with.
 */
final class BareFutex {
    private static final long NUMBER = System.getProperty("os.arch", "").equals("aarch64") ? 98 : 202;
    private static final long WAKE = 1;
    private static final int PING_AT = 0;
    private static final int PONG_AT = 128;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final MethodHandle SYSCALL = handle();
    private static final MemorySegment PATIENCE = Arena.global().allocate(2 * Long.BYTES, Long.BYTES);

    private final MemorySegment memory;

    static {
        PATIENCE.set(ValueLayout.JAVA_LONG, 0, 10);
    }

    BareFutex(MemorySegment memory) {
        this.memory = memory;
    }

    private static MethodHandle handle() {
        Linker linker = Linker.nativeLinker();
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(word, word, word, word, word, word), Linker.Option.firstVariadicArg(1));
    }

    private long call(int at, long operation, long value, long timeout) {
        try {
            return (long) SYSCALL.invokeExact(NUMBER, memory.address() + at, operation, value, timeout);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private void await(int at, int wanted) {
        for (int now = (int) INT.getVolatile(memory, (long) at); now != wanted;
                now = (int) INT.getVolatile(memory, (long) at)) {
            call(at, 0, now, PATIENCE.address());
        }
    }

    private void tell(int at, int value) {
        INT.setVolatile(memory, (long) at, value);
        call(at, WAKE, 1, 0);
    }

    /** Hands a number over and waits until it comes back. */
    void ping(int number) {
        tell(PING_AT, number);
        await(PONG_AT, number);
    }

    /** Waits for a number and hands it back. */
    void pong(int number) {
        await(PING_AT, number);
        tell(PONG_AT, number);
    }
}
