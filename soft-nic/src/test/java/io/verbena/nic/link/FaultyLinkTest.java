package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Gid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Faults by seed: their shares, that they repeat, and that nothing else happens to packets. */
class FaultyLinkTest {
    private static final int PACKETS = 20_000;
    private static final Gid GID = new Gid(0, 0xFFFF_7F00_0001L);

    private long now;

    /** A link that takes note of the numbers of packets, negative when damaged. */
    private static final class Notes implements SealedPackets {
        final List<Integer> sent = new ArrayList<>();
        private final LinkCounters counters = new LinkCounters();
        private final Packets.Memory memory = new Packets.Memory();
        private boolean full;
        private long awaited;
        private int wakes;

        @Override
        public void damageLast(int bit) {
            assertTrue(bit >= 0);
            sent.set(sent.size() - 1, -sent.getLast());
        }

        @Override
        public LinkCounters counters() {
            return counters;
        }

        @Override
        public int receiveBufferBytes() {
            return 1;
        }

        @Override
        public Gid gid() {
            return GID;
        }

        @Override
        public int mtuBytes() {
            return 1024;
        }

        @Override
        public PacketPath pathTo(Gid peer, Marks marks) {
            return () -> peer;
        }

        @Override
        public long room() {
            return full ? 0 : memory.address();
        }

        @Override
        public void send(PacketPath path, int bytes) {
            sent.add(Packets.number(memory.address()));
            UnsafeApi.setMemory(memory.address(), bytes, (byte) -1);
        }

        @Override
        public void flush() {}

        @Override
        public boolean isRefused() {
            return full;
        }

        @Override
        public void watchMarks() {}

        @Override
        public int marks() {
            return -1;
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public int receive(PacketReceiver receiver, int limit) {
            return 0;
        }

        @Override
        public void await(long nanos) {
            assertTrue(nanos > 0);
            awaited = nanos;
        }

        @Override
        public void wake() {
            wakes++;
        }

        @Override
        public void close() {}
    }

    private List<Integer> run(Faults faults, long nanosForEach) {
        Notes notes = new Notes();
        FaultyLink link = new FaultyLink(notes, faults, () -> now);
        PacketPath path = link.pathTo(GID);
        for (int i = 1; i <= PACKETS; i++) {
            Packets.send(link, path, 100, i);
            now += nanosForEach;
        }
        now += 10_000_000;
        link.flush();
        for (Fault fault : Fault.values()) {
            double wanted = switch (fault) {
                case LOSS -> faults.loss();
                case DUP -> faults.dup() * (1 - faults.loss());
                case REORDER -> faults.reorder() * (1 - faults.loss());
                case DAMAGE -> faults.damage() * (1 - faults.loss());
                case DELAY -> faults.delay() * (1 - faults.loss());
            };
            assertEquals(wanted, (double) link.count(fault) / PACKETS, 0.15 * wanted, fault + " of " + faults);
        }
        assertEquals(PACKETS - link.count(Fault.LOSS) + link.count(Fault.DUP), notes.sent.size());
        assertEquals(link.count(Fault.DAMAGE), notes.sent.stream().filter(number -> number < 0).count());
        return notes.sent;
    }

    @Test
    void eachFaultHappensAsOftenAsAsked() {
        run(new Faults(0.05, 0, 0, 0, 0, 1), 100);
        run(new Faults(0, 0.05, 0, 0, 0, 2), 100);
        List<Integer> reordered = run(new Faults(0, 0, 0.05, 0, 0, 3), 100);
        assertEquals(PACKETS, new HashSet<>(reordered).size());
        long early = 0;
        for (int i = 1; i < reordered.size(); i++) {
            assertTrue(Math.abs(reordered.get(i) - i) <= 50, "packet " + reordered.get(i) + " at place " + i);
            early += reordered.get(i) < reordered.get(i - 1) ? 1 : 0;
        }
        assertTrue(early > PACKETS * 0.03, early + " steps back");
        run(new Faults(0, 0, 0, 0.05, 0, 4), 100);
        assertNotEquals(reordered, run(new Faults(0, 0, 0, 0, 0.05, 5), 10_000));
        run(new Faults(0.05, 0.05, 0.02, 0.05, 0.02, 6), 10_000);
    }

