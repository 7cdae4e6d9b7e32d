package io.verbena.rc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.ConnectionConfig.Requesting;
import io.verbena.rc.ConnectionConfig.Responding;
import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections whose rules change while they work. */
class UpdateTest {
    private static final int FEW = 3;
    private static final int MANY = 8;

    private final Pair pair = new Pair();
    private final Node a = pair.a;
    private final Node b = pair.b;

    @AfterEach
    void close() {
        pair.close();
    }

    private static Responding serving(int reads) {
        return new Responding(Node.ALL, reads, 12, 0, 1, false);
    }

    private void connect(int served) {
        pair.requesting = new Requesting(0, 1_000_000, 3, 3, MANY, 64, false);
        pair.responding = serving(served);
        pair.connect();
    }

    /** Hands the requests of A to B, which does not answer yet. */
    private void deliverRequests() {
        a.connection.onWork(pair.now);
        while (a.connection.nextPacket(a.writer.wrap(a.packetMemory.address(), PacketView.MAX_BYTES), pair.now)) {
            byte[] bytes = a.packetMemory.asSlice(0, a.writer.length() + 4L).toArray(ValueLayout.JAVA_BYTE);
            pair.deliver(new Packet(0, b, bytes));
        }
    }

    @Test
    void answersUnderWayGoOnWhenMoreReadsAreServed() {
        connect(FEW);
        b.fill(0, 2000, 1);
        a.fetchAdd(b, 8000, 1, 9000);
        a.fetchAdd(b, 8000, 1, 9000);
        pair.settle();
        a.read(b, 0, 3000, 1000);
        a.fetchAdd(b, 8000, 1, 9000);
        a.read(b, 1000, 4000, 1000);
        deliverRequests();
        // One answer is half said, two wait, and what they are of stands across the end of the ring.
        assertTrue(b.connection.nextPacket(b.writer.wrap(b.packetMemory.address(), PacketView.MAX_BYTES), pair.now));
        pair.deliver(new Packet(0, a, b.packetMemory.asSlice(0, b.writer.length() + 4L)
                .toArray(ValueLayout.JAVA_BYTE)));
        b.connection.update(serving(MANY));
        pair.settle();
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses().stream().distinct().toList());
        assertEquals(5, a.sent.size());
        assertArrayEquals(b.read(0, 2000), a.read(3000, 2000));
        assertEquals(2, a.readLong(9000));
    }

    @Test
    void whatWasExecutedBeforeIsNeverExecutedAgain() {
        connect(FEW);
        b.writeLong(8000, 0);
        var heard = new HashSet<Integer>();
        pair.lost = p -> p.type() == PacketType.RC_ATOMIC_ACKNOWLEDGE && heard.add(p.psn());
        for (int i = 0; i < FEW; i++) {
            a.fetchAdd(b, 8000, 1, 9000);
        }
        pair.settle();
        b.connection.update(serving(MANY));
        for (int i = FEW; i < MANY; i++) {
            a.fetchAdd(b, 8000, 1, 9000);
        }
        pair.run();
        assertEquals(MANY, b.readLong(8000));
        assertEquals(MANY, a.sent.size());
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses().stream().distinct().toList());
        assertEquals(MANY - 1, a.readLong(9000));
    }

    @Test
    void afterFewerWhatWasAllowedBeforeIsStillAnswered() {
        connect(MANY);
        b.writeLong(8000, 0);
        var heard = new HashSet<Integer>();
        pair.lost = p -> p.type() == PacketType.RC_ATOMIC_ACKNOWLEDGE && heard.add(p.psn());
        for (int i = 0; i < MANY; i++) {
            a.fetchAdd(b, 8000, 1, 9000);
        }
        pair.settle();
        b.connection.update(serving(1));
        pair.run();
        assertEquals(MANY, b.readLong(8000));
        assertEquals(List.of(WcStatus.SUCCESS), a.sentStatuses().stream().distinct().toList());
    }

    @Test
    void whenNoReadsAreServedAnyMoreTheNextIsRefused() {
        connect(FEW);
        a.read(b, 0, 3000, 10);
        pair.settle();
        b.connection.update(serving(0));
        a.read(b, 0, 3000, 10);
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.REM_INV_REQ_ERR), a.sentStatuses());
    }
}
