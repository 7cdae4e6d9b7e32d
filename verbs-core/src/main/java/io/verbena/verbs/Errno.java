package io.verbena.verbs;

/**
 * The causes that control calls and refused posts name, with the names and Linux numbers of errno(3), so that a
 * provider over libibverbs and one in software report alike.
 */
public enum Errno {
    /** Operation not permitted. */
    EPERM(1),
    /** No such object. */
    ENOENT(2),
    /** The wait was interrupted. */
    EINTR(4),
    /** The device failed. */
    EIO(5),
    /** Nothing available now. */
    EAGAIN(11),
    /** A queue or table is full, or memory is exhausted. */
    ENOMEM(12),
    /** Permission denied. */
    EACCES(13),
    /** Address outside accessible memory. */
    EFAULT(14),
    /** The object is in use by another one. */
    EBUSY(16),
    /** The object exists with other settings. */
    EEXIST(17),
    /** No such device. */
    ENODEV(19),
    /** An argument is not allowed. */
    EINVAL(22),
    /** The table entry is empty. */
    ENODATA(61),
    /** The device does not support the operation. */
    EOPNOTSUPP(95),
    /** The address is taken. */
    EADDRINUSE(98),
    /** The address is not one of this host. */
    EADDRNOTAVAIL(99),
    /** The time allowed ran out. */
    ETIMEDOUT(110);

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    /**
     * The Linux number of this cause.
     *
     * @return a positive errno value
     */
    public int number() {
        return number;
    }
}
