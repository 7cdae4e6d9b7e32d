package io.verbena.rc.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Gid;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The invariant CRC: what it covers and what it finds. */
class IcrcTest {
    private static final Gid A = new Gid(0, 0xFFFF_0A4D_0002L);
    private static final Gid B = new Gid(0, 0xFFFF_0A4D_0003L);
    private static final Gid V6_A = new Gid(0xFD00_0000_0000_0000L, 1);
    private static final Gid V6_B = new Gid(0xFD00_0000_0000_0000L, 2);

    private final PacketMemory memory = new PacketMemory();
    private final Icrc icrc = new Icrc(memory.segment);
    private final Random random = new Random(1);

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void theRegisterAgreesWithTheJvm() {
        for (int length = 0; length < 200; length++) {
            var bytes = new byte[length];
            random.nextBytes(bytes);
            var crc = new CRC32();
            crc.update(bytes);
            assertEquals((int) crc.getValue(), ~feed(Crc.INITIAL, bytes));
        }
    }

    private static int feed(int register, byte[] bytes) {
        int fed = register;
        for (byte value : bytes) {
            fed = Crc.update(fed, value);
        }
        return fed;
    }

    @Test
    void zeroBytesAreFedAndTakenBackInOneStep() {
        for (int length = 0; length <= PacketView.MAX_BYTES; length += 4) {
            int register = random.nextInt();
            int fed = feed(register, new byte[length]);
            assertEquals(fed, Crc.zeros(register, length));
            assertEquals(register, Crc.back(fed, length));
        }
    }

    @Test
    void anyOneBitFlippedIsFoundOverIpv6() {
        flipEachBit(new IcrcPath(V6_A, V6_B, 49152, IcrcPath.ROCE_PORT), 0, 40);
        flipEachBit(new IcrcPath(V6_A, V6_B, 49152, IcrcPath.ROCE_PORT), 0, 1040);
    }

    @Test
    void anyOneBitFlippedIsFoundOverIpv4ThoughTheIdentificationIsUnknown() {
        flipEachBit(new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT), 0x718C, 40);
        flipEachBit(new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT), 0xFFFF, 1040);
    }

    private void flipEachBit(IcrcPath path, int identification, int length) {
        fill(length);
        int sealed = icrc.seal(path, memory.address(), length, identification);
        for (long bit = 0; bit < 8L * sealed; bit++) {
            memory.flip(bit);
            boolean covered = bit / 8 != 4;
            assertEquals(!covered, icrc.verify(path, memory.address(), sealed), "bit " + bit);
            memory.flip(bit);
        }
        assertTrue(icrc.verify(path, memory.address(), sealed));
    }

    private void fill(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        memory.put(bytes);
    }

    @Test
    void everyIdentificationIsAccepted() {
        var path = new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT);
        fill(60);
        for (int identification = 0; identification <= 0xFFFF; identification++) {
            int sealed = icrc.seal(path, memory.address(), 60, identification);
            assertTrue(icrc.verify(path, memory.address(), sealed), "identification " + identification);
        }
    }

    @Test
    void aRandomCrcPassesOverIpv4AboutOnceIn65536() {
        var path = new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT);
        fill(64);
        int passed = 0;
        for (int i = 0; i < 1_000_000; i++) {
            memory.segment.set(java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED, 60, random.nextInt());
            passed += icrc.verify(path, memory.address(), 64) ? 1 : 0;
        }
        assertTrue(passed > 2 && passed < 60, passed + " of a million; about 15 expected");
    }

    @Test
    void dependsOnAddressesPortsAndLength() {
        fill(100);
        int value = icrc.compute(new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT), memory.address(), 100, 0);
        assertNotEquals(value, icrc.compute(new IcrcPath(B, A, 49152, IcrcPath.ROCE_PORT), memory.address(), 100, 0));
        assertNotEquals(value, icrc.compute(new IcrcPath(A, B, 49153, IcrcPath.ROCE_PORT), memory.address(), 100, 0));
        assertNotEquals(value, icrc.compute(new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT), memory.address(), 96, 0));
    }

    @Test
    void lengthsThatNoPacketHasAreRefused() {
        var path = new IcrcPath(A, B, 49152, IcrcPath.ROCE_PORT);
        for (int length : new int[] {-4, 0, 4, 12, 15, 17, 4161, PacketView.MAX_BYTES + 4, 65_536}) {
            assertFalse(icrc.verify(path, memory.address(), length), "length " + length);
        }
    }

    @Test
    void mixedFamiliesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new IcrcPath(A, V6_B, 1, 1));
    }
}
