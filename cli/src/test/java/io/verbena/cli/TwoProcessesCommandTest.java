package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests whose two ends are two processes, or two commands as in two terminals. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@EnabledOnOs(value = OS.LINUX, disabledReason = "link=shm needs Linux")
class TwoProcessesCommandTest {
    /** How far a printed number of 1,000 or more may be from the exact one: it has one decimal. */
    private static final double ROUNDING = 0.05;

    @ParameterizedTest
    @ValueSource(strings = {"send_lat -n 300", "read_fresh_lat -n 100", "send_bw -n 2000 -s 64", "bare_lat -n 100",
        "aeron_lat -n 100", "async_lat -n 100", "async_read_lat -n 100"})
    void selfStartsTheServer(String line) {
        printsOneObject(line);
    }

    @Tag("ci")
    @ParameterizedTest
    @ValueSource(strings = {
        "send_lat -n 300 -c UC", "send_lat -n 100 -s 5000 --threading safe", "send_lat -n 50 -e", "write_lat -n 300",
        "write_lat -n 300 -c UC -s 100 -I 128", "write_comp_lat -n 100", "read_lat -n 100", "atomic_lat -n 100",
        "atomic_lat -n 100 -A CMP_AND_SWAP", "write_bw -n 500 -q 3 -t 8 -l 2 -Q 4", "write_bw -n 500 -c UC",
        "ring_bw -n 2000", "read_bw -n 500", "atomic_bw -n 500", "send_bw -n 2000 -s 64 -q 3 -t 8 -r 16 -l 4 -Q 8"
    })
    void everyTestRunsBetweenTwoProcesses(String line) {
        printsOneObject(line);
    }

    private static void printsOneObject(String line) {
        Outcome outcome = Outcome.ofLine("perf " + line + " --link shm --self --warmup 0.02 --json");
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(1, outcome.lines().size(), outcome.toString());
        Map<String, Object> result = JsonReader.object(outcome.lines().getFirst());
        assertEquals("shm", result.get("link"));
        assertEquals(Double.parseDouble(line.replaceAll(".*-n (\\d+).*", "$1")), result.get("iterations"));
        double both = (Double) result.get("allocated_bytes_per_op");
        double client = (Double) result.get("client_allocated_bytes_per_op");
        assertEquals(both, client + (Double) result.get("server_allocated_bytes_per_op"), 3.1 * ROUNDING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc", "uc"})
    void pingpongComparesDataOfTheOtherProcess(String service) {
        Outcome outcome = Outcome.ofLine("pingpong " + service + " --link shm --self -c -n 50");
        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.lines().getLast().startsWith("data checked"), outcome.toString());
    }

    @Test
    void serverAndClientPrintTheSameResults() throws IOException {
        String line = "perf write_lat --link shm -n 100 --warmup 0 -p " + RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line);
        Outcome client = Outcome.ofLine(line + " localhost");
        Outcome served = server.outcome();
        assertEquals(0, client.status(), client.toString());
        assertEquals(0, served.status(), served.toString());
        assertEquals(client.out(), served.out().substring(served.out().indexOf("---")));
    }

