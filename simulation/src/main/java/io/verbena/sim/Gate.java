package io.verbena.sim;

import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;

/** What a NIC does with a packet before the engine sees it, and that exactly the damaged ones are dropped. */
final class Gate {
    final PacketView view = new PacketView();
    private final Slab slab;
    private final boolean ipv4;

    Gate(Slab slab, boolean ipv4) {
        this.slab = slab;
        this.ipv4 = ipv4;
    }

    /** Lets a packet through; then {@link #view} shows it. */
    Verdict pass(Flight flight) {
        Verdict verdict = view.wrap(slab.address(flight.place()), flight.length());
        if (verdict != Verdict.ACCEPTED) {
            if (!flight.damaged()) {
                throw new Violation("O9: a sound packet was dropped as " + verdict);
            }
            return verdict;
        }
        boolean sound = slab.verify(ipv4, flight.fromFirst(), flight.place(), flight.length());
        if (sound == flight.damaged()) {
            throw new Violation("O6: packet " + flight.number() + (sound ? " is damaged and passed" : " was refused"));
        }
        return sound ? Verdict.ACCEPTED : Verdict.BAD_ICRC;
    }
}
