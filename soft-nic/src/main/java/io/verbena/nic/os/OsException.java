package io.verbena.nic.os;

import java.io.IOException;
import java.util.Map;

/** A call of the operating system that failed. */
public final class OsException extends IOException {
    /** No such file or address. */
    public static final int ENOENT = 2;
    /** A signal came first. */
    public static final int EINTR = 4;
    /** The device failed, or lacks something. */
    public static final int EIO = 5;
    /** The descriptor is closed. */
    public static final int EBADF = 9;
    /** Nothing there now. */
    public static final int EAGAIN = 11;
    /** No memory. */
    public static final int ENOMEM = 12;
    /** Not allowed. */
    public static final int EACCES = 13;
    /** An argument is not allowed. */
    public static final int EINVAL = 22;
    /** The message is too long. */
    public static final int EMSGSIZE = 90;
    /** Not possible here. */
    public static final int EOPNOTSUPP = 95;
    /** No addresses of that kind here, as where IPv6 is switched off. */
    public static final int EAFNOSUPPORT = 97;
    /** The address is taken. */
    public static final int EADDRINUSE = 98;
    /** The address is not one of this host. */
    public static final int EADDRNOTAVAIL = 99;
    /** Nobody listens. */
    public static final int ECONNREFUSED = 111;
    /** Too late. */
    public static final int ETIMEDOUT = 110;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "EPERM: not permitted"), Map.entry(ENOENT, "ENOENT: no such file"),
            Map.entry(EINTR, "EINTR: interrupted"), Map.entry(EBADF, "EBADF: the descriptor is closed"),
            Map.entry(EAGAIN, "EAGAIN: nothing there now"), Map.entry(ENOMEM, "ENOMEM: no memory"),
            Map.entry(EACCES, "EACCES: permission denied"), Map.entry(EINVAL, "EINVAL: invalid argument"),
            Map.entry(23, "ENFILE: the system has no descriptors left"),
            Map.entry(24, "EMFILE: the process has no descriptors left"), Map.entry(28, "ENOSPC: no space left"),
            Map.entry(32, "EPIPE: the other end is closed"), Map.entry(38, "ENOSYS: not in this kernel"),
            Map.entry(EMSGSIZE, "EMSGSIZE: message too long"),
            Map.entry(EADDRINUSE, "EADDRINUSE: the address is taken"),
            Map.entry(EAFNOSUPPORT, "EAFNOSUPPORT: no addresses of that kind here"),
            Map.entry(EIO, "EIO: the device failed"), Map.entry(EOPNOTSUPP, "EOPNOTSUPP: not possible here"),
            Map.entry(EADDRNOTAVAIL, "EADDRNOTAVAIL: not an address of this host"),
            Map.entry(104, "ECONNRESET: the other end is gone"), Map.entry(107, "ENOTCONN: not connected"),
            Map.entry(ETIMEDOUT, "ETIMEDOUT: too late"), Map.entry(ECONNREFUSED, "ECONNREFUSED: nobody listens"));
    private static final long serialVersionUID = 1;

    private final int errno;

    OsException(String function, int errno) {
        super(function + " failed, " + NAMES.getOrDefault(errno, "errno " + errno));
        this.errno = errno;
    }

    /**
     * Why.
     *
     * @return the Linux number, see errno(3)
     */
    public int errno() {
        return errno;
    }
}
