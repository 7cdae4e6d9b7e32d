package io.verbena.sim;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.SplittableRandom;

/** One run of a scenario: steps from event to event until everything has ended, and checks all the way. */
final class Run {
    private static final long MAX_STEPS = 4_000_000;
    private static final int MAX_BURST = 1 << 20;
    /** Copies under way of what may be outstanding; a bad network makes an end send up to 8. */
    private static final int MAX_COPIES = 20;
    /** How long a socket takes nothing once it has refused a packet. */
    private static final long SOCKET_REST_NS = 1_000;

    private final Scenario scenario;
    private final Slab slab;
    private final Trace trace;
    private final Network network;
    private final SplittableRandom random;
    private final End a;
    private final End b;
    private final PacketWriter writer = new PacketWriter();
    private final Gate gate;
    private final int[] credit = new int[2];
    private long now;
    private boolean healed;
    private boolean refused;
    private long lastProgress;
    private long endedBefore;

    Run(Scenario scenario, Slab slab, Arena arena, Trace trace) {
        this.scenario = scenario;
        this.slab = slab;
        this.trace = trace;
        gate = new Gate(slab, scenario.ends().ipv4());
        random = new SplittableRandom(scenario.seed());
        network = new Network(scenario, slab, random.split(), trace);
        a = new End(arena, scenario, true, random.split(), trace);
        b = new End(arena, scenario, false, random.split(), trace);
        a.join(b);
        b.join(a);
    }

    /** Runs to the end; returns the number of packets. */
    long run() {
        for (long step = 0; step < MAX_STEPS; step++) {
            trace.time(now);
            refused = false;
            Arrays.fill(credit, scenario.load().burst());
            act(a, true);
            act(b, false);
            if (a.isDone() && b.isDone() && network.nextArrival() < 0) {
                finish();
                return network.sent();
            }
            checkProgress();
            long next = nextEvent();
            if (next < 0) {
                throw new Violation("O8: nothing will happen any more, but " + a.work.ended() + " and "
                        + b.work.ended() + " requests have ended only");
            }
            now = Math.max(now, next);
            pass();
        }
        throw new Violation("O8: no end after " + MAX_STEPS + " steps");
    }

    private long clock() {
        return scenario.ends().clockStart() + now;
    }

    private boolean isStalled(boolean first) {
        Scenario.Incidents incidents = scenario.incidents();
        return first && incidents.stallFromNs() >= 0 && now >= incidents.stallFromNs()
                && now < incidents.stallFromNs() + incidents.stallForNs();
    }

    /** Lets an end post and send what it has. */
    private void act(End end, boolean first) {
        if (end.isCrashed() || isStalled(first)) {
            return;
        }
        do {
            long before = end.work.ended();
            end.post(healed);
            end.connection.onWork(clock());
            if (end.isFailed() && !end.isDone() && end.work.ended() == before) {
                throw new Violation("O1: " + end.name + " is in ERR, yet what is posted is not flushed");
            }
        } while (end.isFailed() && !end.isDone());
        writer.wrap(slab.scratch(), PacketView.MAX_BYTES);
        int burst = 0;
        int side = first ? 0 : 1;
        while (credit[side] > 0 && end.connection.nextPacket(writer, clock())) {
            credit[side]--;
            if (++burst > MAX_BURST) {
                throw new Violation("O7: " + end.name + " sends without end");
            }
            checkAnswer(end);
            checkOutstanding(end);
            int length = slab.seal(scenario.ends().ipv4(), first, writer.length(), (int) network.sent() & 0xFFFF);
            network.send(first, length, now);
            incidents();
            end.post(healed);
        }
        refused |= credit[side] == 0;
    }

    /** The window holds; one READ may reach beyond it. What is sent again and again does not pile up. */
    private void checkOutstanding(End end) {
        int most = scenario.ends().requesting().windowPackets() - 1
                + Psn.packets(scenario.load().maxLength(), scenario.ends().mtu());
        if (end.connection.outstanding() > most) {
            throw new Violation("O7: " + end.name + " has " + end.connection.outstanding()
                    + " packets outstanding, at most " + most);
        }
        if (network.underWay(end == a) > MAX_COPIES * most) {
            throw new Violation("O7: " + end.name + " has " + network.underWay(end == a)
                    + " packets under way, though only " + most + " may be outstanding");
        }
    }

