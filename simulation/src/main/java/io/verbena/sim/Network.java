package io.verbena.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Carries packets and loses, doubles, delays, turns round and damages them, as drawn. */
final class Network {
    private static final int LATE = 8;
    private static final int VARIANT_BYTE = 4;

    private final Scenario scenario;
    private final Slab slab;
    private final SplittableRandom random;
    private final Trace trace;
    private final PriorityQueue<Flight> flights = new PriorityQueue<>();
    private final int[] underWay = new int[2];
    private final long[] lastArrival = new long[2];
    private Faults faults;
    private long sent;
    private long order;

    Network(Scenario scenario, Slab slab, SplittableRandom random, Trace trace) {
        this.scenario = scenario;
        this.slab = slab;
        this.random = random;
        this.trace = trace;
        faults = scenario.faults();
        slab.clear();
    }

    void heal() {
        faults = faults.healed();
        trace.note("the network heals");
    }

    /** Packets sent so far. */
    long sent() {
        return sent;
    }

    private boolean chance(double share) {
        return share > 0 && random.nextDouble() < share;
    }

    /** Sends the packet in the scratch place. */
    void send(boolean fromFirst, int length, long now) {
        long number = sent++;
        Scenario.Incidents incidents = scenario.incidents();
        boolean hole = fromFirst && incidents.holeFromNs() >= 0 && now >= incidents.holeFromNs()
                && now < incidents.holeFromNs() + incidents.holeForNs();
        int direction = fromFirst ? 0 : 1;
        boolean full = underWay[direction] >= faults.capacity() || !slab.hasFree();
        boolean lost = chance(faults.loss()) || hole || full || scenario.lost().test(number);
        trace.sent(number, fromFirst, slab.scratch(), length, lost, now);
        if (lost) {
            return;
        }
        int place = slab.take();
        slab.copyScratch(place, length);
        put(number, fromFirst, place, length, now);
        if (chance(faults.duplicate()) && slab.hasFree()) {
            int again = slab.take();
            slab.copyScratch(again, length);
            put(number, fromFirst, again, length, now);
        }
    }

    private void put(long number, boolean fromFirst, int place, int length, long now) {
        int direction = fromFirst ? 0 : 1;
        long spread = faults.maxDelayNs() - faults.minDelayNs();
        long at = now + faults.minDelayNs() + (spread > 0 ? random.nextLong(spread + 1) : 0);
        if (chance(faults.reorder())) {
            at += random.nextLong(LATE * faults.maxDelayNs());
        } else {
            at = Math.max(at, lastArrival[direction]);
            lastArrival[direction] = at;
        }
        boolean damaged = false;
        if (chance(faults.corrupt())) {
            long bit = random.nextLong(8L * length);
            slab.flip(place, bit);
            damaged = bit / 8 != VARIANT_BYTE;
        }
        underWay[direction]++;
        flights.add(new Flight(number, order++, at, fromFirst, place, length, damaged));
    }

    /** Packets of one direction that are under way. */
    int underWay(boolean fromFirst) {
        return underWay[fromFirst ? 0 : 1];
    }

    /** When the next packet arrives, or -1 when none is under way. */
    long nextArrival() {
        return flights.isEmpty() ? -1 : flights.peek().at();
    }

    /** The next packet that has arrived, or null. */
    Flight arrived(long now) {
        if (flights.isEmpty() || flights.peek().at() > now) {
            return null;
        }
        Flight flight = flights.poll();
        underWay[flight.fromFirst() ? 0 : 1]--;
        return flight;
    }
}
