package io.verbena;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The devices that tests run over: each kind of link, and the one by packets also with loss. */
final class TestDevices {
    private static final int PARTS = 250;
    private static final AtomicInteger HOSTS = new AtomicInteger();
    private static final String PLACE = "{address}";
    private static final List<String> ALL = List.of("soft", "soft?link=shm", "soft?link=udp&bind=" + PLACE,
            "soft?link=udp&bind=" + PLACE + "&faults=loss:0.05,seed:1");

    private TestDevices() {}

    /** Every kind, to be opened by {@link #fresh}. */
    static Stream<Arguments> all() {
        return ALL.stream().map(Arguments::of);
    }

    /** Fills in an address of loopback that nobody else has: by process, then by call. */
    static String fresh(String device) {
        long pid = ProcessHandle.current().pid();
        int host = 1 + HOSTS.getAndIncrement() % PARTS;
        return device.replace(PLACE, "127." + (1 + pid / PARTS % PARTS) + "." + (1 + pid % PARTS) + "." + host);
    }
}
