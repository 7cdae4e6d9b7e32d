package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A NIC that can't be opened for want of native memory gives back what it had: address, descriptors, memory. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "descriptors are counted in /proc")
class FailedOpeningTest {
    private static final long NATIVE_BYTES = 64 << 20;
    private static final long PIECE_BYTES = 64 << 10;

    @ParameterizedTest
    @ValueSource(strings = {"socket=native", "socket=portable", "faults=loss:0.1", "pcap="})
    void whereverMemoryRunsOut(String setting) throws Exception {
        long pid = ProcessHandle.current().pid();
        Path capture = Files.createTempFile("verbena", ".pcap");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
                "-XX:MaxDirectMemorySize=" + NATIVE_BYTES, "-ea", "-cp", System.getProperty("java.class.path"),
                Child.class.getName(),
                "soft?counters=off&link=udp&bind=127." + (1 + pid / 250 % 250) + "." + (1 + pid % 250) + ".101&"
                        + setting + (setting.equals("pcap=") ? capture : "")).redirectErrorStream(true).start();
        String output;
        try {
            process.getOutputStream().close();
            // Read once it has ended: what it writes fits into the pipe.
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "does not end");
            output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
        Files.delete(capture);
        assertTrue(output.strip().matches("[1-9][0-9]* failed"), output);
        assertEquals(0, process.exitValue());
    }

    /** The program that runs in a JVM with little native memory. */
    static final class Child {
        private Child() {}

        /** Does it. */
        public static void main(String[] arguments) throws IOException {
            Devices.open(arguments[0]).close(); // loads what it takes
            long descriptors = descriptors();
            Deque<MemorySegment> taken = takeAll();
            int failed = 0;
            while (!opens(arguments[0])) {
                failed++;
                taken.pop(); // the collector finds out when memory is asked for
            }
            if (descriptors() > descriptors) {
                throw new AssertionError(descriptors() + " descriptors, there were " + descriptors);
            }
            Reference.reachabilityFence(taken);
            System.out.println(failed + " failed");
        }

        private static Deque<MemorySegment> takeAll() {
            Deque<MemorySegment> taken = new ArrayDeque<>();
            try {
                while (true) {
                    taken.push(Arena.ofAuto().allocate(PIECE_BYTES));
                }
            } catch (OutOfMemoryError e) {
                return taken;
            }
        }

        private static boolean opens(String device) {
            try {
                Devices.open(device).close();
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            } catch (VerbsException e) {
                if (e.errno() == Errno.ENOMEM) {
                    return false;
                }
                throw e;
            }
        }

        private static long descriptors() throws IOException {
            try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
                return all.count();
            }
        }
    }
}
