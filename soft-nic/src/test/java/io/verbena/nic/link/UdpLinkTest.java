package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Two links over UDP sockets, with what the system does between them. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the sockets are Linux's")
class UdpLinkTest {
    private UdpLink a;
    private UdpLink b;
    private PacketPath toB;
    private final Packets received = new Packets();

    @BeforeEach
    void open() {
        a = UdpLink.open(LoopbackAddresses.next());
        b = UdpLink.open(LoopbackAddresses.next());
        toB = a.pathTo(b.gid());
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    @Test
    void everyLengthArrives() {
        for (int bytes = Packets.MIN_BYTES; bytes <= Packets.MAX_BYTES; bytes += 4) {
            Packets.send(a, toB, bytes, bytes);
            a.flush();
            received.await(b, 1);
            received.expect(b, a.gid(), bytes, bytes);
        }
    }

    @Test
    void batchesArriveInOrder() {
        int number = 0;
        for (int count : new int[] {1, 2, Outbox.PACKETS - 1, Outbox.PACKETS, Outbox.PACKETS + 1, 300}) {
            for (int bytes : new int[] {12, 268, 1040, Packets.MAX_BYTES}) {
                int first = number;
                for (int i = 0; i < count; i++) {
                    Packets.send(a, toB, bytes, number++);
                }
                a.flush();
                received.await(b, count);
                for (int i = 0; i < count; i++) {
                    received.expect(b, a.gid(), bytes, first + i);
                }
            }
        }
        assertEquals(0, a.counters().get(LinkCounter.SEND_ERRORS));
    }

    @Test
    void aLinkSendsToItself() {
        PacketPath toA = a.pathTo(a.gid());
        Packets.send(a, toA, 100, 7);
        a.flush();
        received.await(a, 1);
        received.expect(a, a.gid(), 100, 7);
    }

    @Test
    void runsOfOneLengthAreCutWhereTheyWereJoined() {
        int[] lengths = {1040, 1040, 1040, 20, 20, 24, 16, 1040, 1040, 1044, Packets.MAX_BYTES, 12, 12};
        for (int i = 0; i < lengths.length; i++) {
            Packets.send(a, toB, lengths[i], i);
        }
        a.flush();
        received.await(b, lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            received.expect(b, a.gid(), lengths[i], i);
        }
        assertEquals(lengths.length, a.counters().get(LinkCounter.PACKETS_SENT));
        assertEquals(lengths.length, b.counters().get(LinkCounter.PACKETS_RECEIVED));
        assertEquals(1, a.counters().get(LinkCounter.SEND_CALLS));
    }

    @Test
    void whatComesIsNotMoreThanAboutTheLimit() {
        for (int i = 0; i < 40; i++) {
            Packets.send(a, toB, i % 2 == 0 ? 100 : 200, i);
        }
        a.flush();
        assertEquals(1, b.receive(received, 1));
        assertTrue(b.receive(received, 10) >= 10);
        received.await(b, 40);
        assertEquals(40, received.list.size());
    }

    @Test
    void thePathMtuIsThatOfTheInterface() {
        assertEquals(PacketView.MAX_PAYLOAD, a.mtuBytes());
        assertEquals(4096, Interfaces.mtuBytes(9000, "x"));
        assertEquals(4096, Interfaces.mtuBytes(4176, "x"));
        assertEquals(2048, Interfaces.mtuBytes(4175, "x"));
        assertEquals(1024, Interfaces.mtuBytes(1500, "x"));
        assertEquals(256, Interfaces.mtuBytes(336, "x"));
    }

    @Test
    void packetsOfSeveralPeersMix() {
        try (UdpLink c = UdpLink.open(LoopbackAddresses.next())) {
            PacketPath toC = a.pathTo(c.gid());
            Gid from = a.gid();
            Packets others = new Packets();
            for (int i = 0; i < 30; i++) {
                Packets.send(a, i % 3 == 0 ? toC : toB, 100, i);
            }
            a.flush();
            others.await(c, 10);
            received.await(b, 20);
            for (int i = 0; i < 30; i++) {
                if (i % 3 == 0) {
                    others.expect(c, from, 100, i);
                } else {
                    received.expect(b, from, 100, i);
                }
            }
        }
    }
}
