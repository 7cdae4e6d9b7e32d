package io.verbena.sim;

import io.verbena.rc.ConnectionConfig;
import io.verbena.rc.Host;
import io.verbena.rc.UcConnection;
import io.verbena.rc.UdEndpoint;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.QueuePairState;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/**
 * One run of an unreliable service: one end sends, the other receives, nobody answers. Every packet's fate is known
 * from which packets arrived before it.
 */
final class UnreliableRun {
    private final Scenario scenario;
    private final Slab slab;
    private final Trace trace;
    private final Network network;
    private final Gate gate;
    private final PacketWriter writer = new PacketWriter();
    private final SplittableRandom random;
    private final UnreliableSender a;
    private final UnreliableReceiver b;
    private final Port from;
    private final Port to;
    /** How long the sender rests after each burst. */
    private final long restNs;
    private long now;

    /** What both services have in common. */
    private interface Port {
        boolean nextPacket(PacketWriter writer);

        Verdict onPacket(PacketView view);

        void onWork();

        QueuePairState state();

        void resume();
    }

    /** One end of an unreliable connection. */
    private record Connection(UcConnection uc) implements Port {
        @Override
        public boolean nextPacket(PacketWriter writer) {
            return uc.nextPacket(writer);
        }

        @Override
        public Verdict onPacket(PacketView view) {
            return uc.onPacket(view);
        }

        @Override
        public void onWork() {
            uc.onWork();
        }

        @Override
        public QueuePairState state() {
            return uc.state();
        }

        @Override
        public void resume() {
            uc.resume();
        }
    }

    /** A datagram queue pair, and what lies in the header area of all that arrives there. */
    private record Endpoint(UdEndpoint ud, long header) implements Port {
        @Override
        public boolean nextPacket(PacketWriter writer) {
            return ud.nextPacket(writer);
        }

        @Override
        public Verdict onPacket(PacketView view) {
            return ud.onPacket(view, header);
        }

        @Override
        public void onWork() {
            ud.onWork();
        }

        @Override
        public QueuePairState state() {
            return ud.state();
        }

        @Override
        public void resume() {
            ud.resume();
        }
    }

    UnreliableRun(Scenario scenario, Service service, Slab slab, Arena arena, Trace trace) {
        this.scenario = scenario;
        this.slab = slab;
        this.trace = trace;
        gate = new Gate(slab, scenario.ends().ipv4());
        random = new SplittableRandom(scenario.seed());
        restNs = Math.max(1, scenario.faults().maxDelayNs() >> random.nextInt(10));
        network = new Network(scenario, slab, random.split(), trace);
        a = new UnreliableSender(arena, scenario, service, random.split(), trace);
        b = new UnreliableReceiver(arena, scenario, service, a, random.split(), trace);
        a.join(b.memory);
        int psn = scenario.ends().psnA();
        int own = UnreliableSender.QP;
        int peer = UnreliableSender.PEER;
        var hostA = new Host(a.memory.host(own), a, b, a);
        var hostB = new Host(b.memory.host(peer), a, b, b);
        int mtu = scenario.ends().mtu();
        if (service == Service.UD) {
            var sender = new UdEndpoint(own, mtu, UnreliableSender.QKEY, hostA);
            sender.startSending(psn, 0);
            from = new Endpoint(sender, 0);
            to = new Endpoint(new UdEndpoint(peer, mtu, UnreliableSender.QKEY, hostB), b.header.address());
        } else {
            var responding = scenario.ends().responding();
            var sender = new UcConnection(new ConnectionConfig(own, peer, mtu, 0, responding), hostA);
            sender.startSending(psn, 0);
            from = new Connection(sender);
            to = new Connection(new UcConnection(new ConnectionConfig(peer, own, mtu, psn, responding), hostB));
        }
    }

    /** Runs to the end; returns the number of packets. */
    long run() {
        while (!a.isDone() || network.nextArrival() >= 0) {
            trace.time(now);
            b.post();
            send();
            long next = network.nextArrival();
            now = a.isDone() ? Math.max(now, next) : next < 0 ? now + restNs : Math.clamp(next, now, now + restNs);
            if (!a.isDone() || next >= 0) {
                arrive();
            }
        }
        finish();
        return network.sent();
    }

    private void send() {
        a.post();
        writer.wrap(slab.scratch(), PacketView.MAX_BYTES);
        for (int burst = Math.min(scenario.load().burst(), 64); burst > 0 && !a.isDone(); burst--) {
            Job job = a.next();
            if (from.nextPacket(writer)) {
                a.sent(job);
                boolean ipv4 = scenario.ends().ipv4();
                int length = slab.seal(ipv4, true, writer.length(), (int) network.sent() & 0xFFFF);
                network.send(true, length, now);
                if (network.sent() == scenario.incidents().revokeAtPacket() + 1) {
                    b.memory.revoke();
                    trace.note("b takes its memory back");
                }
            } else if (from.state() == QueuePairState.SQE) {
                again();
            }
            a.post();
        }
    }

    /** After a send failed: what is posted now is flushed too, then the queue pair sends again. */
    private void again() {
        if (random.nextBoolean()) {
            a.post();
            from.onWork();
        }
        from.resume();
        a.resumed();
    }

    private void arrive() {
        trace.time(now);
        for (Flight flight = network.arrived(now); flight != null; flight = network.arrived(now)) {
            Verdict verdict = gate.pass(flight);
            if (verdict == Verdict.ACCEPTED) {
                boolean expected = b.expect(flight.number());
                verdict = to.onPacket(gate.view);
                trace.arrived(flight, verdict);
                b.checkTaken(flight.number(), expected, verdict == Verdict.ACCEPTED);
            } else {
                trace.arrived(flight, verdict);
            }
            slab.release(flight.place());
            b.post();
        }
    }

    private void finish() {
        a.memory.checkAll("a");
        b.memory.checkAll("b");
    }
}
