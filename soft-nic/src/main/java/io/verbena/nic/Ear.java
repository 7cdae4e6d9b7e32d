package io.verbena.nic;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.os.Sleeper;
import io.verbena.nic.ring.ArmedWord;
import io.verbena.nic.shm.Bells;

/**
 * How those who wait at one completion channel hear producers in other processes. A platform thread sleeps in the
 * system and is woken by the producer itself. A virtual thread would keep its carrier there, so it parks, and the
 * producer asks the NIC's own thread to wake it, which takes one hand-over more; so does a platform thread where the
 * system has no futex_waitv(2), or when more processes are connected than one call can watch.
 */
final class Ear {
    /** Has all threads park, as where the system has no better way; read when a channel is made. */
    static final String PARK_PROPERTY = "verbena.park";

    private final Bells bells;
    private final int number;
    private final BoardWords armedWords;
    private final BoardWords sleeperWords;
    private final long sleepersAt;
    private final boolean sleeps = Sleeper.isSupported() && !Boolean.getBoolean(PARK_PROPERTY);

    /** Makes an ear; under the control lock. */
    Ear(Hearing hearing) {
        bells = hearing.bells();
        number = hearing.nextEar();
        armedWords = hearing.armedWords();
        sleeperWords = hearing.sleeperWords();
        sleepersAt = sleeperWords.take();
    }

    /** For a completion queue whose events are waited for here; under the control lock. */
    ArmedWord newArmedWord() {
        return new ArmedWord(new ArmedWord.Place(armedWords.take(), sleepersAt, number));
    }

    /** That of a completion queue that is closed; under the control lock. */
    void give(ArmedWord word) {
        armedWords.give(word.place().armedAt());
    }

    /** Takes notice of what other processes have rung for. */
    void look() {
        bells.lookAtAll();
    }

    /** What the calling thread can sleep on; null when it must park. */
    Sleeper sleeper() {
        if (!sleeps || Thread.currentThread().isVirtual() || !bells.canBeWatched()) {
            return null;
        }
        Sleeper own = Sleeper.own();
        own.begin();
        return own;
    }

    /**
     * Shows producers that somebody is about to sleep or park; the thread must then {@link #look} once more.
     *
     * @param sleeper what {@link #sleeper} gave
     * @return false when it must not sleep now, since it would not be woken
     */
    boolean listen(Sleeper sleeper) {
        // The words before the look: whoever changes one later keeps the thread awake.
        boolean all = sleeper == null || bells.watch(sleeper, number);
        OffHeap.getAndAddLong(sleepersAt, Bells.shownFor(sleeper != null));
        return all;
    }

    /** Ends what {@link #listen} began. */
    void ignore(Sleeper sleeper) {
        OffHeap.getAndAddLong(sleepersAt, -Bells.shownFor(sleeper != null));
    }

    /** When its channel is closed; under the control lock. */
    void close() {
        sleeperWords.give(sleepersAt);
    }
}
