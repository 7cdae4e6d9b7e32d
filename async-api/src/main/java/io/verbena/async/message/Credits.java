package io.verbena.async.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many frames one end may send, and how many it has let the other one send. Both are counted from the beginning,
 * modulo 2^32, so that a lost or doubled grant is impossible: a later one says all.
 *
 * <p><b>Why nothing stands still.</b> Of the receives at the other end {@link #CONTROL} are kept: messages of the
 * application need more than these left, frames of our own more than one, and a frame that brings only credits takes
 * the last. While the other end knows of too few receives for a message, it is told at once when there are enough,
 * and else when half of {@link #CONTROL} has come back. So when both have used up everything, the last that each has
 * sent brings credits, and there is a receive for it.
 */
public final class Credits {
    /** Receives kept for what is not a message of the application. */
    public static final int CONTROL = 16;

    private static final VarHandle SENT;
    private static final VarHandle GRANTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SENT = lookup.findVarHandle(Credits.class, "sent", int.class);
            GRANTED = lookup.findVarHandle(Credits.class, "granted", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int ownReceives;
    private int peerReceives;
    private volatile int sent;
    private volatile int limit;
    private volatile int granted;
    private volatile int advertised;
    private volatile int arrived;

    /**
     * Makes the account of an end that may send nothing yet.
     *
     * @param ownReceives receives posted here, those kept included
     */
    public Credits(int ownReceives) {
        this.ownReceives = ownReceives;
        granted = ownReceives;
        advertised = ownReceives;
    }

    /**
     * Learns what the other end has.
     *
     * @param receives receives posted there, those kept included
     */
    public void opened(int receives) {
        peerReceives = receives;
        limit = receives;
    }

    /**
     * Takes a credit for a message of the application.
     *
     * @return whether there is one
     */
    public boolean takeMessage() {
        return take(CONTROL);
    }

    /**
     * Takes a credit for a frame of our own.
     *
     * @return whether there is one
     */
    public boolean takeControl() {
        return take(1);
    }

    /**
     * Takes a credit for a frame that brings credits alone.
     *
     * @return whether there is one
     */
    public boolean takeGrant() {
        return take(0);
    }

    private boolean take(int keep) {
        while (true) {
            int before = sent;
            if (limit - before <= keep) {
                return false;
            }
            if (SENT.compareAndSet(this, before, before + 1)) {
                return true;
            }
        }
    }

    /** Gives back a credit whose frame was not sent. */
    public void giveBack() {
        SENT.getAndAdd(this, -1);
    }

    /**
     * The other end has granted.
     *
     * @param total what its frame says
     * @return false when it can't be: more than it has receives for
     */
    public boolean granted(int total) {
        if (total - limit <= 0) {
            return true;
        }
        if (total - sent > peerReceives) {
            return false;
        }
        limit = total;
        return true;
    }

    /**
     * A frame, or a WRITE with immediate data, has come and taken a receive here.
     *
     * @return as {@link #owes}: it may have been the last that the other end could send
     */
    public boolean arrived() {
        arrived++;
        return owes();
    }

    /**
     * Whether the other end has sent more than it was granted, which none does that counts.
     *
     * @return true when what has arrived can't be right
     */
    public boolean isOverrun() {
        return arrived - granted > 0;
    }

    /**
     * A receive was posted again.
     *
     * @return whether to send a frame that says so, if no other goes soon
     */
    public boolean grant() {
        GRANTED.getAndAdd(this, 1);
        return owes();
    }

    /**
     * Whether a frame that brings credits is due.
     *
     * @return true when the other end knows too little of what it may send
     */
    public boolean owes() {
        int untold = granted - advertised;
        if (untold >= ownReceives / 2) {
            return true;
        }
        boolean blocked = advertised - arrived <= CONTROL;
        boolean wouldNotBe = granted - arrived > CONTROL;
        return blocked && untold > 0 && (wouldNotBe || untold >= CONTROL / 2);
    }

    /**
     * What the next frame is to say; it counts as said.
     *
     * @return receives granted since the beginning
     */
    public int advertise() {
        int now = granted;
        advertised = now;
        return now;
    }

    @Override
    public String toString() {
        return "sent " + sent + " of " + limit + ", granted " + granted + ", said " + advertised
                + ", arrived " + arrived;
    }
}
