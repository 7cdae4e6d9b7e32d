package io.verbena.nic.shm;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.Sleeper;
import io.verbena.nic.ring.CompletionCore;
import java.util.Arrays;

/** The bells of all users of one NIC. Who polls looks at them, and so does who is about to sleep, by any thread. */
public final class Bells implements CompletionCore.Elsewhere {
    /** So many are looked at in one poll, so that it costs the same however many users there are. */
    private static final int IN_ONE_POLL = 8;

    private final Runnable changed;
    private volatile Bell[] all = {};
    private int next;

    /**
     * Makes an empty set.
     *
     * @param changed wakes those who sleep, so that they watch other words
     */
    public Bells(Runnable changed) {
        this.changed = changed;
    }

    /** Makes a bell for a user that has come; by the thread that serves users, as all changes. */
    Bell open() throws OsException {
        Bell bell = new Bell();
        Bell[] more = Arrays.copyOf(all, all.length + 1);
        more[more.length - 1] = bell;
        all = more;
        changed.run();
        return bell;
    }

    /** A user has gone; its bell is closed. */
    void close(Bell bell) {
        bell.look();
        all = Arrays.stream(all).filter(other -> other != bell).toArray(Bell[]::new);
        bell.close();
    }

    @Override
    public void look() {
        Bell[] bells = all;
        if (bells.length <= IN_ONE_POLL) {
            for (Bell bell : bells) {
                bell.look();
            }
            return;
        }
        int first = next; // in turn; two threads that look at the same ones do no harm
        for (int i = 0; i < IN_ONE_POLL; i++) {
            bells[Math.floorMod(first + i, bells.length)].look();
        }
        next = first + IN_ONE_POLL;
    }

    /** Looks at all of them. */
    public void lookAtAll() {
        for (Bell bell : all) {
            bell.look();
        }
    }

    /**
     * Whether one sleep can watch all of them.
     *
     * @return false when there are too many users
     */
    public boolean canBeWatched() {
        return all.length <= Sleeper.MAX_WORDS;
    }

    /**
     * Watches the words of an ear.
     *
     * @param sleeper who is about to look, then to sleep
     * @param ear which words
     * @return false when it can't watch all of them
     */
    public boolean watch(Sleeper sleeper, int ear) {
        for (Bell bell : all) {
            if (!sleeper.watch(bell.earAt(ear), bell.heard(ear))) {
                return false;
            }
        }
        return true;
    }

    /**
     * What is added to the word of sleepers while a thread sleeps.
     *
     * @param watches whether it watches the bells, else the owner's thread wakes it
     */
    public static long shownFor(boolean watches) {
        return watches ? Attention.WATCHES : Attention.PARKS;
    }

    /**
     * How often producers in this process have woken somebody in another one.
     *
     * @return since it was started
     */
    public static long wakes() {
        return Doorbell.wakes();
    }

    /** How many words an ear is chosen from. */
    public static int ears() {
        return Bell.EARS;
    }
}
