package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.CounterSnapshot;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When counter files come and go, in this process and in others. */
class CounterFileLifeTest {
    private static final int WRITES = 1_234;
    private static final int BYTES = 48;

    @TempDir
    private Path parent;

    /** What a child printed before it was ready. */
    private List<String> said;

    private Path directory() {
        return parent.resolve("counters");
    }

    private String device(String name) {
        return name + "?countersDir=" + directory();
    }

    private List<Path> files() throws IOException {
        return CounterFiles.list(directory());
    }

    @Test
    void fileLivesAsLongAsTheNicAndBelongsToItsUserAlone() throws Exception {
        Context first = Devices.open(device("soft7"));
        Context second = Devices.open(device("soft7"));
        assertEquals(1, files().size());
        Path file = files().getFirst();
        assertEquals(CounterOwner.current("soft7"), CounterOwner.of(file).orElseThrow());
        assertFalse(CounterOwner.of(file).orElseThrow().isDead(file));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())));
        assertEquals("r--------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        first.close();
        assertTrue(Files.exists(file));
        second.close();
        assertFalse(Files.exists(file));
    }

    @Test
    void offMakesNoFile() throws Exception {
        try (Context context = Devices.open(device("soft7") + "&counters=off")) {
            assertEquals("soft7", context.device().name());
            assertFalse(Files.exists(directory()));
        }
        try (Context context = Devices.open(device("soft7") + "&counters=on")) {
            assertEquals("soft7", context.device().name());
            assertEquals(1, files().size());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "soft?counters=yes, on or off",
        "soft?counters=, on or off",
        "soft?countersDir=relative, absolute path",
        "soft?countersDir=, absolute path",
        "soft?countersDir=/, absolute path",
        "soft?counter=on, counters=off",
    })
    void badSettingsSayWhatIsAllowed(String specification, String hint) {
        VerbsException e = assertThrows(VerbsException.class, () -> Devices.open(specification));
        assertTrue(e.getMessage().contains(hint), e.getMessage());
    }

    @Test
    void whereNoFileCanBeMadeTheNicWorksAllTheSame() throws Exception {
        Files.createFile(directory());
        useTheNic();
        Files.delete(directory());
        Files.createDirectory(directory());
        Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxrwxrwx"));
        useTheNic();
        assertEquals(List.of(), files(), "others could exchange files there");
        Files.delete(directory());
        Files.createSymbolicLink(directory(), Files.createDirectory(parent.resolve("elsewhere")));
        useTheNic();
        assertEquals(List.of(), CounterFiles.list(parent.resolve("elsewhere")));
    }

    private void useTheNic() {
        Setup setup = Setup.of(Threading.SINGLE, 4).withDevices(device("soft7"), device("soft8"));
        try (TwoEnds ends = new TwoEnds(setup)) {
            End.ok(ends.a.write(1, 0, 8, ends.b));
            End.expect(ends.a.sendCq, 1);
            ends.reopen();
        }
    }

    @Test
    void filesOfDeadProcessesAreRemovedAndNoOthers() throws Exception {
        Files.createDirectory(directory(), PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
        CounterOwner self = CounterOwner.current("soft1");
        Process ended = new ProcessBuilder("true").start();
        assertTrue(ended.waitFor(30, TimeUnit.SECONDS));
        Path dead = touch(new CounterOwner("soft1", ended.pid(), self.startMillis()).fileName());
        Path recycled = touch(new CounterOwner("soft1", self.pid(), self.startMillis() - 60_000).fileName());
        Path live = touch(self.fileName());
        Path unknownStart = touch(new CounterOwner("soft2", self.pid(), 0).fileName());
        Path foreign = touch("soft1-notes.txt");
        Devices.open(device("soft7")).close();
        assertFalse(Files.exists(dead));
        assertFalse(Files.exists(recycled), "another process with the same number");
        assertTrue(Files.exists(live));
        assertTrue(Files.exists(unknownStart));
        assertTrue(Files.exists(foreign));
    }

    @Test
    void whatIsNamedLikeACounterFileButIsNoneIsLeftAlone() throws Exception {
        useTheNic(); // makes the folder
        CounterOwner self = CounterOwner.current("soft7");
        String deadStart = new CounterOwner("soft1", self.pid(), self.startMillis() - 60_000).fileName();
        Path pipe = directory().resolve(deadStart);
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        Path elsewhere = Files.createFile(parent.resolve("elsewhere"));
        Path dead = link(new CounterOwner("soft2", self.pid(), self.startMillis() - 60_000), elsewhere);
        Path dangling = link(new CounterOwner("soft3", self.pid(), self.startMillis()), parent.resolve("nothing"));
        Path own = link(self, parent.resolve("own"));
        Crew crew = new Crew();
        crew.start("opener", () -> {
            assertEquals(List.of(), files());
            useTheNic();
            assertEquals(List.of(), files());
        });
        try {
            crew.join(5);
        } finally {
            // Ends the wait of whoever opened the pipe all the same.
            new RandomAccessFile(pipe.toFile(), "rw").close();
        }
        for (Path each : List.of(pipe, dead, dangling, own)) {
            assertTrue(Files.exists(each, LinkOption.NOFOLLOW_LINKS), each.toString());
        }
        assertEquals(0, Files.size(elsewhere));
        assertFalse(Files.exists(parent.resolve("nothing")));
        assertFalse(Files.exists(parent.resolve("own")), "a counter file is made where its name says");
    }

    private Path link(CounterOwner owner, Path target) throws IOException {
        return Files.createSymbolicLink(directory().resolve(owner.fileName()), target);
    }

    private Path touch(String name) throws IOException {
        return Files.createFile(directory().resolve(name));
    }

    @Test
    void anotherProcessIsReadWhileItLivesAndCleanedUpAfterItWasKilled() throws Exception {
        Process process = child();
        try {
            Path file = files().getFirst();
            CounterOwner owner = CounterOwner.of(file).orElseThrow();
            assertEquals(process.pid(), owner.pid());
            assertFalse(owner.isDead(file));
            CounterSnapshot snapshot = CounterFiles.read(file);
            assertEquals(WRITES, snapshot.total(DeviceCounter.RDMA_WRITES));
            assertEquals((long) WRITES * BYTES, snapshot.total(DeviceCounter.SENT_BYTES));
            assertEquals(1, snapshot.queuePairs().size());
            assertEquals(1, snapshot.total(DeviceCounter.QPS));
            assertEquals(List.of(), said);
            // As seen from a container that can't see the process: its name says a dead one, the lock says otherwise.
            Path hidden = directory().resolve(new CounterOwner("soft2", Integer.MAX_VALUE, 1).fileName());
            Files.createLink(hidden, file);
            assertFalse(CounterOwner.of(hidden).orElseThrow().isDead(hidden), "locked by its owner");
            Files.delete(hidden);

            process.destroyForcibly();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            assertTrue(owner.isDead(file));
            assertEquals(WRITES, CounterFiles.read(file).total(DeviceCounter.RDMA_WRITES), "the last word of the dead");
            Devices.open(device("soft7")).close();
            assertEquals(List.of(), files());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aProcessThatEndsWithoutClosingRemovesItsFile() throws Exception {
        Process process = child();
        process.getOutputStream().close();
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue());
        assertEquals(List.of(), files());
    }

    @Test
    void aProcessWithoutCounterFilesSaysSoOnce() throws Exception {
        Files.createFile(directory());
        Process process = child();
        process.getOutputStream().close();
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue());
        assertEquals(1, said.stream().filter(line -> line.contains("soft0: its counters can't be read from outside"))
                .count(), said::toString);
        assertTrue(said.stream().noneMatch(line -> line.contains("soft1")), said::toString);
    }

    /** Starts a process and waits until it has done its writes. */
    private Process child() throws IOException {
        Process process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), Child.class.getName(), device("soft0"), device("soft1"),
                directory().toString())
                .redirectErrorStream(true).start();
        said = new ArrayList<>();
        BufferedReader reader = process.inputReader();
        for (String line = reader.readLine(); !"ready".equals(line); line = reader.readLine()) {
            assertNotNull(line, said::toString);
            said.add(line);
        }
        return process;
    }

    /** The program that the children run: some writes, then it waits for the end of its input and ends itself. */
    static final class Child {
        private Child() {}

        /** Does it. */
        public static void main(String[] arguments) throws IOException, CounterFileException {
            TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, 4).withDevices(arguments[0], arguments[1]));
            for (int i = 0; i < WRITES; i++) {
                End.ok(ends.a.write(i, 0, BYTES, ends.b));
                End.expect(ends.a.sendCq, i);
            }
            Path folder = Path.of(arguments[2]);
            for (Path file : Files.isDirectory(folder) ? CounterFiles.list(folder) : List.<Path>of()) {
                CounterFiles.read(file); // and is locked all the same
            }
            System.out.println("ready");
            int end = System.in.read();
            System.exit(end == -1 ? 0 : 1);
        }
    }
}
