package io.verbena.nic.link;

import io.verbena.nic.memory.OffHeap;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A link that loses, doubles, reorders, damages and delays packets that go out, by a seed. What is damaged was sealed
 * before. How packets fare depends on the seed and on how many went before them alone; when held ones go depends on
 * time too.
 */
public final class FaultyLink extends LinkDecorator<SealedPackets> {
    private static final int MAX_GAP_PACKETS = 8;
    private static final long MAX_REORDER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int UNDAMAGED = -1;

    private final Faults faults;
    private final SplittableRandom random;
    private final LongSupplier clock;
    private final long[] counts = new long[Fault.values().length];
    private final HeldPackets held = new HeldPackets();
    private final HeldPackets.Release release = this::pass;
    private final ByteBuffer copyMemory = ByteBuffer.allocateDirect(Packet.ROOM_BYTES);
    private final long copy = MemorySegment.ofBuffer(copyMemory).address();
    private long packets;
    private long room;
    /** When the first held packet is due, on the clock; only while one is held. */
    private volatile long due;
    private volatile boolean holding;

    FaultyLink(SealedPackets link, Faults faults, LongSupplier clock) {
        super(link);
        this.faults = faults;
        this.clock = clock;
        random = new SplittableRandom(faults.seed());
    }

    /**
     * How often this has made a fault; for the thread that drives the link.
     *
     * @param fault which
     * @return 0 or more
     */
    public long count(Fault fault) {
        return counts[fault.ordinal()];
    }

    @Override
    public long room() {
        release();
        room = link.room();
        return room;
    }

    @Override
    public void send(PacketPath path, int bytes) {
        packets++;
        // Always as many numbers for a packet, whatever becomes of it.
        boolean lost = happens(faults.loss());
        boolean twice = happens(faults.dup());
        boolean later = happens(faults.reorder());
        boolean damaged = happens(faults.damage());
        boolean delayed = happens(faults.delay());
        int number = random.nextInt() >>> 1;
        if (lost) {
            count(Fault.LOSS, true);
            return;
        }
        count(Fault.DAMAGE, damaged);
        int bit = damaged ? number : UNDAMAGED;
        boolean again = twice && !held.isFull();
        if (again) {
            OffHeap.copy(room, copy, bytes);
        }
        if ((later || delayed) && !held.isFull()) {
            hold(path, bytes, bit, later && !delayed, number);
        } else {
            link.send(path, bytes);
            damage(bit);
        }
        if (again) {
            count(Fault.DUP, pass(path, copy, bytes, UNDAMAGED));
        }
    }

    private boolean happens(double share) {
        return random.nextDouble() < share;
    }

    private void count(Fault fault, boolean happened) {
        counts[fault.ordinal()] += happened ? 1 : 0;
    }

    private void hold(PacketPath path, int bytes, int bit, boolean reorder, int number) {
        count(reorder ? Fault.REORDER : Fault.DELAY, true);
        long now = clock.getAsLong();
        held.add(path, room, bytes, bit);
        if (reorder) {
            held.until(packets + 1 + number % MAX_GAP_PACKETS, now + MAX_REORDER_NANOS);
        } else {
            held.until(Long.MAX_VALUE, now + number % MAX_DELAY_NANOS);
        }
        note(now);
        link.wake(); // Who waits must not wait longer than for this.
    }

    private void note(long now) {
        due = now + held.left(now, MAX_DELAY_NANOS);
        holding = !held.isEmpty();
    }

    private void release() {
        if (!held.isEmpty()) {
            long now = clock.getAsLong();
            held.release(packets, now, release);
            note(now);
        }
    }

    private boolean pass(PacketPath path, long address, int bytes, int bit) {
        long to = link.room();
        if (to == 0) {
            return false;
        }
        OffHeap.copy(address, to, bytes);
        link.send(path, bytes);
        damage(bit);
        return true;
    }

    private void damage(int bit) {
        if (bit != UNDAMAGED) {
            link.damageLast(bit);
        }
    }

    @Override
    public void flush() {
        release();
        link.flush();
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        if (!held.isEmpty()) {
            flush();
        }
        return link.receive(receiver, limit);
    }

    @Override
    public void await(long nanos) {
        // What is due can't go while the system takes nothing: then the link waits for that.
        long longest = holding && !link.isRefused() ? Math.min(nanos, due - clock.getAsLong()) : nanos;
        if (longest > 0) {
            link.await(longest);
        }
    }
}
