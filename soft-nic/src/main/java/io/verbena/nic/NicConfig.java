package io.verbena.nic;

import io.verbena.nic.stat.CounterFiles;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settings of a software NIC, from the part of a device specification behind the question mark.
 *
 * @param progress who does what nobody asked for: {@code inline} (default) or {@code dedicated}
 * @param link whom queue pairs reach: {@code loopback} (default), only this process; {@code shm}, also others of this
 *     user on this host; {@code udp}, every RoCEv2 NIC by packets, and only so
 * @param peerTimeoutMs how long another process may be stopped, or take to answer, before its connections fail
 *     ({@code peer_timeout_ms}, 5,000 by default)
 * @param wire what packets are sent through with {@code link=udp}; null for the other links
 * @param waiting what a thread does while it waits for an event: {@code wait=adaptive} (default),
 *     {@code spin} or {@code sleep}
 * @param counters the folder of the counter file; null for none ({@code counters=off}). The default is
 *     {@link CounterFiles#defaultDirectory}, {@code countersDir} names another
 */
record NicConfig(
        ProgressMode progress, Link link, int peerTimeoutMs, WireConfig wire, WaitMode waiting, Path counters) {
    private static final int DEFAULT_PEER_TIMEOUT_MS = 5_000;
    private static final int MIN_PEER_TIMEOUT_MS = 1_000;
    private static final int MAX_PEER_TIMEOUT_MS = 3_600_000;

    private static final String SETTINGS = "progress=inline, progress=dedicated, link=loopback, link=shm, link=udp,"
            + " bind=ADDRESS, mtu=N, socket=KIND, faults=FAULTS, pcap=FILE, peer_timeout_ms=N, wait=adaptive,"
            + " wait=spin, wait=sleep, counters=on, counters=off or countersDir=PATH";

    /** Who retries and flushes. */
    enum ProgressMode {
        /** Every post, poll, arm and wait. */
        INLINE,
        /** A thread of the NIC's own as well. */
        DEDICATED
    }

    /** Whom queue pairs reach. */
    enum Link {
        /** The same process. */
        LOOPBACK,
        /** Processes that share memory. */
        SHM,
        /** NICs of any host, by packets. */
        UDP
    }

    /** What a thread does that waits in the device. */
    enum WaitMode {
        /** Spins for some tens of microseconds, then sleeps. */
        ADAPTIVE,
        /** Spins, which answers soonest and keeps a core busy. */
        SPIN,
        /** Sleeps at once. */
        SLEEP
    }

    static NicConfig of(DeviceSpec spec) {
        ProgressMode progress = ProgressMode.INLINE;
        Link link = Link.LOOPBACK;
        int peerTimeoutMs = DEFAULT_PEER_TIMEOUT_MS;
        WaitMode wait = WaitMode.ADAPTIVE;
        Map<String, String> wireSettings = new TreeMap<>();
        boolean counting = true;
        Path directory = CounterFiles.defaultDirectory();
        for (Map.Entry<String, String> setting : spec.settings().entrySet()) {
            String value = setting.getValue();
            switch (setting.getKey()) {
                case "progress" -> progress = progressOf(value);
                case "link" -> link = linkOf(value);
                case "peer_timeout_ms" -> peerTimeoutMs = peerTimeoutOf(value);
                case "wait" -> wait = waitOf(value);
                case "counters" -> counting = isOn(value);
                case "countersDir" -> directory = directoryOf(value);
                default -> {
                    if (!WireConfig.SETTINGS.contains(setting.getKey())) {
                        throw VerbsException.invalid("setting", setting.getKey(), SETTINGS);
                    }
                    wireSettings.put(setting.getKey(), value);
                }
            }
        }
        if (link != Link.UDP && !wireSettings.isEmpty()) {
            String settings = String.join(", ", wireSettings.keySet());
            throw new VerbsException(Errno.EINVAL, "link", "link is " + link.name().toLowerCase(Locale.ROOT) + ", and "
                    + settings + (wireSettings.size() == 1 ? " goes" : " go") + " with packets only; add link=udp, or"
                    + " leave " + settings + " out");
        }
        WireConfig wire = link == Link.UDP ? WireConfig.of(wireSettings) : null;
        return new NicConfig(progress, link, peerTimeoutMs, wire, wait, counting ? directory : null);
    }

    private static boolean isOn(String value) {
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default -> throw VerbsException.invalid("counters", value, "on or off");
        };
    }

    private static int peerTimeoutOf(String value) {
        try {
            int millis = Integer.parseInt(value);
            if (millis >= MIN_PEER_TIMEOUT_MS && millis <= MAX_PEER_TIMEOUT_MS) {
                return millis;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number that is out of range.
        }
        throw VerbsException.invalid("peer_timeout_ms", value, "milliseconds, " + MIN_PEER_TIMEOUT_MS + " to "
                + MAX_PEER_TIMEOUT_MS);
    }

    private static Path directoryOf(String value) {
        String allowed = "the absolute path of a folder for counter files; it is made if its parent exists";
        try {
            Path directory = Path.of(value);
            if (directory.isAbsolute() && directory.getParent() != null) {
                return directory;
            }
        } catch (InvalidPathException e) {
            throw VerbsException.invalid("countersDir", value, allowed);
        }
        throw VerbsException.invalid("countersDir", value, allowed);
    }

    private static Link linkOf(String value) {
        return switch (value) {
            case "loopback" -> Link.LOOPBACK;
            case "shm" -> Link.SHM;
            case "udp" -> Link.UDP;
            default -> throw VerbsException.invalid("link", value, "loopback, shm or udp");
        };
    }

    private static WaitMode waitOf(String value) {
        for (WaitMode mode : WaitMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw VerbsException.invalid("wait", value, "adaptive, spin or sleep");
    }

    private static ProgressMode progressOf(String value) {
        for (ProgressMode mode : ProgressMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw VerbsException.invalid("progress", value, "inline or dedicated");
    }
}
