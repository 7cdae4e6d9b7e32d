package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Gid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mutated packets through decode: no exception, and nothing outside the packet is read into a field. */
class PacketMutatorTest {
    private final PacketView view = new PacketView();
    private final IcrcPath path = new IcrcPath(Gid.ZERO, Gid.ZERO, 1, IcrcPath.ROCE_PORT);

    @Test
    void twoMillionMutatedPacketsDecodeWithoutException() {
        decode(2_000_000, 20_261_130);
    }

    @Test
    @Tag("ci")
    void aHundredMillionMutatedPacketsDecodeWithoutException() {
        decode(100_000_000, 5);
    }

    @Test
    void theKnownAttacksEndWhereTheyShould() {
        try (var memory = new PacketMemory()) {
            var verdicts = Mutator.attacks().stream().map(bytes -> {
                memory.put(bytes);
                return view.wrap(memory.address(), bytes.length);
            }).toList();
            assertEquals(Verdict.BAD_LENGTH, verdicts.get(0));
            assertEquals(Verdict.UNKNOWN_OPCODE, verdicts.get(1));
            // Formally right; the responder refuses them.
            assertEquals(Verdict.ACCEPTED, verdicts.get(2));
            assertEquals(Verdict.ACCEPTED, verdicts.get(3));
        }
    }

    private void decode(int packets, long seed) {
        var counts = new EnumMap<Verdict, Integer>(Verdict.class);
        var mutator = new Mutator(seed);
        try (var memory = new PacketMemory()) {
            var icrc = new Icrc(memory.segment);
            for (int i = 0; i < packets; i++) {
                mutator.next();
                int length = mutator.length();
                MemorySegment.copy(mutator.bytes(), 0, memory.segment, ValueLayout.JAVA_BYTE, 0, length);
                Verdict verdict = view.wrap(memory.address(), length);
                counts.merge(verdict, 1, Integer::sum);
                if (verdict == Verdict.ACCEPTED) {
                    readAll(length);
                }
                if ((i & 15) == 0) {
                    icrc.verify(path, memory.address(), length);
                }
            }
        }
        for (Verdict expected : Arrays.asList(Verdict.ACCEPTED, Verdict.BAD_LENGTH, Verdict.UNKNOWN_OPCODE,
                Verdict.BAD_VERSION)) {
            assertTrue(counts.getOrDefault(expected, 0) > packets / 1000, counts.toString());
        }
    }

    /** Every field of the type lies before the CRC, and the payload too. */
    private void readAll(int length) {
        PacketType type = view.type();
        assertTrue(view.payloadLength() >= 0
                && type.headerBytes() + view.payloadLength() + view.padCount() + PacketView.ICRC_BYTES == length);
        long sum = view.psn() + view.destinationQp() + view.pkey() + view.variantByte() + view.icrc();
        sum += type.hasReth() ? view.remoteAddress() + view.rkey() + view.remoteLength() : 0;
        sum += type.hasAeth() ? view.syndrome() + view.msn() : 0;
        sum += type.hasImm() ? view.imm() : 0;
        sum += type.hasInvalidate() ? view.invalidatedKey() : 0;
        assertTrue(type.headerBytes() <= length - PacketView.ICRC_BYTES, "read " + sum);
    }
}
