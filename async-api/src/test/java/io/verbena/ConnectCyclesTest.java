package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Connecting by address and closing, over and over, leaves nothing. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "it counts descriptors as Linux shows them")
class ConnectCyclesTest {
    private static final List<String> LINKS =
            List.of("soft", "soft?link=shm", "soft?link=udp&bind={address}");
    private static final int WARM_UP = 30;
    private static final int FEW = 50;
    private static final int MANY = 10_000;
    /** Descriptors that come and go with timers and libraries, not with connections. */
    private static final int SLACK = 10;

    @ParameterizedTest
    @FieldSource("LINKS")
    void someCyclesLeaveNothing(String device) throws Exception {
        cycles(device, FEW);
    }

    @Test
    @Tag("ci")
    void tenThousandCyclesLeaveNothing() throws Exception {
        cycles("soft", MANY);
    }

    private static void cycles(String device, int rounds) throws Exception {
        try (var met = new Met(device)) {
            for (var i = 0; i < WARM_UP; i++) {
                cycle(met, i);
            }
            met.nothingIsLeft();
            var descriptors = descriptors();
            var memory = met.serving.memory().statistics();
            for (var i = 0; i < rounds; i++) {
                cycle(met, i);
            }
            met.nothingIsLeft();
            assertEquals(memory.usedBlocks(), met.serving.memory().statistics().usedBlocks());
            assertEquals(memory.slabs(), met.serving.memory().statistics().slabs());
            Waiting.until("sockets are closed", () -> descriptors() <= descriptors + SLACK);
            assertEquals(0, met.server.failures());
        }
    }

    /** Closed by either end, in order and not. */
    private static void cycle(Met met, int round) throws Exception {
        var client = Met.get(met.ask());
        var server = met.accept();
        var first = round % 2 == 0 ? client : server;
        var second = round % 2 == 0 ? server : client;
        if (round % 4 < 2) {
            first.closeNow();
            second.close();
        } else {
            first.closeNow();
            second.closeNow();
        }
        assertTrue(client.state() == ConnectionState.CLOSED && server.state() == ConnectionState.CLOSED);
    }

    private static long descriptors() {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
