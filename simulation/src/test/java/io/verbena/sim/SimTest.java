package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command shows: the same run for the same seed, a trace to read, a capture to open. */
class SimTest {
    @Test
    void theSameSeedIsTheSameRun() {
        try (var sim = new Sim()) {
            for (long seed = 0; seed < 20; seed++) {
                for (Service service : Service.values()) {
                    assertEquals(sim.run(service, seed), sim.run(service, seed), service + " seed " + seed);
                }
            }
            assertNotEquals(sim.run(Service.RC, 1), sim.run(Service.RC, 2));
        }
    }

    @Test
    void replayPrintsThePacketsAndWritesThem(@TempDir Path folder) throws IOException {
        var text = new ByteArrayOutputStream();
        Path pcap = folder.resolve("x.pcap");
        try (var sim = new Sim(); var out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
            assertEquals(0, sim.replay(Service.RC, 3, out, pcap));
            String trace = text.toString(StandardCharsets.UTF_8);
            assertTrue(trace.contains("a -> b RC_"), trace.substring(0, 500));
            assertTrue(trace.contains("everything holds"));
            assertTrue(trace.contains("%016x".formatted(sim.run(Service.RC, 3))));
            assertEquals(trace.lines().filter(l -> l.contains(" -> ")).count(), packetsOf(pcap));
        }
    }

    private static long packetsOf(Path pcap) throws IOException {
        var bytes = ByteBuffer.wrap(Files.readAllBytes(pcap)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(0xA1B23C4D, bytes.getInt(0));
        bytes.position(24);
        long packets = 0;
        while (bytes.hasRemaining()) {
            int length = bytes.getInt(bytes.position() + 8);
            bytes.position(bytes.position() + 16 + length);
            packets++;
        }
        return packets;
    }

    @Test
    void everyKindOfIncidentIsDrawn() {
        int crashes = 0;
        int revocations = 0;
        int holes = 0;
        int stalls = 0;
        int wicked = 0;
        for (long seed = 0; seed < 400; seed++) {
            Scenario scenario = Draw.swarm(seed, Sim.REQUESTS);
            crashes += scenario.incidents().crashAtPacket() >= 0 ? 1 : 0;
            revocations += scenario.incidents().revokeAtPacket() >= 0 ? 1 : 0;
            holes += scenario.incidents().holeFromNs() >= 0 ? 1 : 0;
            stalls += scenario.incidents().stallFromNs() >= 0 ? 1 : 0;
            wicked += scenario.load().wicked() ? 1 : 0;
        }
        assertTrue(Math.min(Math.min(crashes, revocations), Math.min(Math.min(holes, stalls), wicked)) >= 10);
    }
}
