package io.verbena.async.handshake;

import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairEndpoint;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Hellos for tests. */
final class Hellos {
    static final Place PLACE = new Place("shm", 7);
    static final Limits LIMITS = new Limits(4096, 16, 128, 4096, 1 << 30, 2000);

    private Hellos() {}

    static Hello of(int qpNum) {
        return of(qpNum, PLACE, LIMITS, 0xF, 0x1);
    }

    static Hello of(int qpNum, Place place, Limits limits, long capabilities, long required) {
        var endpoint = new QueuePairEndpoint(new Gid(0, 0xFFFF_7F00_0001L), qpNum, 0xABCDEF);
        return new Hello(endpoint, place, limits, capabilities, required, new byte[0], Map.of());
    }

    static Hello withPrivateData(Hello hello, byte[] bytes) {
        return new Hello(
                hello.endpoint(), hello.place(), hello.limits(), hello.capabilities(), hello.required(), bytes,
                hello.features());
    }

    /** Any hello there can be. */
    static Hello random(Random random) {
        var features = new TreeMap<Integer, byte[]>();
        for (var i = random.nextInt(9); i > 0; i--) {
            features.put(
                    random.nextInt(Hello.FIRST_FEATURE, Hello.LAST_FEATURE + 1),
                    bytes(random, random.nextInt(Hello.MAX_FEATURE + 1)));
        }
        var capabilities = random.nextLong();
        var limits = new Limits(
                256 << random.nextInt(5), random.nextInt(256), random.nextInt((1 << 20) + 1),
                random.nextInt((1 << 30) + 1), random.nextLong((1L << 40) + 1), random.nextLong(86_400_001));
        var endpoint = new QueuePairEndpoint(
                new Gid(random.nextLong(), random.nextLong()), random.nextInt(1 << 24), random.nextInt(1 << 24));
        return new Hello(
                endpoint, new Place("l".repeat(random.nextInt(1, 33)), random.nextLong()), limits, capabilities,
                capabilities & random.nextLong(), bytes(random, random.nextInt(Hello.MAX_PRIVATE_DATA + 1)), features);
    }

    static byte[] bytes(Random random, int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
