package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What can't be created leaves nothing behind: no count, and nobody who uses what it would have used. */
class FailedCreationTest {
    private static final long NATIVE_BYTES = 64 << 20;

    @Test
    void withoutNativeMemoryNothingIsCreatedAndNothingCounted() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
                "-XX:MaxDirectMemorySize=" + NATIVE_BYTES, "-ea", "-cp", System.getProperty("java.class.path"),
                Child.class.getName()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals("done", output.strip());
        assertEquals(0, process.exitValue());
    }

    /** Objects open and created so far, as the NIC counts them for itself and for others. */
    private static Map<Enum<?>, Long> counts(SoftNic nic) {
        Map<Enum<?>, Long> counts = new HashMap<>();
        for (DeviceLimit kind : DeviceLimit.values()) {
            counts.put(kind, nic.counts().of(kind));
        }
        for (DeviceCounter counter : DeviceCounter.values()) {
            counts.put(counter, nic.counters().own(counter));
        }
        counts.values().removeIf(count -> count == 0);
        return counts;
    }

    /** The program that runs in a JVM with little native memory. */
    static final class Child {
        private Child() {}

        /** Does it. */
        public static void main(String[] arguments) {
            try (End end = new End("soft?counters=off", Setup.of(Threading.SAFE, 8));
                    SharedReceiveQueue srq = open(end, 8)) {
                attach(end, srq, 8).run();
                refuseAll(end, srq);
                // Nobody needs the rest any more, and the collector finds out when memory is asked for.
                attach(end, srq, 8_192).run();
            }
            System.out.println("done");
        }

        /** With all native memory taken nothing can be created, and nothing is counted. */
        private static void refuseAll(End end, SharedReceiveQueue srq) {
            SoftNic nic = ((SoftContext) end.context).nic();
            Map<Enum<?>, Long> before = counts(nic);
            MemorySegment rest = Arena.ofAuto().allocate(leftBytes());
            for (Executable creation : creations(end, srq)) {
                VerbsException refusal = assertThrows(VerbsException.class, creation);
                assertEquals(Errno.ENOMEM, refusal.errno(), refusal.getMessage());
                assertEquals(before, counts(nic));
            }
            Reference.reachabilityFence(rest);
        }

        private static long leftBytes() {
            return NATIVE_BYTES - ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(each -> each.getName().equals("direct")).findFirst().orElseThrow().getTotalCapacity();
        }

        private static List<Executable> creations(End end, SharedReceiveQueue srq) {
            return List.of(
                    () -> open(end, 8_192),
                    () -> attach(end, srq, 8_192).run(),
                    () -> end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(8_192))
                            .withType(QueuePairType.UD)));
        }

        private static SharedReceiveQueue open(End end, int places) {
            return end.pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(places, 1, Threading.SAFE));
        }

        /** Makes a queue pair that draws from a shared queue, and closes it. */
        private static Runnable attach(End end, SharedReceiveQueue srq, int depth) {
            return () -> end.pd.createQueuePair(QueuePairConfig.rc(end.sendCq, QueuePairCapabilities.ofDepth(depth))
                    .withRecvCq(end.recvCq).withSrq(srq)).close();
        }
    }
}
