package io.verbena.nic.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import org.agrona.UnsafeApi;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CRCs of packets from any port of any peer. */
class ChecksumsTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int PORTS = 1 << 16;
    private static final int BYTES = 16;
    private static final byte ACKNOWLEDGE = 0x11;
    private static final int ACKNOWLEDGE_BYTES = 16;

    private final MemorySegment memory = Arena.ofAuto().allocate(PacketView.MAX_BYTES, Long.BYTES);
    private final Icrc icrc = new Icrc(memory);
    private final PacketView view = new PacketView();

    private void seal(Gid from, Gid to, int port) {
        UnsafeApi.setMemory(memory.address(), BYTES, (byte) 0);
        UnsafeApi.putByte(memory.address(), ACKNOWLEDGE);
        IcrcPath path = new IcrcPath(from, to, port, IcrcPath.ROCE_PORT);
        int length = icrc.seal(path, memory.address(), ACKNOWLEDGE_BYTES, 0);
        assertEquals(Verdict.ACCEPTED, view.wrap(memory.address(), length));
    }

    @ParameterizedTest
    @CsvSource({"::ffff:127.0.0.1, ::ffff:127.0.0.2, ::ffff:127.0.0.3", "fd00::1, fd00::2, fd00::3"})
    void aSweepOfPortsIsCheckedRightlyAndAllocatesNothing(String own, String peer, String other) throws Exception {
        Gid to = gid(own);
        Gid[] from = {gid(peer), gid(other)};
        Checksums checksums = new Checksums(to);
        for (int port = 0; port < PORTS; port += 97) {
            for (Gid sender : from) {
                seal(sender, to, port);
                assertTrue(checksums.isRight(view, sender.high(), sender.low(), port), sender + " port " + port);
                assertFalse(checksums.isRight(view, sender.high(), sender.low(), port ^ 1), "a wrong port");
            }
            assertFalse(checksums.isRight(view, from[0].high(), from[0].low(), port), "a wrong sender");
        }
        long thread = Thread.currentThread().threadId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            long before = THREADS.getThreadAllocatedBytes(thread);
            for (int port = 0; port < PORTS; port++) {
                checksums.isRight(view, from[0].high(), from[0].low(), port);
            }
            least = Math.min(least, THREADS.getThreadAllocatedBytes(thread) - before);
        }
        assertTrue(least < PORTS / 16, least + " bytes allocated for " + PORTS + " packets");
    }

    private static Gid gid(String address) throws Exception {
        return Gid.of(InetAddress.getByName(address));
    }
}
