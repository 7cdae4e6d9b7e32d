package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.OutgoingMessages;
import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of packets that the system refuses; the system is played by a list of answers. */
class OutboxTest {
    private static final int ALL = Integer.MAX_VALUE;
    private static final int NO_BUFFERS = 105;
    private static final Gid OWN = new Gid(0, 0xFFFF_7F00_0001L);
    private static final Gid PEER = new Gid(0, 0xFFFF_7F00_0002L);

    private final Arena arena = Arena.ofConfined();
    private final LinkCounters counters = new LinkCounters();
    private final Deque<Integer> answers = new ArrayDeque<>();
    private final Outbox outbox = new Outbox(arena, this::answer, counters, true);
    private final UdpPath path = new UdpPath(OWN, PEER, 0, Marks.USUAL);
    private final UdpPath other = new UdpPath(OWN, OWN, 0, Marks.USUAL);
    private int gone;

    private int answer(OutgoingMessages messages, int first, int count) {
        int answer = answers.isEmpty() ? ALL : answers.remove();
        int sent = Math.min(answer, count);
        gone += Math.max(0, sent);
        return sent;
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private long put(UdpPath to, int bytes) {
        long room = outbox.room();
        assertNotEquals(0, room);
        UnsafeApi.setMemory(room, bytes, (byte) 0x5A);
        outbox.add(to, bytes);
        return room;
    }

    private void counted(long packets, long refused, long errors) {
        assertEquals(packets, counters.get(LinkCounter.PACKETS_SENT));
        assertEquals(refused, counters.get(LinkCounter.SENDS_REFUSED));
        assertEquals(errors, counters.get(LinkCounter.SEND_ERRORS));
    }

    @Test
    void whatIsRefusedStaysAndGoesLater() {
        put(path, 100);
        put(other, 100);
        put(path, 100);
        answers.add(1);
        answers.add(-OsException.EAGAIN);
        outbox.flush();
        assertTrue(outbox.isRefused());
        counted(1, 1, 0);
        put(path, 100);
        outbox.flush();
        assertFalse(outbox.isRefused());
        counted(4, 1, 0);
        assertEquals(3, gone);
        assertEquals(4 * 104, counters.get(LinkCounter.BYTES_SENT));
    }

    @Test
    void thereIsNoRoomWhileEverythingIsRefused() {
        for (int i = 0; i < Outbox.PACKETS; i++) {
            put(path, 100);
        }
        answers.add(-OsException.EAGAIN);
        answers.add(-OsException.EAGAIN);
        assertEquals(0, outbox.room());
        assertEquals(0, outbox.room());
        counted(0, 2, 0);
        assertNotEquals(0, outbox.room());
        counted(Outbox.PACKETS, 2, 0);
    }

    @Test
    void whatCantBeSentIsCountedAndTheRestGoes() {
        put(path, 100);
        put(other, 100);
        put(path, 100);
        answers.add(-OsException.ECONNREFUSED);
        answers.add(-OsException.EINTR);
        answers.add(1);
        answers.add(-OsException.EMSGSIZE);
        outbox.flush();
        counted(1, 0, 2);
        assertNotEquals(0, outbox.room());
    }

    @Test
    void aRunThatCantBeCutGoesPacketByPacketFromThenOn() {
        long[] rooms = new long[4];
        for (int i = 0; i < rooms.length; i++) {
            rooms[i] = put(path, 100);
        }
        outbox.damageLast(40 * 8);
        put(other, 100);
        answers.add(-OsException.EIO);
        outbox.flush();
        counted(5, 0, 0);
        assertEquals(5, gone);
        Icrc icrc = new Icrc(MemorySegment.ofAddress(rooms[0]).reinterpret(rooms[3] + 200 - rooms[0]));
        IcrcPath checked = new IcrcPath(OWN, PEER, IcrcPath.ROCE_PORT, IcrcPath.ROCE_PORT);
        for (int i = 0; i < rooms.length; i++) {
            boolean right = icrc.compute(checked, rooms[i], 100, 0)
                    == UnsafeApi.getIntUnaligned(null, rooms[i] + 100, false);
            assertEquals(i < 3, right, "the CRC of packet " + i + " with identification 0");
        }
        gone = 0;
        put(path, 100);
        put(path, 100);
        put(other, 100);
        put(other, 100);
        outbox.flush();
        assertEquals(3, gone, "two messages of one packet each and a run");
    }

    @Test
    void aRunIsLostWhereItsPacketsWouldBe() {
        put(path, 100);
        put(path, 100);
        answers.add(-NO_BUFFERS);
        outbox.flush();
        counted(0, 0, 2);
        put(path, 100);
        put(path, 100);
        for (int i = 0; i < 3; i++) {
            answers.add(-OsException.EMSGSIZE);
        }
        outbox.flush();
        counted(0, 0, 4);
        put(path, 100);
        put(path, 100);
        outbox.flush();
        assertEquals(1, gone, "one run as before");
        counted(2, 0, 4);
    }

    @Test
    void runsStayBelowWhatUdpCarries() {
        for (int i = 0; i < Outbox.PACKETS; i++) {
            put(path, Packets.MAX_BYTES);
        }
        outbox.flush();
        assertEquals(5, gone, "runs of 15 packets of 4132 bytes");
        counted(Outbox.PACKETS, 0, 0);
    }
}
