package io.verbena.sim;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;
import java.io.PrintStream;
import org.agrona.UnsafeApi;

/** What happens in a run: as a hash that must be the same for the same seed, as lines to read, and as a capture. */
final class Trace {
    private static final long PRIME = 0x100_0000_01B3L;

    private final PrintStream out;
    private final Capture capture;
    private final boolean ipv4;
    private long hash = 0xCBF2_9CE4_8422_2325L;
    private long now;

    /**
     * Starts a trace.
     *
     * @param out where lines go, or null
     * @param capture where packets go, or null
     */
    Trace(PrintStream out, Capture capture, boolean ipv4) {
        this.out = out;
        this.capture = capture;
        this.ipv4 = ipv4;
    }

    long hash() {
        return hash;
    }

    private void mix(long value) {
        hash = (hash ^ value) * PRIME;
        hash ^= hash >>> 32;
    }

    void time(long newNow) {
        now = newNow;
    }

    void note(String what) {
        mix(what.hashCode() + now);
        if (out != null) {
            out.printf("%14.3f us         %s%n", now / 1000.0, what);
        }
    }

    void sent(long number, boolean fromFirst, long address, int length, boolean lost, long at) {
        mix(number + at);
        mix(UnsafeApi.getInt(address + length - PacketView.ICRC_BYTES) * 31L + length + (lost ? 1 : 0));
        if (out != null) {
            out.printf("%14.3f us %6d  %s %s%s%n", at / 1000.0, number, fromFirst ? "a -> b" : "b -> a",
                    describe(address, length), lost ? "   LOST" : "");
        }
        if (capture != null) {
            capture.packet(fromFirst, ipv4, address, length, at);
        }
    }

    void arrived(Flight flight, Verdict verdict) {
        mix(flight.number() * 31 + verdict.ordinal());
        if (out != null && (verdict != Verdict.ACCEPTED || flight.damaged())) {
            out.printf("%14.3f us %6d  %s%s%n", now / 1000.0, flight.number(),
                    flight.damaged() ? "damaged, " : "", verdict);
        }
    }

    private static String describe(long address, int length) {
        var view = new PacketView();
        if (view.wrap(address, length) != Verdict.ACCEPTED) {
            return length + " bytes";
        }
        PacketType type = view.type();
        var text = new StringBuilder().append(type).append(" psn ").append(view.psn());
        if (view.payloadLength() > 0) {
            text.append(", ").append(view.payloadLength()).append(" bytes");
        }
        if (type.hasReth()) {
            text.append(", memory 0x").append(Long.toHexString(view.remoteAddress())).append(" + ")
                    .append(view.remoteLength());
        }
        if (type.hasAeth()) {
            text.append(", syndrome 0x").append(Integer.toHexString(view.syndrome())).append(", msn ")
                    .append(view.msn());
        }
        return text.append(view.isAckRequested() ? ", asks" : "").toString();
    }
}
