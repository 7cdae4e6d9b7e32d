package io.verbena.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The processors of this host: which two a pair of measuring threads should have, and how a thread gets one. */
public final class Cores {
    /** No particular processor. */
    public static final int ANY = -1;

    private static final int MASK_BYTES = 128;
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cores() {}

    /**
     * Chooses two processors for two processes that talk to each other: two cores where there are two.
     *
     * @return two different ones that this process may use; twice {@link #ANY} when there are not two, or this system
     *     does not tell
     */
    public static int[] pair() {
        List<Integer> allowed = allowed("self");
        if (allowed.size() < 2) {
            return new int[] {ANY, ANY};
        }
        int first = allowed.getFirst();
        String core = core(first);
        int second = allowed.stream().skip(1).filter(cpu -> !core(cpu).equals(core)).findFirst().orElse(allowed.get(1));
        return new int[] {first, second};
    }

    /** The one processor that the calling thread is kept on; {@link #ANY} when there is none. */
    static int here() {
        List<Integer> allowed = allowed("thread-self");
        return allowed.size() == 1 ? allowed.getFirst() : ANY;
    }

    private static String core(int cpu) {
        Path topology = Path.of("/sys/devices/system/cpu/cpu" + cpu + "/topology");
        try {
            return Files.readString(topology.resolve("physical_package_id")).strip() + '/'
                    + Files.readString(topology.resolve("core_id")).strip();
        } catch (IOException e) {
            return Integer.toString(cpu);
        }
    }

    private static List<Integer> allowed(String whose) {
        BitSet cpus = new BitSet();
        try {
            for (String line : Files.readAllLines(Path.of("/proc", whose, "status"))) {
                if (line.startsWith(ALLOWED)) {
                    for (String part : line.substring(ALLOWED.length()).strip().split(",")) {
                        String[] ends = part.split("-");
                        cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
                    }
                }
            }
        } catch (IOException | NumberFormatException e) {
            return List.of();
        }
        return new ArrayList<>(cpus.stream().boxed().toList());
    }

    /**
     * Keeps the calling thread on one processor from now on, where the system offers that.
     *
     * @param cpu its number; {@link #ANY} does nothing
     * @return whether it is kept there
     */
    static boolean pin(int cpu) {
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup().find("sched_setaffinity").orElse(null);
        if (cpu < 0 || cpu >= MASK_BYTES * Byte.SIZE || function == null) {
            return false;
        }
        MethodHandle call = linker.downcallHandle(function, FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            mask.set(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE, (byte) (1 << cpu % Byte.SIZE));
            return (int) call.invokeExact(0, (long) MASK_BYTES, mask) == 0;
        } catch (Throwable e) {
            return false;
        }
    }
}
