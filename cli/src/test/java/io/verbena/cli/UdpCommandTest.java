package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.DeviceCounter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests over UDP, whose two ends are two processes, or two commands as in two terminals, with an address each. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs more than one loopback address")
class UdpCommandTest {
    /** Two addresses that no other process uses at the same time, so that tests may run side by side. */
    private static final String NETWORK = String.format("127.%d.%d.",
            64 + (ProcessHandle.current().pid() >>> 8 & 63), ProcessHandle.current().pid() & 0xFF);
    private static final String SERVER = NETWORK + 1;
    private static final String CLIENT = NETWORK + 2;
    /** On a busy machine a process may not run for longer than the usual timeout and its retries. */
    private static final String PATIENT = " -u 18";
    private static final int PCAP_HEADER = 24;

    @TempDir
    private Path counters;

    /** A command on one address; each end in one process is a NIC of its own. */
    private static String line(String command, int port, String own) {
        return command + " --link udp -p " + port + " --bind " + own + (own.equals(CLIENT) ? " -d soft1 " : " ");
    }

    private static void assertFails(Outcome outcome, String error) {
        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains(error), outcome.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc", "uc", "ud", "srq", "rc -s 0", "rc -s 70000 -m 4096", "uc -s 1 -e"})
    void pingpongComparesDataOfTheOtherTerminal(String words) throws IOException {
        int port = RunningCommand.freePort();
        String command = "pingpong " + words + " -c -n 40 --json";
        RunningCommand server = RunningCommand.server(line(command, port, SERVER));
        Outcome client = Outcome.ofLine(line(command, port, CLIENT) + SERVER);
        Outcome served = server.outcome();
        assertEquals(0, client.status(), client.toString());
        assertEquals(0, served.status(), served.toString());
        Map<String, Object> there = JsonReader.object(served.out().strip());
        Map<String, Object> here = JsonReader.object(client.out().strip());
        assertEquals(here.get("local"), there.get("remote"));
        assertEquals(here.get("remote"), there.get("local"));
        assertEquals(40.0, here.get("iterations"));
        assertEquals(true, here.get("validated"));
    }

    @Test
    void datagramsFitAPortThatCarriesLessUnlessTheirSizeIsGiven() {
        Outcome usual = Outcome.ofLine("pingpong ud --link udp --self -n 10 --json -d soft?mtu=1024");
        assertEquals(0, usual.status(), usual.toString());
        assertEquals(1024.0, JsonReader.object(usual.out().strip()).get("size"));
        Outcome given = Outcome.ofLine("pingpong ud --link udp --self -n 10 -s 2048 -d soft?mtu=1024");
        assertEquals(2, given.status(), given.toString());
        assertTrue(given.err().contains("-s is 2048; allowed: up to 1024 bytes in a datagram"), given.toString());
    }

    @Test
    void selfStartsTheServerOfPingpongAndPerf() {
        Outcome pingpong = Outcome.ofLine("pingpong rc --link udp --self -c -n 50");
        assertEquals(0, pingpong.status(), pingpong.toString());
        assertTrue(pingpong.lines().getLast().startsWith("data checked"), pingpong.toString());
        Outcome perf = Outcome.ofLine("perf send_lat --link udp --self -n 100 --warmup 0.02 --json" + PATIENT);
        assertEquals(0, perf.status(), perf.toString());
        assertEquals("udp", JsonReader.object(perf.out().strip()).get("link"));
    }

    private static void assumeItRunsHere(String test) {
        String processor = System.getProperty("os.arch");
        assumeTrue(!test.startsWith("netty_lat") || processor.equals("amd64") || processor.equals("aarch64"),
                () -> "Netty's epoll transport comes for x86-64 and arm64, not for " + processor);
    }

    @Tag("ci")
    @ParameterizedTest
    @ValueSource(strings = {
        "send_lat -n 100 -c UC", "send_lat -n 100 -c UD", "send_lat -n 100 -s 5000 --threading safe",
        "send_lat -n 50 -e", "write_lat -n 100", "write_comp_lat -n 100", "read_lat -n 100", "atomic_lat -n 100",
        "write_bw -n 500 -q 3 -t 8 -l 2 -Q 4", "write_bw -n 500 -c UC", "read_bw -n 500", "atomic_bw -n 500",
        "send_bw -n 500 -s 64 -q 3 -t 8 -r 16 -l 4 -Q 8", "bare_lat -n 100", "tcp_lat -n 100", "netty_lat -n 100",
        "bare_bw -n 500", "bare_bw -n 3 -s 1", "mmsg_bw -n 500 -s 5000 -m 512"})
    void perfTestsRunBetweenTwoTerminals(String test) throws IOException {
        assumeItRunsHere(test);
        int port = RunningCommand.freePort();
        String command = "perf " + test + " --warmup 0.02 --json" + (test.contains("-c U") ? "" : PATIENT);
        RunningCommand server = RunningCommand.server(line(command, port, SERVER));
        Outcome client = Outcome.ofLine(line(command, port, CLIENT) + SERVER);
        assertEquals(0, client.status(), client.toString());
        assertEquals(client.out(), server.outcome().out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bare_lat", "tcp_lat", "netty_lat", "bare_bw", "mmsg_bw"})
    void whatPacketsAreComparedWithRunsBetweenTwoProcesses(String test) {
        assumeItRunsHere(test);
        Outcome outcome = Outcome.ofLine("perf " + test + " --link udp --self -n 200 --warmup 0.02 --json");
        assertEquals(0, outcome.status(), outcome.toString());
        Map<String, Object> result = JsonReader.object(outcome.out().strip());
        assertEquals(200.0, result.get("iterations"));
        assertEquals(test.endsWith("_lat"), result.containsKey("latency_ns"), "streams of packets time no operation");
    }

    @Tag("ci")
    @Test
    @Timeout(500)
    void goalsAreComparedInTurns() {
        assumeItRunsHere("netty_lat");
        String line = "compare --link udp --launches 1 -n 200 --warmup 0.05";
        Outcome outcome = Outcome.ofLine(line + " --json");
        assertEquals(0, outcome.status(), outcome.toString());
        List<Map<String, Object>> objects = outcome.lines().stream().map(JsonReader::object).toList();
        int launches = UdpLaunch.values().length;
        assertEquals(launches, objects.stream().filter(it -> it.containsKey("launch")).count());
        assertEquals(UdpLaunch.goals().size(), objects.size() - launches);
        for (Map<String, Object> goal : objects.subList(launches, objects.size())) {
            assertTrue((Double) goal.get("ratio") > 0, goal.toString());
        }
        assertEquals(0, Outcome.ofLine(line).status());
    }

    @Test
    void captureHoldsThePacketsOfBothDirections(@TempDir Path folder) throws IOException {
        int port = RunningCommand.freePort();
        Path file = folder.resolve("packets.pcap");
        String command = "pingpong rc -s 100 -n 10";
        RunningCommand server = RunningCommand.server(line(command, port, SERVER));
        Outcome client = Outcome.ofLine(line(command, port, CLIENT) + SERVER + " --pcap " + file);
        assertEquals(0, client.status(), client.toString());
        Outcome served = server.outcome();
        assertEquals(0, served.status(), served.toString());
        byte[] bytes = Files.readAllBytes(file);
        byte[] own = InetAddress.getByName(CLIENT).getAddress();
        // The first packet is the client's: record header, Ethernet, IPv4 up to its source address.
        int source = PCAP_HEADER + 16 + 14 + 12;
        assertArrayEquals(own, Arrays.copyOfRange(bytes, source, source + 4));
        assertTrue(bytes.length > PCAP_HEADER + 20 * (16 + 42 + 16 + 100), () -> bytes.length + " bytes");
    }

    @Test
    void captureThatCannotBeWrittenIsRefused() {
        Outcome outcome = Outcome.ofLine(line("pingpong rc", 1, SERVER) + "--pcap /nowhere/at/all");
        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("/nowhere/at/all can't be written"), outcome.toString());
    }

    @Test
    void addressOfAnotherHostIsRefused() {
        Outcome outcome = Outcome.ofLine(line("perf send_lat", 1, "192.0.2.1"));
        assertTrue(outcome.status() != 0 && outcome.err().contains("192.0.2.1"), outcome.toString());
    }

    @Test
    void whoSpeaksAnotherLanguageIsTold() throws IOException {
        int port = RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line("pingpong rc", port, SERVER));
        try (Socket socket = new Socket(SERVER, port)) {
            socket.getOutputStream().write("x".repeat(52).getBytes(StandardCharsets.US_ASCII));
            assertFails(server.outcome(), "instead of LID:QPN:PSN:GID");
        }
    }

    /** Has a reliable connection last until its end is noticed otherwise. */
    private static String patient(String command) {
        return command.matches(".*\\b(uc|ud|UC|UD)\\b.*") ? command : command + PATIENT;
    }

    /** A command in a process of its own, which can be killed. */
    private static Process process(String line) throws IOException {
        return new ProcessBuilder(FreshJvm.command(List.of(line.strip().split("\\s+")))).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pingpong rc -n 1000000000", "pingpong ud -n 1000000000", "perf send_lat -D 100"})
    void aServerEndsWhenItsClientIsKilled(String command) throws IOException, InterruptedException {
        int port = RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line(patient(command), port, SERVER) + "-d soft" + counting());
        Process client = process(line(patient(command), port, CLIENT) + SERVER);
        try {
            awaitPackets(server);
        } finally {
            client.destroyForcibly().waitFor();
        }
        long killed = System.nanoTime();
        assertFails(server.outcome(), "the client process ended in the middle of the test");
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - killed);
        assertTrue(seconds < 5, seconds + " s after the kill");
    }

