package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One seed is one run, however often it is replayed. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SimCommandTest {
    private static final int NANOSECOND_MAGIC = 0xA1B23C4D;
    private static final int MICROSECOND_MAGIC = 0xA1B2C3D4;

    @Test
    void aSeedIsReplayedWithATrace() {
        Outcome first = Outcome.ofLine("sim --seed 7");
        assertEquals(0, first.status(), first.toString());
        assertTrue(first.lines().size() > 100, "a line for each packet");
        assertTrue(first.lines().getLast().contains("everything holds"), first.lines().getLast());
        assertEquals(first.lines(), Outcome.ofLine("sim --seed 7").lines());
    }

    @ParameterizedTest
    @CsvSource({"rc, RC_", "uc, UC_", "UD, UD_"})
    void theServiceIsChosen(String service, String packets) {
        Outcome outcome = Outcome.ofLine("sim --seed 7 --service " + service);
        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.lines().stream().filter(line -> line.contains(" -> ")).allMatch(l -> l.contains(packets)));
        assertTrue(outcome.lines().stream().anyMatch(line -> line.contains(packets)));
    }

    @Test
    void machinesGetOneObject() {
        Outcome outcome = Outcome.ofLine("sim --seed 7 --json");
        assertEquals(1, outcome.lines().size());
        Map<String, Object> object = JsonReader.object(outcome.lines().getFirst());
        assertEquals(true, object.get("holds"));
        assertTrue((Double) object.get("packets") > 100);
    }

    @Test
    void packetsAreWrittenForWireshark(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("seed.pcap");
        assertEquals(0, Outcome.ofLine("sim --seed 7 --pcap " + file).status());
        int magic = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN).getInt();
        assertTrue(magic == NANOSECOND_MAGIC || magic == MICROSECOND_MAGIC, Integer.toHexString(magic));
    }

    @ParameterizedTest
    @CsvSource({"sim, what to run is missing", "sim --seed -1, --seed", "sim --seed x, --seed",
        "sim --minutes 0, --minutes", "sim --seed 1 --service rd, --service rd is unknown",
        "sim --minutes 1 --pcap f, --pcap holds one run",
        "sim --seed 1 --pcap /no/such/folder/f, allowed: a file in a folder that exists"})
    void badArgumentsAreNamed(String line, String text) {
        Outcome outcome = Outcome.ofLine(line);
        assertEquals(2, outcome.status());
        assertTrue(outcome.toString().contains(text), outcome.toString());
    }
}
