package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a packet must be to be looked at; rows 13 to 16 of the history of bugs. */
class PacketViewTest {
    private final PacketMemory memory = new PacketMemory();
    private final PacketView view = new PacketView();
    private final PacketWriter writer = new PacketWriter();

    @AfterEach
    void close() {
        memory.close();
    }

    private Verdict wrap(int opcode, int second, int length) {
        memory.put(new byte[] {(byte) opcode, (byte) second});
        return view.wrap(memory.address(), length);
    }

    @Test
    void everyTypeNeedsItsHeadersAndTheCrc() {
        for (PacketType type : PacketType.values()) {
            int least = type.headerBytes() + PacketView.ICRC_BYTES;
            assertEquals(Verdict.ACCEPTED, wrap(type.code(), 0, least), type.name());
            for (int length = 0; length < least; length++) {
                assertEquals(Verdict.BAD_LENGTH, wrap(type.code(), 0, length), type + " of " + length);
            }
        }
    }

    @Test
    void headersHaveTheSizesOfTheSpecification() {
        assertEquals(12, PacketType.RC_SEND_FIRST.headerBytes());
        assertEquals(16, PacketType.RC_SEND_ONLY_INV.headerBytes());
        assertEquals(32, PacketType.RC_WRITE_ONLY_IMM.headerBytes());
        assertEquals(32, PacketType.RC_FLUSH.headerBytes());
        assertEquals(16, PacketType.RC_FLUSH.rethOffset);
        assertEquals(28, PacketType.RC_WRITE_ONLY_IMM.immOffset);
        assertEquals(40, PacketType.RC_FETCH_ADD.headerBytes());
        assertEquals(24, PacketType.RC_ATOMIC_ACKNOWLEDGE.headerBytes());
        assertEquals(24, PacketType.UD_SEND_ONLY_IMM.headerBytes());
        assertEquals(28, PacketType.CNP.headerBytes());
    }

    /** Row 37: clearing reserved bits set all others. */
    @Test
    void setAndClearedBitsLeaveTheOthersAlone() {
        for (int pattern : new int[] {0, 0xFF}) {
            writer.wrap(memory.address(), PacketView.MAX_BYTES);
            writer.begin(PacketType.RC_SEND_ONLY, 0xABCDEF, 0x123456);
            writer.pkey(0x8001);
            writer.finish(0);
            boolean on = pattern != 0;
            writer.solicited(on);
            writer.migrated(on);
            writer.ackRequested(on);
            writer.variantByte(pattern);
            assertEquals(Verdict.ACCEPTED, view.wrap(memory.address(), writer.length() + PacketView.ICRC_BYTES));
            assertEquals(on, view.isSolicited());
            assertEquals(on, view.isAckRequested());
            assertEquals(pattern, view.variantByte());
            assertEquals(PacketType.RC_SEND_ONLY, view.type());
            assertEquals(0xABCDEF, view.destinationQp());
            assertEquals(0x123456, view.psn());
            assertEquals(0x8001, view.pkey() & 0xFFFF);
            assertEquals(0, view.padCount());
        }
    }

    @Test
    void aForgedPadNeverMakesThePayloadNegative() {
        assertEquals(Verdict.BAD_LENGTH, wrap(PacketType.RC_SEND_ONLY.code(), 0x30, 16));
        assertEquals(Verdict.ACCEPTED, wrap(PacketType.RC_SEND_ONLY.code(), 0x30, 20));
        assertEquals(1, view.payloadLength());
    }

    @Test
    void unknownOpcodesAreDroppedBeforeAnyArithmetic() {
        for (int opcode = 0; opcode < 256; opcode++) {
            if (PacketType.ofCode(opcode) == null) {
                assertEquals(Verdict.UNKNOWN_OPCODE, wrap(opcode, 0x30, 16));
            }
        }
        assertNull(PacketType.ofCode(0xFF));
        assertNull(PacketType.ofCode(0x15));
        assertNull(PacketType.ofCode(0x2C));
    }

    @Test
    void otherVersionsAreDropped() {
        assertEquals(Verdict.BAD_VERSION, wrap(PacketType.RC_SEND_ONLY.code(), 1, 16));
    }

    @Test
    void lengthsOffTheWordAreDropped() {
        assertEquals(Verdict.BAD_LENGTH, wrap(PacketType.RC_SEND_ONLY.code(), 0, 17));
    }

    @Test
    void payloadEndsAtTheLargestPathMtu() {
        assertEquals(Verdict.ACCEPTED, wrap(PacketType.RC_SEND_ONLY.code(), 0, 16 + 4096));
        assertEquals(Verdict.TOO_LONG, wrap(PacketType.RC_SEND_ONLY.code(), 0, 16 + 4100));
        assertEquals(Verdict.TOO_LONG, wrap(PacketType.RC_SEND_ONLY.code(), 0, 65_536));
        assertEquals(Verdict.ACCEPTED, wrap(PacketType.RC_WRITE_ONLY_IMM.code(), 0, PacketView.MAX_BYTES));
    }

    @Test
    void packetsWithoutPayloadHaveNone() {
        assertEquals(Verdict.BAD_LENGTH, wrap(PacketType.RC_READ_REQUEST.code(), 0, 36));
        assertEquals(Verdict.BAD_LENGTH, wrap(PacketType.RC_ACKNOWLEDGE.code(), 0x20, 24));
    }

    @Test
    void whatTheGoldenFramesLackIsWrittenAndReadToo() {
        writer.wrap(memory.address(), PacketView.MAX_BYTES);
        writer.begin(PacketType.RC_FLUSH, 0x123456, 0xFFFFFF);
        writer.feth(0x11);
        writer.reth(-2, 0x89ABCDEF, 0xFFFF_FFFFL);
        writer.ackRequested(true);
        writer.finish(0);
        assertEquals(Verdict.ACCEPTED, view.wrap(memory.address(), writer.length() + 4));
        assertEquals(PacketType.RC_FLUSH, view.type());
        assertEquals(0x11, view.flushBits());
        assertEquals(-2, view.remoteAddress());
        assertEquals(0x89ABCDEF, view.rkey());
        assertEquals(0xFFFF_FFFFL, view.remoteLength());
        assertEquals(0xFFFFFF, view.psn());
        assertEquals(0x123456, view.destinationQp());
        assertTrue(view.isAckRequested() && view.isMigrated());
    }

    @Test
    void padBytesAreZeroWhateverLayThereBefore() {
        var dirt = new byte[64];
        java.util.Arrays.fill(dirt, (byte) 0x5A);
        memory.put(dirt);
        writer.wrap(memory.address(), PacketView.MAX_BYTES);
        writer.begin(PacketType.RC_SEND_ONLY, 1, 1);
        writer.finish(5);
        assertEquals(20, writer.length());
        var bytes = memory.get(20);
        assertEquals(0, bytes[17] | bytes[18] | bytes[19]);
        assertEquals(0x5A, bytes[16]);
    }
}
