package io.verbena.nic.direct;

/**
 * A requester in another process that uses receives and memory of this one. Whoever waits for it longer than it may
 * take says so, by {@link #giveUp}, and goes on waiting: it is made harmless then, which ends the wait.
 */
public interface ForeignUser {
    /** The word of its guard now: odd while a data call is in flight. Call Fences.heavy before. */
    long sample();

    /** Whether the data call in flight at a sample has ended, or can no longer reach anything here. */
    boolean hasEnded(long sample);

    /** The packet sequence number that its next message starts with. */
    int psn();

    /** Whether it says that it may send. */
    boolean isReady();

    /** How long it may take, in nanoseconds. */
    long patienceNs();

    /** It was waited for in vain: its process is cut off, some time soon, by a thread of its own; waits for nobody. */
    void giveUp();

    /** The connection is over, and nothing of it is used here any more. */
    void release();
}
