package io.verbena.nic.os;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The functions of the C library that Java has no other way to, on 64-bit Linux. They allocate on every call: for
 * control calls only. No number here depends on the processor.
 */
enum Libc {
    MEMFD_CREATE("memfd_create", JAVA_INT, ADDRESS, JAVA_INT),
    FTRUNCATE("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG),
    FALLOCATE("fallocate", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
    LSEEK("lseek", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
    FCNTL("fcntl", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
    MMAP("mmap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG),
    MUNMAP("munmap", JAVA_INT, JAVA_LONG, JAVA_LONG),
    CLOSE("close", JAVA_INT, JAVA_INT),
    SOCKET("socket", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
    SOCKETPAIR("socketpair", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS),
    BIND("bind", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
    LISTEN("listen", JAVA_INT, JAVA_INT, JAVA_INT),
    CONNECT("connect", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
    ACCEPT("accept4", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT),
    SHUTDOWN("shutdown", JAVA_INT, JAVA_INT, JAVA_INT),
    GETSOCKOPT("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS),
    SETSOCKOPT("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT),
    EVENTFD("eventfd", JAVA_INT, JAVA_INT, JAVA_INT),
    SENDMSG("sendmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT),
    RECVMSG("recvmsg", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT),
    POLL("poll", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);

    private static final int FIRST_VARIADIC_OF_FCNTL = 2;

    private final String function;
    private final MethodHandle handle;

    Libc(String function, ValueLayout result, ValueLayout... arguments) {
        this.function = function;
        FunctionDescriptor type = FunctionDescriptor.of(result, arguments);
        Linker linker = Linker.nativeLinker();
        Linker.Option errno = Linker.Option.captureCallState("errno");
        MemorySegment address = linker.defaultLookup().findOrThrow(function);
        MethodHandle exact = function.equals("fcntl")
                ? linker.downcallHandle(address, type, errno, Linker.Option.firstVariadicArg(FIRST_VARIADIC_OF_FCNTL))
                : linker.downcallHandle(address, type, errno);
        // Once: invokeWithArguments would make such a handle for every call, of kilobytes.
        handle = exact.asType(exact.type().generic()).asSpreader(Object[].class, exact.type().parameterCount());
    }

    /**
     * Calls the function.
     *
     * @return what it returned, 0 or more
     * @throws OsException when it returned -1
     */
    long call(Object... arguments) throws OsException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Errno.STATE);
            Object[] all = new Object[arguments.length + 1];
            all[0] = state;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            long result = ((Number) (Object) handle.invokeExact(all)).longValue();
            if (result == -1) {
                throw new OsException(function, (int) Errno.NUMBER.get(state, 0L));
            }
            return result;
        } catch (OsException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(function + " has no Java side to throw", e);
        }
    }

    /** Where a call leaves the reason of its failure. */
    static final class Errno {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle NUMBER = STATE.varHandle(PathElement.groupElement("errno"));

        private Errno() {}
    }
}