    @Test
    void theSameSeedGivesTheSameFaults() {
        Faults faults = new Faults(0.05, 0.05, 0.05, 0.05, 0.05, 77);
        List<Integer> first = run(faults, 10_000);
        now = 0;
        assertEquals(first, run(faults, 10_000));
        now = 0;
        assertNotEquals(first, run(new Faults(0.05, 0.05, 0.05, 0.05, 0.05, 78), 10_000));
    }

    @Test
    void certaintiesHappenToAll() {
        Notes notes = new Notes();
        FaultyLink link = new FaultyLink(notes, new Faults(1, 1, 1, 1, 1, 0), () -> now);
        Packets.send(link, link.pathTo(GID), 12, 1);
        assertEquals(List.of(), notes.sent);
        link = new FaultyLink(notes, new Faults(0, 1, 0, 1, 0, 0), () -> now);
        Packets.send(link, link.pathTo(GID), 12, 1);
        assertEquals(List.of(-1, 1), notes.sent);
    }

    @Test
    void nobodyWaitsLongerThanForWhatIsHeld() {
        Notes notes = new Notes();
        FaultyLink link = new FaultyLink(notes, new Faults(0, 0, 1, 0, 0, 0), () -> now);
        link.await(10_000_000_000L);
        assertEquals(10_000_000_000L, notes.awaited);
        Packets.send(link, link.pathTo(GID), 12, 5);
        assertEquals(1, notes.wakes, "who waits learns of it");
        link.await(10_000_000_000L);
        assertEquals(1_000_000, notes.awaited);
        link.await(1000);
        assertEquals(1000, notes.awaited);
        now += 1_000_000;
        link.flush();
        assertEquals(List.of(5), notes.sent);
        link.await(10_000_000_000L);
        assertEquals(10_000_000_000L, notes.awaited);
    }

    @Test
    void whatIsHeldWaitsForRoom() {
        Notes notes = new Notes();
        FaultyLink link = new FaultyLink(notes, new Faults(0, 0, 0, 0, 1, 0), () -> now);
        Packets.send(link, link.pathTo(GID), 12, 5);
        notes.full = true;
        now += 10_000_000;
        link.await(1_000_000_000);
        assertEquals(1_000_000_000, notes.awaited, "held packets can not go, so there is nothing to wake up for");
        assertEquals(0, link.room());
        link.flush();
        assertEquals(List.of(), notes.sent);
        notes.full = false;
        link.receive((address, bytes, high, low, port) -> {}, 1);
        assertEquals(List.of(5), notes.sent);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "needs several loopback addresses")
    void receiversTellWhatWasDamaged() {
        for (SocketKind kind : SocketKind.values()) {
            Faults faults = new Faults(0, 0.1, 0.1, 0.2, 0.1, 9);
            try (CountedLink from = PacketLinks.open(LoopbackAddresses.next(), kind, faults);
                    CountedLink to = PacketLinks.open(LoopbackAddresses.next(), kind, Faults.NONE)) {
                FaultyLink faulty = (FaultyLink) from;
                PacketPath path = from.pathTo(to.gid());
                Packets received = new Packets();
                int count = 2_000;
                for (int i = 0; i < count; i++) {
                    Packets.send(from, path, 12 + 4 * (i % 100), i);
                    if (i % 50 == 0) {
                        from.flush();
                        to.receive(received, 1000);
                    }
                }
                from.flush();
                // What is still held goes with the next calls.
                long all = count + faulty.count(Fault.DUP);
                while (from.counters().get(LinkCounter.PACKETS_SENT) < all) {
                    from.await(10_000_000);
                    from.receive(received, 1);
                }
                received.await(to, (int) all);
                long damaged = received.list.stream().filter(packet -> !packet.isWhole(to.gid())).count();
                assertEquals(faulty.count(Fault.DAMAGE), damaged);
                assertTrue(damaged > count / 10, damaged + " damaged");
            }
        }
    }
}
