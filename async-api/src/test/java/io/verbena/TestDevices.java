package io.verbena;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The links that tests run over: each kind, and the one by packets also with loss. */
final class TestDevices {
    /** Every link, by the name that tests know it by. */
    static final List<String> LINKS = List.of("soft", "shm", "udp", "lossy");

    private static final int PARTS = 250;
    private static final AtomicInteger HOSTS = new AtomicInteger();
    private static final String PLACE = "{address}";
    /** Soon enough that lost packets don't take a test's time, late enough for a busy machine. */
    private static final Duration IMPATIENT = Duration.ofMillis(17);

    private TestDevices() {}

    /** Every link, for {@link EveryLink}. */
    static List<String> all() {
        return LINKS;
    }

    /**
     * A device of a process.
     *
     * @param number tells devices of one process apart
     * @param link one of {@link #LINKS}, or how to open a device, with {address} for an address of its own
     */
    static String device(int number, String link) {
        String device = switch (link) {
            case "soft" -> "soft";
            case "shm" -> "soft?link=shm";
            case "udp" -> "soft?link=udp&bind=" + PLACE;
            case "lossy" -> "soft?link=udp&bind=" + PLACE + "&faults=loss:0.05,seed:" + (number + 1);
            default -> link;
        };
        return fresh(device).replaceFirst("^soft", "soft" + number);
    }

    /** How to connect over a link: with losses, answers are not waited for as long as usual. */
    static ConnectionConfig fit(String link, ConnectionConfig config) {
        TransportConfig transport = config.transport();
        boolean usual = transport.ackTimeout().equals(TransportConfig.DEFAULT.ackTimeout());
        return link.equals("lossy") && usual ? config.withTransport(transport.withAckTimeout(IMPATIENT)) : config;
    }

    /** Fills in an address of loopback that nobody else has: by process, then by call. */
    private static String fresh(String device) {
        long pid = ProcessHandle.current().pid();
        int host = 1 + HOSTS.getAndIncrement() % PARTS;
        return device.replace(PLACE, "127." + (1 + pid / PARTS % PARTS) + "." + (1 + pid % PARTS) + "." + host);
    }
}
