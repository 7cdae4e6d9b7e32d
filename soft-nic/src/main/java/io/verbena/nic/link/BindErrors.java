package io.verbena.nic.link;

import io.verbena.nic.os.OsException;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;

/** Says why an address can't be had, and what to do. */
final class BindErrors {
    private BindErrors() {}

    static VerbsException of(Gid gid, OsException failure) {
        return switch (failure.errno()) {
            case OsException.EADDRINUSE -> new VerbsException(Errno.EADDRINUSE, "bind", failure.getMessage());
            case OsException.EADDRNOTAVAIL -> notAvailable(gid);
            default -> new VerbsException(Errno.EIO, "bind", failure.getMessage());
        };
    }

    static VerbsException notAvailable(Gid gid) {
        return new VerbsException(Errno.EADDRNOTAVAIL, "bind", gid.toInetAddress().getHostAddress()
                + " is no address of this host; name one that `ip address` shows, or 127.0.0.1");
    }
}
