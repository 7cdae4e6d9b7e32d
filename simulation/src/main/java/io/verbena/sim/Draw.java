package io.verbena.sim;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.verbs.Access;
import io.verbena.verbs.RnrTimer;
import java.util.SplittableRandom;

/** Draws scenarios: everything about a swarm run follows from its seed. */
final class Draw {
    static final int ALL_RIGHTS =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    private static final Kind[] GOOD = {
        Kind.SEND, Kind.SEND_IMM, Kind.FENCED_SEND, Kind.WRITE, Kind.WRITE_IMM, Kind.READ, Kind.FETCH_ADD,
        Kind.COMPARE_SWAP, Kind.ATOMIC_WRITE
    };
    private static final Kind[] UNRELIABLE = {Kind.SEND, Kind.SEND_IMM, Kind.WRITE, Kind.WRITE_IMM};
    private static final Kind[] UNRELIABLE_AND_WICKED = {
        Kind.SEND, Kind.SEND_IMM, Kind.WRITE, Kind.WRITE_IMM, Kind.SEND, Kind.WRITE, Kind.WRONG_DOMAIN,
        Kind.WRONG_RIGHT, Kind.ONE_BEYOND, Kind.ONE_BEFORE
    };
    private static final Kind[] DATAGRAMS = {Kind.SEND, Kind.SEND_IMM};
    private static final int[] PSNS = {0, 1, 0x7FFFFF, 0x800000, 0xFFFFFD, 0xFFFFFF};

    private final SplittableRandom random;
    private final long seed;

    private Draw(long seed) {
        this.seed = seed;
        // Seeds below draw as they always did, so that kept ones stay what they are: each shares its draws with the
        // next one. The others have nothing in common with their neighbours.
        random = new SplittableRandom(seed >= 0 && seed < Sim.FIRST_FRESH_SEED
                ? seed * 0x9E37_79B9_7F4A_7C15L + 0x1234_5678L : new SplittableRandom(seed).nextLong());
    }

