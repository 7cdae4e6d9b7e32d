package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketType.Flags;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of Linux rxe and of a ConnectX-4, and computed ones: decode, encode again, verify. */
class GoldenFramesTest {
    private final PacketMemory memory = new PacketMemory();
    private final PacketMemory copy = new PacketMemory();
    private final PacketView view = new PacketView();
    private final PacketWriter writer = new PacketWriter();
    private final Icrc icrc = new Icrc(memory.segment);
    private final Icrc copyIcrc = new Icrc(copy.segment);

    @AfterEach
    void close() {
        memory.close();
        copy.close();
    }

    static Stream<Frame> frames() {
        return Stream.concat(Frame.vectors().stream(), Frame.captured().stream());
    }

    @ParameterizedTest
    @MethodSource("frames")
    void decodesAndEncodesToTheSameBytes(Frame frame) {
        byte[] bytes = frame.packet();
        memory.put(bytes);
        assertEquals(Verdict.ACCEPTED, view.wrap(memory.address(), bytes.length));
        writer.wrap(copy.address(), PacketView.MAX_BYTES);
        encode();
        int sealed = copyIcrc.seal(frame.path(), copy.address(), writer.length(), frame.identification());
        assertEquals(bytes.length, sealed);
        assertArrayEquals(bytes, copy.get(bytes.length));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void verifiesWithoutKnowingTheIdentification(Frame frame) {
        byte[] bytes = frame.packet();
        memory.put(bytes);
        IcrcPath path = frame.path();
        assertTrue(icrc.verify(path, memory.address(), bytes.length));
        assertEquals(view.wrap(memory.address(), bytes.length), Verdict.ACCEPTED);
        assertEquals(view.icrc(), icrc.compute(path, memory.address(), bytes.length - 4, frame.identification()));
        assertArrayEquals(bytes, memory.get(bytes.length), "verifying leaves the packet as it was");
    }

    @Test
    void coversNearlyEveryTypeOfPacket() {
        var seen = EnumSet.noneOf(PacketType.class);
        for (Frame frame : frames().toList()) {
            seen.add(PacketType.ofCode(frame.packet()[0] & 0xFF));
        }
        var missing = EnumSet.complementOf(seen);
        missing.removeAll(EnumSet.of(
                PacketType.RC_SEND_LAST_INV, PacketType.RC_FLUSH, PacketType.RC_ATOMIC_WRITE,
                PacketType.UC_SEND_LAST_IMM, PacketType.UC_WRITE_LAST_IMM, PacketType.UC_WRITE_ONLY));
        assertEquals(EnumSet.noneOf(PacketType.class), missing);
        assertEquals(13, Frame.vectors().size());
        assertTrue(Frame.captured().size() > 100);
    }

    private void encode() {
        PacketType type = view.type();
        writer.begin(type, view.destinationQp(), view.psn());
        writer.solicited(view.isSolicited());
        writer.migrated(view.isMigrated());
        writer.ackRequested(view.isAckRequested());
        writer.pkey(view.pkey());
        writer.variantByte(view.variantByte());
        for (int header : List.of(Flags.DETH, Flags.RETH, Flags.ATOMIC_ETH, Flags.AETH, Flags.ATOMIC_ACK, Flags.IMM,
                Flags.IETH, Flags.RESERVED16)) {
            if ((type.flags & header) != 0) {
                encode(header);
            }
        }
        MemorySegment.copy(memory.segment, view.payload() - memory.address(), copy.segment,
                writer.payload() - copy.address(), view.payloadLength());
        writer.finish(view.payloadLength());
    }

    private void encode(int header) {
        switch (header) {
            case Flags.DETH -> writer.deth(view.qkey(), view.sourceQp());
            case Flags.RETH -> writer.reth(view.remoteAddress(), view.rkey(), view.remoteLength());
            case Flags.ATOMIC_ETH -> writer.atomic(
                    view.atomicAddress(), view.atomicRkey(), view.swapOrAdd(), view.compare());
            case Flags.AETH -> writer.aeth(view.syndrome(), view.msn());
            case Flags.ATOMIC_ACK -> writer.atomicAck(view.originalValue());
            case Flags.IMM -> writer.imm(view.imm());
            case Flags.IETH -> writer.invalidate(view.invalidatedKey());
            default -> writer.reserved();
        }
    }
}
