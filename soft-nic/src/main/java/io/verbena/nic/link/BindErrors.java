package io.verbena.nic.link;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.SocketAddresses;
import io.verbena.nic.os.UdpHolder;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;

/** Says why an address can't be had, and what to do. */
final class BindErrors {
    private static final String ARGUMENT = "bind";

    private BindErrors() {}

    static VerbsException of(Gid gid, OsException failure) {
        return switch (failure.errno()) {
            case OsException.EADDRINUSE -> taken(gid);
            case OsException.EADDRNOTAVAIL, OsException.EAFNOSUPPORT -> notAvailable(gid);
            case OsException.EACCES -> denied(gid);
            default -> other(gid, failure);
        };
    }

    /** Of a channel of Java's, which gives the system's own words and no number. */
    static VerbsException of(Gid gid, IOException failure) {
        String words = String.valueOf(failure.getMessage());
        if (words.contains("already in use")) {
            return taken(gid);
        }
        if (words.contains("assign requested address")) {
            return notAvailable(gid);
        }
        return words.contains("ermission denied") ? denied(gid) : other(gid, failure);
    }

    static VerbsException notAvailable(Gid gid) {
        return new VerbsException(Errno.EADDRNOTAVAIL, ARGUMENT, address(gid) + " is no address of this host in this"
                + " network namespace; use one that `ip address` shows, or 127.0.0.1");
    }

    private static VerbsException denied(Gid gid) {
        return new VerbsException(Errno.EACCES, ARGUMENT, "the system does not let this process have " + place(gid)
                + "; ask who set up its security policy (SELinux, seccomp, container) to allow UDP sockets");
    }

    private static VerbsException other(Gid gid, IOException failure) {
        return new VerbsException(Errno.EIO, ARGUMENT,
                place(gid) + " can't be had: " + failure.getMessage() + "; set another address");
    }

    private static VerbsException taken(Gid gid) {
        UdpHolder holder = holder(gid);
        return new VerbsException(Errno.EADDRINUSE, ARGUMENT, place(gid) + " is taken" + by(holder)
                + ". One process has it at a time, and RoCEv2 knows no other port. Use another address (on one host"
                + " 127.0.0.2, 127.0.0.3, ...) or another network namespace"
                + (holder == null || holder.pid() == 0
                        ? ", or remove the kernel's device (`rdma link delete NAME`, or `rmmod rdma_rxe`)" : ""));
    }

    /** Whether a taken address may be free in a moment. */
    static boolean mayPass(Gid gid) {
        UdpHolder holder = holder(gid);
        return holder == null || holder.mayBeEnding();
    }

    private static UdpHolder holder(Gid gid) {
        return UdpHolder.of(new SocketAddresses.Name(gid.high(), gid.low(), IcrcPath.ROCE_PORT, 0));
    }

    private static String by(UdpHolder holder) {
        if (holder == null) {
            return "; by whom, the system does not show";
        }
        String where = holder.everywhere() ? ", which has the port at all addresses" : "";
        if (holder.pid() == ProcessHandle.current().pid()) {
            return " by this process itself" + where + ": close the device that is open there";
        }
        if (holder.pid() > 0) {
            String command = ProcessHandle.of(holder.pid()).flatMap(process -> process.info().command()).orElse("?");
            return " by process " + holder.pid() + " (" + command + ")" + where;
        }
        return " by nobody that this process can see" + where + ": a process of user " + holder.uid()
                + " or of a container, one that is just ending, or the kernel's own RoCE driver (rdma_rxe), which shows"
                + " as no process";
    }

    private static String place(Gid gid) {
        return address(gid) + ", UDP port " + IcrcPath.ROCE_PORT + ",";
    }

    private static String address(Gid gid) {
        return gid.toAddressText();
    }
}