    @Test
    void pingpongPrintsBothEndsInBothTerminals() throws IOException {
        String line = "pingpong rc --link shm -n 40 -p " + RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line + " --json");
        Map<String, Object> client = JsonReader.object(Outcome.ofLine(line + " --json ::1").out().strip());
        Map<String, Object> served = JsonReader.object(server.outcome().out().strip());
        assertEquals(client.get("local"), served.get("remote"));
        assertEquals(client.get("remote"), served.get("local"));
    }

    @Test
    void differentOptionsAreToldOnBothSides() throws IOException {
        String line = "perf send_lat --link shm -n 100 --warmup 0 -p " + RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line + " -s 128");
        Outcome client = Outcome.ofLine(line + " localhost");
        assertFails(client, "the size is -s 128 at the server and -s 64 at the client");
        assertFails(server.outcome(), "the size is -s 128 here and -s 64 at the client");
    }

    @Test
    void anotherTestOnTheOtherSideIsTold() throws IOException {
        String options = " --link shm -n 100 -p " + RunningCommand.freePort();
        RunningCommand server = RunningCommand.server("perf send_lat --warmup 0" + options);
        assertFails(Outcome.ofLine("pingpong rc 127.0.0.1" + options), "perf send_lat at the server and rc_pingpong");
        assertFails(server.outcome(), "the command is perf send_lat here and rc_pingpong at the client");
    }

    @Test
    void withoutServerTheClientSaysHowToStartOne() throws IOException {
        Outcome outcome = Outcome.ofLine("perf send_lat localhost --link shm -p " + RunningCommand.freePort());
        assertFails(outcome, "no server listens on port");
        assertTrue(outcome.err().contains("./verbena perf send_lat --link shm -p "), outcome.toString());
    }

    @Test
    void secondServerOnOnePortIsRefused() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFails(Outcome.ofLine("perf send_lat --link shm -p " + taken.getLocalPort()), "is taken");
        }
    }

    @Test
    void strangersArePassedOver() throws IOException {
        int port = RunningCommand.freePort();
        String line = "perf bare_lat --link shm -n 100 --warmup 0 -p " + port;
        RunningCommand server = RunningCommand.server(line);
        speak(port, "GET / HTTP/1.0");
        assertFalse(server.isDone());
        assertEquals(0, Outcome.ofLine(line + " localhost").status());
        assertEquals(0, server.outcome().status());
    }

    @Test
    void anotherVersionIsToldOnBothSides() throws IOException {
        int port = RunningCommand.freePort();
        RunningCommand server = RunningCommand.server("perf send_lat --link shm -p " + port);
        assertTrue(speak(port, "VERBENA 1 0.0.7").startsWith("VERBENA 1 "));
        assertFails(server.outcome(), "the client is verbena 0.0.7 (protocol 1), this is verbena ");
    }

    /** Says a line to a server and returns its first one. */
    private static String speak(int port, String line) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
            BufferedReader answer = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String first = answer.readLine();
            answer.readLine(); // until the server hangs up
            return first;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "write_lat", "read_lat"})
    void endOfTheServerIsTold(String test) {
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        RunningCommand client = RunningCommand.of("perf " + test + " --link shm --self -D 60");
        client.await("verbena perf: " + test); // the progress line of what is going on
        ProcessHandle.current().children().filter(it -> !before.contains(it)).forEach(ProcessHandle::destroyForcibly);
        assertFails(client.outcome(), "the server process ended in the middle of the test");
    }

    @Test
    void endOfTheClientIsTold() throws IOException {
        String line = "perf send_lat --link shm -D 60 -p " + RunningCommand.freePort();
        RunningCommand server = RunningCommand.server(line);
        Process client = new ProcessBuilder(FreshJvm.command(List.of((line + " localhost").split(" "))))
                .redirectErrorStream(true).start();
        // Its first line is a rule of the table, which it prints once both have agreed.
        assertEquals('-', client.getInputStream().read());
        client.destroyForcibly();
        assertFails(server.outcome(), "the client process ended in the middle of the test");
    }

    @Test
    void compareLaunchesPairsOfProcesses() {
        Outcome outcome = Outcome.of("compare", "read_lat", "bare_lat", "--link", "shm", "-n", "100", "--warmup", "0",
                "--launches", "1", "--json");
        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue((Double) ((Map<?, ?>) JsonReader.object(outcome.out().strip()).get("p50")).get("a_ns") > 0);
    }

    @Tag("ci")
    @Timeout(value = 500, unit = TimeUnit.SECONDS) // dozens of processes, one after the other
    @Test
    void goalsAreComparedInTurns() {
        String line = "compare --link shm --launches 1 -n 300 --warmup 0.05";
        Outcome outcome = Outcome.ofLine(line + " --json");
        assertEquals(0, outcome.status(), outcome.toString());
        List<Map<String, Object>> objects = outcome.lines().stream().map(JsonReader::object).toList();
        assertEquals(ShmLaunch.values().length, objects.stream().filter(it -> it.containsKey("launch")).count());
        for (Map<String, Object> goal : objects.subList(ShmLaunch.values().length, objects.size())) {
            assertTrue(List.of("met", "missed", "skipped").contains((String) goal.get("verdict")), goal.toString());
        }
        assertEquals(0, Outcome.ofLine(line).status());
    }

    private static void assertFails(Outcome outcome, String error) {
        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains(error), outcome.toString());
    }
}
