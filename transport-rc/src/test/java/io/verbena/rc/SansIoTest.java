package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.memory.MemoryTable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/**
 * Reads the class files of this module and shows that they know no clock, thread, socket, random source or
 * system property. What {@link SansIo} doesn't list is refused, so that a new kind of dependency is a decision.
 */
class SansIoTest {

    @Test
    void noClassOfThisModuleDoesInputOrOutput() throws IOException, URISyntaxException {
        var classes = Path.of(MemoryTable.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var refused = new TreeSet<String>();
        var count = 0;
        try (var files = Files.walk(classes)) {
            for (var file : files.filter(SansIoTest::isClass).toList()) {
                SansIo.refused(Files.readAllBytes(file)).forEach(r -> refused.add(classes.relativize(file) + ": " + r));
                count++;
            }
        }
        assertEquals("", String.join("\n", refused), "pass it in instead, or extend SansIo with a reason");
        assertTrue(count > 0, "no classes in " + classes);
    }

    @Test
    void refusesClocks() throws IOException {
        assertEquals(
                Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis", "java.time.Clock",
                        "java.time.Instant", "org.agrona.concurrent.SystemNanoClock"),
                refused(Clocks.class));
    }

    @Test
    void refusesThreads() throws IOException {
        assertEquals(
                Set.of("java.lang.Thread", "java.lang.Thread.<init>", "java.lang.Thread.start",
                        "java.lang.Thread.currentThread", "java.lang.Object.wait"),
                refused(Threads.class));
    }

    @Test
    void refusesRandomSourcesSocketsAndProperties() throws IOException {
        assertEquals(
                Set.of("java.lang.Math.random", "java.util.Random", "java.util.concurrent.ThreadLocalRandom",
                        "java.net.InetSocketAddress", "java.lang.System.getProperty", "java.lang.Long.getLong"),
                refused(Others.class));
    }

    @Test
    void acceptsPureCode() throws IOException {
        assertEquals(Set.of(), refused(Pure.class));
    }

    private static boolean isClass(Path file) {
        return file.toString().endsWith(".class") && !file.endsWith("module-info.class");
    }

    private static Set<String> refused(Class<?> type) throws IOException {
        var name = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        try (var in = type.getResourceAsStream(name)) {
            return SansIo.refused(in.readAllBytes());
        }
    }

    /** Asks for the time in several ways. */
    private static final class Clocks {
        private Clock clock;

        long now() {
            LongSupplier method = System::currentTimeMillis;
            return System.nanoTime() + method.getAsLong() + SystemNanoClock.INSTANCE.nanoTime()
                    + clock.instant().getNano();
        }
    }

    /** Starts a thread and waits for it. */
    private static final class Threads {
        private Thread owner;

        void run() throws InterruptedException {
            new Thread(() -> {}).start();
            synchronized (Thread.currentThread()) {
                wait();
            }
        }
    }

    /** Depends on chance, on the network and on settings. */
    private static final class Others {
        double chance(Random random) {
            return Math.random() + ThreadLocalRandom.current().nextDouble();
        }

        String setting(InetSocketAddress[] addresses) {
            return System.getProperty("x") + Long.getLong("y");
        }
    }

    /** Does nothing but compute. */
    private record Pure(long[] values, ByteBuffer buffer) {
        long sum() {
            System.arraycopy(values, 0, values, 1, 1);
            Thread.onSpinWait();
            return Arrays.stream(values).map(v -> v + buffer.getLong(0)).sum();
        }
    }
}