    /** No answer carries memory that was taken back. */
    private void checkAnswer(End end) {
        boolean data = writer.type().isResponse() && writer.type().isRead()
                && writer.length() > writer.type().headerBytes();
        if (data && end.memory.isRevoked()) {
            throw new Violation("O5: " + end.name + " answers from memory that was taken back");
        }
    }

    private void incidents() {
        if (network.sent() == scenario.incidents().crashAtPacket() + 1) {
            b.crash();
        }
        if (network.sent() == scenario.incidents().revokeAtPacket() + 1) {
            b.memory.revoke();
            trace.note("b takes its memory back");
        }
    }

    private long nextEvent() {
        long next = network.nextArrival();
        next = earlier(next, deadline(a, true));
        next = earlier(next, deadline(b, false));
        if (!healed) {
            next = earlier(next, scenario.incidents().healNs());
        }
        if (refused) {
            next = earlier(next, now + SOCKET_REST_NS);
        }
        if (isStalled(true)) {
            next = earlier(next, scenario.incidents().stallFromNs() + scenario.incidents().stallForNs());
        }
        return next;
    }

    private static long earlier(long one, long other) {
        return one < 0 ? other : other < 0 ? one : Math.min(one, other);
    }

    private long deadline(End end, boolean first) {
        if (end.isCrashed() || isStalled(first) || !end.connection.hasDeadline()) {
            return -1;
        }
        return Math.max(now, end.connection.nextDeadline() - scenario.ends().clockStart());
    }

    /** Lets the present time happen: packets arrive, deadlines pass, the network heals. */
    private void pass() {
        trace.time(now);
        if (!healed && now >= scenario.incidents().healNs()) {
            healed = true;
            lastProgress = now;
            network.heal();
        }
        for (Flight flight = network.arrived(now); flight != null; flight = network.arrived(now)) {
            deliver(flight);
            // What an end has to say it says before it hears more.
            act(flight.fromFirst() ? b : a, !flight.fromFirst());
        }
        for (End end : new End[] {a, b}) {
            if (!end.isCrashed() && !isStalled(end == a)) {
                end.connection.onTimeout(clock());
            }
        }
    }

    private void deliver(Flight flight) {
        End to = flight.fromFirst() ? b : a;
        Verdict verdict = Verdict.NOT_OURS;
        if (!to.isCrashed() && !isStalled(to == a)) {
            verdict = take(flight, to);
        }
        trace.arrived(flight, verdict);
        slab.release(flight.place());
    }

    private Verdict take(Flight flight, End to) {
        Verdict verdict = gate.pass(flight);
        if (verdict != Verdict.ACCEPTED) {
            return verdict;
        }
        PacketType type = gate.view.type();
        int before = to.connection.receivePsn();
        verdict = to.connection.onPacket(gate.view, clock());
        if (type.isRequest() && verdict != Verdict.ACCEPTED && to.connection.receivePsn() != before) {
            throw new Violation("O9: a packet that counts as " + verdict + " was taken");
        }
        return verdict;
    }

    /** Once nothing is lost any more, something ends within the time of all tries. */
    private void checkProgress() {
        long ended = a.work.ended() + b.work.ended();
        if (ended != endedBefore || !healed) {
            endedBefore = ended;
            lastProgress = now;
            return;
        }
        var requesting = scenario.ends().requesting();
        long bound = 4 * (requesting.retryCount() + 1) * requesting.ackTimeoutNs()
                + 8 * (Draw.rnrWaitNs(scenario) + scenario.ends().responding().ackDelayNs()
                + 8 * scenario.faults().maxDelayNs()) + scenario.incidents().holeForNs()
                + scenario.incidents().stallForNs();
        if (now - lastProgress > bound) {
            throw new Violation("O8: nothing has ended for " + (now - lastProgress) + " ns, at most " + bound);
        }
    }

    private void finish() {
        a.checkEnd();
        b.checkEnd();
        a.memory.checkAll("a");
        b.memory.checkAll("b");
    }
}
