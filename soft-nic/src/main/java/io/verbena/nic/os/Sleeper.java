package io.verbena.nic.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * The sleep of one thread, which ends when another thread of this process wakes it, when another process changes one of
 * several words of shared memory and wakes who watches them, when the thread is interrupted, or in time: futex_waitv(2)
 * of Linux 5.16. Waking costs a system call only while somebody sleeps. Nothing here allocates once a thread has
 * its sleeper. A virtual thread would keep its carrier.
 */
public final class Sleeper {
    /** The most words that one sleep can watch. */
    public static final int MAX_WORDS = 127;

    private static final long WAIT_ON_MANY = 449;
    private static final long FUTEX = System.getProperty("os.arch", "").equals("aarch64") ? 98 : 202;
    private static final long WAKE = 1;
    private static final long WAKE_PRIVATE = WAKE | 128;
    private static final long MONOTONIC = 1;
    private static final int FOUR_BYTES = 2;
    private static final int FOUR_BYTES_PRIVATE = FOUR_BYTES | 128;
    private static final int NO_SUCH_CALL = 38;
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long MAX_NANOS = 3_600 * NANOS_PER_SECOND;

    private static final int WAIT_BYTES = 24;
    private static final int VALUE_AT = 0;
    private static final int ADDRESS_AT = 8;
    private static final int FLAGS_AT = 16;
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int WOKEN = 2;

    private static final VarHandle STATE = MethodHandles.insertCoordinates(ValueLayout.JAVA_INT.varHandle(), 1, 0L);
    private static final MethodHandle SYSCALL = Native.isHere() ? handle() : null;
    private static final boolean SUPPORTED = Native.isHere() && isThere();
    private static final ThreadLocal<Sleeper> OWN = ThreadLocal.withInitial(Sleeper::new);

    private final MemorySegment state = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment waits = Arena.ofAuto().allocate((1L + MAX_WORDS) * WAIT_BYTES, Long.BYTES);
    private final MemorySegment until = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);
    private final Interruption interruption = new Interruption();
    private int words;

    private Sleeper() {
        put(0, state.address(), ASLEEP, FOUR_BYTES_PRIVATE);
    }

    private static MethodHandle handle(Linker.Option... more) {
        Linker linker = Linker.nativeLinker();
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        FunctionDescriptor type = FunctionDescriptor.of(word, word, word, word, word, word, word);
        Linker.Option[] options = new Linker.Option[more.length + 1];
        options[0] = Linker.Option.firstVariadicArg(1);
        System.arraycopy(more, 0, options, 1, more.length);
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("syscall"), type, options);
    }

    /** Asks the kernel, by a call without words, which is refused for one reason or the other. */
    private static boolean isThere() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(Libc.Errno.STATE);
            MethodHandle asking = handle(Linker.Option.captureCallState("errno"));
            long result = (long) asking.invokeExact(errno, WAIT_ON_MANY, 0L, 0L, 0L, 0L, MONOTONIC);
            return result == -1 && (int) Libc.Errno.NUMBER.get(errno, 0L) != NO_SUCH_CALL;
        } catch (Throwable e) {
            throw new AssertionError("futex_waitv has no Java side to throw", e);
        }
    }

    /**
     * Whether the system can do this.
     *
     * @return false where threads have to park
     */
    public static boolean isSupported() {
        return SUPPORTED;
    }

    /**
     * The sleeper of the calling thread.
     *
     * @return always the same one
     */
    public static Sleeper own() {
        return OWN.get();
    }

    /** Forgets what was watched, and that this was woken; before those are told that may wake it. */
    public void begin() {
        words = 0;
        STATE.setVolatile(state, AWAKE);
    }

    /**
     * Watches a word of shared memory.
     *
     * @param address of 4 bytes, aligned; may be unmapped before the sleep ends
     * @param value what it must be for the thread to fall asleep
     * @return false when {@link #MAX_WORDS} are watched already
     */
    public boolean watch(long address, int value) {
        if (words == MAX_WORDS) {
            return false;
        }
        put(++words, address, value, FOUR_BYTES);
        return true;
    }

    private void put(int place, long address, int value, int flags) {
        long at = (long) place * WAIT_BYTES;
        waits.set(ValueLayout.JAVA_LONG, at + VALUE_AT, value & 0xFFFF_FFFFL);
        waits.set(ValueLayout.JAVA_LONG, at + ADDRESS_AT, address);
        waits.set(ValueLayout.JAVA_LONG, at + FLAGS_AT, flags);
    }

    /**
     * Sleeps, unless it was woken since {@link #begin} or a word has changed. Also returns for no reason: look again.
     *
     * @param nanos how long at most, 1 or more
     */
    public void await(long nanos) {
        if (!STATE.compareAndSet(state, AWAKE, ASLEEP)) {
            return;
        }
        long end = System.nanoTime() + Math.min(nanos, MAX_NANOS); // on the clock that the system calls monotonic
        until.set(ValueLayout.JAVA_LONG, 0, end / NANOS_PER_SECOND);
        until.set(ValueLayout.JAVA_LONG, Long.BYTES, end % NANOS_PER_SECOND);
        interruption.enter();
        try {
            call(WAIT_ON_MANY, waits.address(), words + 1, 0, until.address(), MONOTONIC);
        } finally {
            interruption.leave();
        }
    }

    /** Ends the sleep, or keeps it from beginning; by any thread. */
    public void wake() {
        if ((int) STATE.getAndSet(state, WOKEN) == ASLEEP) {
            call(FUTEX, state.address(), WAKE_PRIVATE, 1, 0, 0);
        }
    }

    /**
     * Wakes everybody, in whatever process, who watches a word; after it was changed.
     *
     * @param address of the word
     */
    public static void wakeAll(long address) {
        call(FUTEX, address, WAKE, Integer.MAX_VALUE, 0, 0);
    }

    private static void call(long number, long a, long b, long c, long d, long e) {
        try {
            long ignored = (long) SYSCALL.invokeExact(number, a, b, c, d, e);
        } catch (Throwable t) {
            throw new AssertionError("a system call has no Java side to throw", t);
        }
    }

    /** How Thread.interrupt reaches a thread that sleeps in the system: it wakes the selector that it is in. */
    private final class Interruption extends AbstractSelector {
        Interruption() {
            super(null);
        }

        void enter() {
            begin();
        }

        void leave() {
            end();
        }

        @Override
        public Selector wakeup() {
            wake();
            return this;
        }

        @Override
        protected void implCloseSelector() {
            // It holds nothing.
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
            throw new UnsupportedOperationException("nothing can be registered");
        }

        @Override
        public Set<SelectionKey> keys() {
            return Set.of();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        public int selectNow() {
            return 0;
        }

        @Override
        public int select(long timeout) {
            return 0;
        }

        @Override
        public int select() {
            return 0;
        }
    }
}
