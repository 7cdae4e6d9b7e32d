package io.verbena;

import io.verbena.async.handshake.Agreement;
import io.verbena.async.handshake.Hello;
import io.verbena.async.handshake.Limits;
import io.verbena.async.handshake.Place;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** What a node says in handshakes about a connection that it has prepared, and what it makes of the outcome. */
final class Greeting {
    /** Messages have frames and credits. */
    static final long FRAMES = 1;

    /** There are no frames: receives are the application's. */
    static final long RAW = 2;

    private static final long THIS_PROCESS = new SecureRandom().nextLong();
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private Greeting() {}

    static Hello of(RdmaNode node, PreparedConnection prepared, byte[] privateData) {
        var config = prepared.core().config;
        var keepalive = config.transport().keepalive();
        var limits = new Limits(
                prepared.mtu().bytes(),
                config.transport().rdAtomic(),
                config.queues().receives(),
                config.messages().slotBytes(),
                config.messages().maxBytes(),
                keepalive == null ? 0 : Math.clamp(keepalive.toMillis(), 1, Limits.MAX_KEEPALIVE_MILLIS));
        var way = config.messages().raw() ? RAW : FRAMES;
        return new Hello(prepared.endpoint(), place(node), limits, way, way, privateData, Map.of());
    }

    /** What the peer takes. */
    static PeerLimits limits(Agreement agreement) {
        return new PeerLimits(agreement.theirs().receiveSlots(), agreement.theirs().slotBytes(),
                agreement.maxMessageBytes(), agreement.rdAtomic());
    }

    /**
     * The software NIC has links that end at its process or at its host; every other device reaches whatever speaks
     * the protocol of its GID.
     */
    static Place place(RdmaNode node) {
        var port = node.config().port();
        return place(node.context(), node.config().device(), port.port(), port.gidIndex());
    }

    private static Place place(Context context, String device, int port, int gidIndex) {
        if (context.device().provider().equals("soft")) {
            var link = DeviceSpec.parse(device).settings().getOrDefault("link", "loopback");
            if (link.equals("loopback")) {
                return new Place("loopback", THIS_PROCESS);
            }
            if (link.equals("shm")) {
                return new Place("shm", thisHost());
            }
        }
        var type = context.queryGid(port, gidIndex).type();
        return new Place(type.name().toLowerCase(Locale.ROOT), 0);
    }

    /** The same in all processes of a host until it boots again; 0 where the system doesn't say. */
    private static long thisHost() {
        try {
            var id = Files.readString(BOOT_ID).strip();
            return UUID.fromString(id).getMostSignificantBits();
        } catch (IOException | IllegalArgumentException e) {
            return 0;
        }
    }
}
