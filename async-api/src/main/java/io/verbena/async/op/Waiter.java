package io.verbena.async.op;

/**
 * Somebody's wait for the end of an operation: a future. What it carries lets waiters stand in line without
 * allocation.
 */
public interface Waiter {
    /**
     * Whether there is nothing to wait for any more.
     *
     * @return true for good once it is
     */
    boolean isDone();

    /**
     * Sets who is to be woken.
     *
     * @param thread the one that parks, or null
     * @return false when another thread is noted already
     */
    boolean parks(Thread thread);

    /** Wakes whoever parks. */
    void wake();

    /**
     * Notes that it stands in line.
     *
     * @return false when it does already
     */
    boolean enter();

    /** Notes that it does not stand in line any more. */
    void exit();

    /**
     * The one behind it in line.
     *
     * @return or null
     */
    Waiter behind();

    /**
     * Sets the one behind it.
     *
     * @param waiter or null
     */
    void behind(Waiter waiter);
}
