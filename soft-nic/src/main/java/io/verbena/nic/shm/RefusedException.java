package io.verbena.nic.shm;

import java.io.IOException;

/** The other end said no, or this end found out that it must. */
final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final int errno;

    RefusedException(int errno, String reason) {
        super(reason);
        this.errno = errno;
    }

    /** Why, as a Linux number: see errno(3). */
    int errno() {
        return errno;
    }
}