    @Tag("ci")
    @ParameterizedTest
    @ValueSource(strings = {
        "pingpong uc -n 1000000000", "pingpong srq -n 1000000000", "pingpong rc -e -n 1000000000",
        "perf write_lat -c UC -D 100", "perf send_lat -c UD -D 100", "perf read_bw -D 100", "perf send_bw -D 100",
        "perf send_lat -e -D 100"})
    void aServerOfAnyServiceEndsWhenItsClientIsKilled(String command) throws IOException, InterruptedException {
        aServerEndsWhenItsClientIsKilled(command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pingpong rc -n 1000000000", "pingpong uc -n 1000000000", "perf write_lat -D 100"})
    void aClientEndsWhenItsServerIsKilled(String command) throws IOException, InterruptedException {
        int port = RunningCommand.freePort();
        Process server = process(line(patient(command), port, SERVER));
        try {
            awaitListener(port);
            RunningCommand client = RunningCommand.of(
                    line(patient(command), port, CLIENT).replace("-d soft1", "-d soft1" + counting()) + SERVER);
            awaitPackets(client);
            server.destroyForcibly();
            assertFails(client.outcome(), "the server process ended in the middle of the test");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Tag("ci")
    @ParameterizedTest
    @ValueSource(strings = {"pingpong uc", "perf send_lat -c UD", "perf write_lat -c UC"})
    void messagesThatAreAllLostEndOtherTestsToo(String command) throws IOException {
        messagesThatAreAllLostEndTheTest(command);
    }

    @ParameterizedTest
    @ValueSource(strings = "pingpong ud")
    void messagesThatAreAllLostEndTheTest(String command) throws IOException {
        int port = RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line(command, port, SERVER));
        String lossy = line(command, port, CLIENT).replace("-d soft1", "-d soft1?faults=loss:1");
        Outcome client = Outcome.ofLine(lossy + SERVER);
        assertFails(client, "nothing has come from the other side for 10 s");
        assertFails(server.outcome(), "nothing has come from the other side for 10 s");
    }

    @Test
    void pingpongTriesAsOftenAsItIsTold() throws IOException {
        int port = RunningCommand.freePort();
        String command = "pingpong rc -u 8 --retry_count 1";
        RunningCommand server = RunningCommand.server(line(command, port, SERVER));
        long start = System.nanoTime();
        Outcome client = Outcome.ofLine(
                line(command, port, CLIENT).replace("-d soft1", "-d soft1?faults=loss:1") + SERVER);
        assertFails(client, "RETRY_EXC_ERR");
        assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(5), "two tries of a millisecond each");
        assertFails(server.outcome(), "the client: a work request failed");
    }

    private static void awaitListener(int port) {
        // Columns: slot, own address and port, the other end's, state; 0A listens.
        Pattern listening = Pattern.compile(String.format(" [0-9A-F]+:%04X [0-9A-F]+:0000 0A ", port));
        await("a listener", () -> {
            try {
                return listening.matcher(Files.readString(Path.of("/proc/net/tcp6"))).find()
                        || listening.matcher(Files.readString(Path.of("/proc/net/tcp"))).find();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** The settings of a device whose counters no NIC of another process looks at. */
    private String counting() {
        return "?countersDir=" + counters;
    }

    /** Waits until the device with these settings, which a command has opened, has sent packets. */
    private void awaitPackets(RunningCommand command) {
        await("packets", () -> {
            assertFalse(command.isDone(), () -> "has ended before: " + command.outcome());
            try {
                for (Path file : CounterFiles.list(counters)) {
                    if (CounterFiles.read(file).total(DeviceCounter.SENT_PKTS) > 100) {
                        return true;
                    }
                }
            } catch (IOException | CounterFileException e) {
                return false; // one that has just gone
            }
            return false;
        });
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - end < 0, "no " + what);
            Thread.onSpinWait();
        }
    }

    @Test
    void withoutServerTheClientSaysWhatToStart() throws IOException {
        int port = RunningCommand.freePort();
        assertFails(Outcome.ofLine(line("pingpong rc", port, CLIENT) + SERVER),
                "no server listens on port " + port + " of " + SERVER);
        assertFails(Outcome.ofLine(line("perf send_lat", port, CLIENT) + SERVER), "--bind " + SERVER + " -p " + port);
    }

    @Test
    void anotherPathMtuOfPerfIsToldOnBothSides() throws IOException {
        int port = RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line("perf write_lat -m 256", port, SERVER));
        assertFails(Outcome.ofLine(line("perf write_lat -m 512", port, CLIENT) + SERVER), "-m is 256 at the server");
        assertFails(server.outcome(), "-m is 256 here and 512 at the client");
    }
}
