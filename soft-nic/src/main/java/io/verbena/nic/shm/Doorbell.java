package io.verbena.nic.shm;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.os.Sleeper;
import io.verbena.nic.ring.ArmedWord;
import io.verbena.nic.ring.ForeignLane;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where a producer of completions in another process's queue rings. It does no more than it must: nothing while the
 * owner polls; a bit that polls find while the lane is not among those that they look at; the same when an event is
 * wanted, and a system call only when a thread sleeps until it comes. Nothing here allocates or waits, but for a
 * message to the owner's thread when that one has to wake somebody.
 *
 * <p>No wake-up is lost: the producer publishes, then looks whether an event is wanted; sets its bit, then looks
 * whether somebody sleeps; changes the word, then wakes. The other side says that it wants an event, then looks for
 * completions and bits; reads the word, says that it sleeps, looks for bits, then sleeps unless the word has changed.
 */
final class Doorbell implements ForeignLane.Bell {
    private static final AtomicLong WAKES = new AtomicLong();

    private final Attachment attachment;
    private final long groupsAt;
    private final long groupBit;
    private final long plainAt;
    private final long solicitedAt;
    private final long slotBit;
    private final long earAt;
    private final long armedAt;
    private final long sleepersAt;

    Doorbell(Attachment attachment, Attention attention) {
        this.attachment = attachment;
        long bell = attachment.bell().address();
        long word = (long) (attention.slot() / Long.SIZE) * Long.BYTES;
        groupsAt = bell + Bell.GROUPS_AT;
        groupBit = 1L << (attention.slot() >>> Bell.GROUP_SHIFT);
        plainAt = bell + Bell.PLAIN_AT + word;
        solicitedAt = bell + Bell.SOLICITED_AT + word;
        slotBit = 1L << attention.slot();
        earAt = bell + (long) attention.ear() * Long.BYTES;
        long board = attachment.board().address();
        armedAt = attention.armedAt() == 0 ? 0 : board + attention.armedAt();
        sleepersAt = board + attention.sleepersAt();
    }

    @Override
    public void ring(boolean polled, boolean solicited) {
        long at = solicited ? solicitedAt : plainAt;
        boolean isNew = !polled && set(at);
        if (armedAt == 0) {
            return;
        }
        int armed = ArmedWord.kindOf(OffHeap.getLongAcquire(armedAt));
        if (armed == ArmedWord.NOT_ARMED || armed == ArmedWord.ARMED_SOLICITED && !solicited) {
            return;
        }
        // A bit that was there before was set by somebody who saw it armed as well, or is found by who arms.
        if (isNew || polled && set(at)) {
            wake();
        }
    }

    /** Sets a bit; false when it was there, and will be found after now. */
    private boolean set(long at) {
        if ((OffHeap.getLongAcquire(at) & slotBit) != 0) {
            return false;
        }
        OffHeap.getAndBitwiseOrLong(at, slotBit);
        if ((OffHeap.getLongAcquire(groupsAt) & groupBit) == 0) {
            OffHeap.getAndBitwiseOrLong(groupsAt, groupBit);
        }
        return true;
    }

    private void wake() {
        long sleepers = OffHeap.getLongAcquire(sleepersAt);
        if (sleepers == 0) {
            return;
        }
        WAKES.incrementAndGet();
        if ((int) sleepers != 0) {
            OffHeap.getAndAddLong(earAt, 1);
            Sleeper.wakeAll(earAt);
        }
        if (sleepers >= Attention.PARKS) {
            attachment.ring();
        }
    }

    /** How often this process woke somebody in another. */
    static long wakes() {
        return WAKES.get();
    }
}