    /** The scenario of a seed, with about so many requests at each end. */
    static Scenario swarm(long seed, int requests) {
        return new Draw(seed).swarm(requests);
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    private double share(double some, double most) {
        return chance(some) ? random.nextDouble() * random.nextDouble() * most : 0;
    }

    private Scenario swarm(int requests) {
        double corrupt = share(0.3, 0.05);
        long maxDelay = 2_000L << random.nextInt(16);
        int capacity = chance(0.3) ? 2 << random.nextInt(6) : Integer.MAX_VALUE;
        var faults = new Faults(share(0.6, 0.3), share(0.4, 0.3), share(0.4, 0.5), corrupt,
                maxDelay / (1 + random.nextInt(10)), maxDelay, capacity);
        int depth = 1 << random.nextInt(7);
        int mtu = 256 << random.nextInt(5);
        var load = new Scenario.Load(requests / 2 + random.nextInt(Math.max(1, requests)),
                Math.min(16_384, 1 + random.nextInt(6 * mtu)), depth,
                chance(0.3) ? random.nextDouble() : 1, kinds(), chance(0.2),
                chance(0.3) ? 1 + random.nextInt(20) : Integer.MAX_VALUE);
        return new Scenario(seed, ends(faults, mtu), faults, load, incidents(maxDelay), number -> false);
    }

    /** The scenario of a seed for a service without answers. */
    static Scenario unreliable(Service service, long seed, int requests) {
        return new Draw(Sim.FIRST_FRESH_SEED * (service.ordinal() + 1) + seed).oneWay(service, seed, requests);
    }

    private Scenario oneWay(Service service, long number, int requests) {
        long maxDelay = 2_000L << random.nextInt(16);
        int capacity = chance(0.2) ? 2 << random.nextInt(6) : Integer.MAX_VALUE;
        var faults = new Faults(share(0.6, 0.3), share(0.4, 0.3), share(0.4, 0.5), share(0.3, 0.05),
                maxDelay / (1 + random.nextInt(10)), maxDelay, capacity);
        int mtu = 256 << random.nextInt(5);
        boolean wicked = chance(0.5);
        Kind[] kinds = service == Service.UD ? DATAGRAMS : wicked ? UNRELIABLE_AND_WICKED : UNRELIABLE;
        var load = new Scenario.Load(requests / 2 + random.nextInt(Math.max(1, requests)),
                1 + random.nextInt(service == Service.UD ? mtu : Math.min(8_192, 6 * mtu)), 1 << random.nextInt(6),
                chance(0.3) ? random.nextDouble() : 1 - 0.1 * random.nextDouble(), kinds, wicked,
                1 + random.nextInt(32));
        return new Scenario(number, ends(faults, mtu), faults, load, incidents(maxDelay), packet -> false);
    }

    /** One cell of the matrix for a service without answers. */
    static Scenario unreliable(Service service, long seed, Faults faults, int requests) {
        Scenario drawn = unreliable(service, seed, requests);
        return new Scenario(seed, drawn.ends(), faults, drawn.load(),
                Scenario.Incidents.none(Long.MAX_VALUE / 4), drawn.lost());
    }

    private Kind[] kinds() {
        if (chance(0.3)) {
            return new Kind[] {GOOD[random.nextInt(GOOD.length)], GOOD[random.nextInt(GOOD.length)]};
        }
        return GOOD;
    }

    private int psn() {
        return chance(0.7) ? PSNS[random.nextInt(PSNS.length)] : random.nextInt(1 << 24);
    }

    private Scenario.Ends ends(Faults faults, int mtu) {
        int maxReads = 1 << random.nextInt(5);
        long ackDelay = chance(0.5) ? 0 : random.nextInt(50_000);
        int rnrTimer = 1 + random.nextInt(20);
        long timeout = (2 * faults.maxDelayNs() + ackDelay) * (1 + random.nextInt(12));
        var requesting = new Requesting(0, timeout, chance(0.7) ? 7 : random.nextInt(7),
                chance(0.6) ? 7 : random.nextInt(7), maxReads, 1 + random.nextInt(128), chance(0.2));
        var responding = new Responding(
                ALL_RIGHTS, maxReads, rnrTimer, ackDelay, 1 + random.nextInt(16), chance(0.2));
        long start = chance(0.3) ? Long.MAX_VALUE - random.nextInt(1_000_000) : random.nextLong();
        return new Scenario.Ends(mtu, psn(), psn(), requesting, responding, start, faults.corrupt() == 0);
    }

    private Scenario.Incidents incidents(long maxDelay) {
        long unit = maxDelay * (1 + random.nextInt(50));
        long hole = chance(0.1) ? random.nextLong(10 * unit) : -1;
        long stall = chance(0.1) ? random.nextLong(10 * unit) : -1;
        long crash = chance(0.05) ? random.nextInt(2_000) : -1;
        long revoke = chance(0.1) ? random.nextInt(2_000) : -1;
        long heal = chance(0.5) ? random.nextLong(20 * unit) : 200 * unit;
        return new Scenario.Incidents(heal, hole, unit, stall, unit, crash, revoke);
    }

    /** One cell of the matrix: plain ends, these faults. */
    static Scenario matrix(long seed, Faults faults, int requests) {
        var draw = new Draw(seed);
        var requesting = new Requesting(0, 40 * faults.maxDelayNs(), 7, 7, 4, 32, false);
        var responding = new Responding(ALL_RIGHTS, 4, 1, 0, 1, false);
        var ends = new Scenario.Ends(256 << draw.random.nextInt(3), draw.psn(), draw.psn(), requesting, responding,
                draw.random.nextLong(), faults.corrupt() == 0);
        var load = new Scenario.Load(requests, 3000, 16, 1, GOOD, false, Integer.MAX_VALUE);
        return new Scenario(seed, ends, faults, load, Scenario.Incidents.none(Long.MAX_VALUE / 4), number -> false);
    }

    /** The small model: one request of some packets at one end, and exactly these packets are lost. */
    static Scenario small(Kind kind, int packets, int psn, int lostBits) {
        int mtu = 256;
        var requesting = new Requesting(0, 100_000, 7, 7, 4, 32, false);
        var responding = new Responding(ALL_RIGHTS, 4, 1, 0, 1, false);
        var ends = new Scenario.Ends(mtu, psn, psn, requesting, responding, 0, true);
        var load = new Scenario.Load(1, packets * mtu, 2, 1, new Kind[] {kind}, false, Integer.MAX_VALUE);
        return new Scenario(-1, ends, Faults.NONE, load, Scenario.Incidents.none(Long.MAX_VALUE / 4),
                number -> number < Integer.SIZE && (lostBits >>> number & 1) != 0);
    }

    /** How long an end waits for want of a receive, at most once. */
    static long rnrWaitNs(Scenario scenario) {
        return RnrTimer.nanos(scenario.ends().responding().rnrTimer());
    }
}
