package io.verbena.nic.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The asymmetric barrier between data calls, which announce themselves with a plain store, and control calls, which
 * must see every announcement. {@link #light()} costs a data call nothing on x86 because {@link #heavy()} makes the
 * kernel run a full barrier on every thread of the process (membarrier(2), private expedited). Where that is not to be
 * had, both are full barriers: slower, equally safe.
 */
public final class Fences {
    /** Whether the kernel does the work, so that {@link #light()} is free. */
    public static final boolean ASYMMETRIC;

    private static final long REGISTER_PRIVATE_EXPEDITED = 16;
    private static final long PRIVATE_EXPEDITED = 8;
    private static final long REGISTER_GLOBAL_EXPEDITED = 4;
    private static final long GLOBAL_EXPEDITED = 2;
    private static final MethodHandle SYSCALL;
    private static final long MEMBARRIER;
    private static volatile boolean shared;

    static {
        MEMBARRIER = systemCallNumber();
        SYSCALL = MEMBARRIER > 0 ? findSyscall() : null;
        ASYMMETRIC = SYSCALL != null && call(REGISTER_PRIVATE_EXPEDITED) == 0;
    }

    private Fences() {}

    private static long systemCallNumber() {
        if (!System.getProperty("os.name", "").equals("Linux") || Boolean.getBoolean("verbena.symmetric.fences")) {
            return -1;
        }
        return switch (System.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> 324;
            case "aarch64" -> 283;
            default -> -1;
        };
    }

    private static MethodHandle findSyscall() {
        if (!Fences.class.getModule().isNativeAccessEnabled()) {
            return null;
        }
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
        return linker.defaultLookup().find("syscall")
                .map(address -> linker.downcallHandle(address, type, Linker.Option.firstVariadicArg(1)))
                .orElse(null);
    }

    private static long call(long command) {
        try {
            return (long) SYSCALL.invokeExact(MEMBARRIER, command, 0L, 0L);
        } catch (Throwable e) {
            throw new AssertionError("membarrier has no Java side to throw", e);
        }
    }

    /** Orders a data call's announcement before what it reads next, provided the other side calls {@link #heavy()}. */
    public static void light() {
        if (ASYMMETRIC) {
            VarHandle.acquireFence();
        } else {
            VarHandle.fullFence();
        }
    }

    /** Makes every announcement made before now visible to the caller, and the caller's stores to everybody. */
    public static void heavy() {
        VarHandle.fullFence();
        if (ASYMMETRIC && call(PRIVATE_EXPEDITED) != 0 || shared && call(GLOBAL_EXPEDITED) != 0) {
            throw new AssertionError("membarrier refused after it was registered");
        }
    }

    /**
     * Takes part in the barriers of other processes, and makes {@link #heavy()} reach those that take part too. From
     * then on announcements in memory shared with them are covered as well.
     *
     * @return false when the kernel has no such barrier
     */
    public static boolean share() {
        if (ASYMMETRIC && !shared && call(REGISTER_GLOBAL_EXPEDITED) == 0) {
            shared = true;
        }
        return shared;
    }
}
