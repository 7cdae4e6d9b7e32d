package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.QueuePairState;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Someone who can send to the port but sees nothing: guesses of sequence numbers and keys (security of the wire). */
class HostileWireTest {
    private static final int EXPECTED = 0x400000;
    private static final int LENGTH = 64;

    private final Node node = new Node("n", 0x22);
    private final PacketWriter forged = new PacketWriter();
    private final PacketWriter answer = new PacketWriter();

    @AfterEach
    void close() {
        node.close();
    }

    private RcConnection connect() {
        return new RcConnection(new ConnectionConfig(0x22, 0x11, 256, EXPECTED,
                new ConnectionConfig.Responding(Node.ALL, 4, 12, 0, 1, false)), node.host());
    }

    private Verdict write(RcConnection connection, int psn, long address, int rkey) {
        forged.wrap(node.packetMemory.address(), PacketView.MAX_BYTES);
        forged.begin(PacketType.RC_WRITE_ONLY, 0x22, psn);
        forged.reth(address, rkey, LENGTH);
        forged.finish(LENGTH);
        assertEquals(Verdict.ACCEPTED, node.view.wrap(forged.address(), forged.length() + PacketView.ICRC_BYTES));
        return connection.onPacket(node.view, 0);
    }

    private int drain(RcConnection connection) {
        answer.wrap(node.packetMemory.address() + PacketView.MAX_BYTES, PacketView.MAX_BYTES);
        int packets = 0;
        while (connection.nextPacket(answer, 0)) {
            packets++;
        }
        return packets;
    }

    @Test
    void ofAllSequenceNumbersOneIsTaken() {
        RcConnection connection = connect();
        int taken = 0;
        int answers = 0;
        // Downwards, so that no guess profits from the one before.
        for (int psn = Psn.MASK; psn >= 0; psn--) {
            taken += write(connection, psn, Node.IOVA, node.rkey) == Verdict.ACCEPTED ? 1 : 0;
            answers += drain(connection);
        }
        assertEquals(1, taken);
        assertEquals(EXPECTED + 1, connection.receivePsn());
        assertTrue(answers <= 1 << 24, "never more answers than packets");
        assertEquals(QueuePairState.RTR, connection.state());
    }

    @Test
    void randomKeysOpenNothing() {
        guess(200_000);
    }

    @Test
    @Tag("ci")
    void tenMillionRandomKeysOpenNothing() {
        guess(10_000_000);
    }

    private void guess(int guesses) {
        var random = new SplittableRandom(9);
        node.fill(0, 1 << 16, 3);
        byte[] before = node.read(0, 1 << 16);
        for (int i = 0; i < guesses; i++) {
            int key = random.nextInt();
            if (key == node.rkey || key == node.lkey) {
                continue;
            }
            RcConnection connection = connect();
            write(connection, EXPECTED, Node.IOVA, key);
            assertEquals(QueuePairState.ERR, connection.state());
            assertEquals(1, drain(connection));
        }
        assertArrayEquals(before, node.read(0, 1 << 16));
    }
}
