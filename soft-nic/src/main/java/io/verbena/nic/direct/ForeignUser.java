package io.verbena.nic.direct;

/** A requester in another process that uses receives and memory of this one. It is not waited for without end. */
public interface ForeignUser {
    /** The word of its guard now: odd while a data call is in flight. Call Fences.heavy before. */
    long sample();

    /** Whether the data call in flight at a sample has ended, or never will since its process has. */
    boolean hasEnded(long sample);

    /** The packet sequence number that its next message starts with. */
    int psn();

    /** Whether it says that it may send. */
    boolean isReady();

    /** It was waited for in vain: the connection fails, and it is not waited for again. */
    void giveUp();

    /** The connection is over, and nothing of it is used here any more. */
    void release();
}
