package io.verbena.nic;

import io.verbena.nic.memory.Fences;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.nic.shm.Bells;
import io.verbena.nic.shm.Board;
import io.verbena.nic.shm.Neighbourhood;
import io.verbena.nic.shm.SharedPages;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens what a NIC shares with other processes, and says in the API's terms why it can't. */
final class SharedMemory {
    private SharedMemory() {}

    /** The board of a NIC. */
    static Board board(String name) {
        if (!UnixSocket.isSupported()) {
            throw new VerbsException(Errno.EOPNOTSUPP, "link", "link=shm needs 64-bit Linux and a JVM started with"
                    + " --enable-native-access; use link=loopback");
        }
        if (!Fences.share()) {
            throw new VerbsException(Errno.EOPNOTSUPP, "link",
                    "link=shm needs membarrier(2) of Linux 4.16 or newer; use link=loopback");
        }
        try {
            return new Board(name);
        } catch (OsException e) {
            throw new VerbsException(Errno.ENOMEM, "link", "link=shm has no memory to share: " + e.getMessage());
        }
    }

    /** The way to other processes. */
    static Neighbourhood open(
            Gid gid, int patienceMs, Board board, MemoryTable table, Neighbourhood.RegionSource source, Bells bells) {
        try {
            int uid = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            return new Neighbourhood(gid, uid, patienceMs, board, table, source, bells);
        } catch (IOException e) {
            throw new VerbsException(
                    Errno.EIO, "link", "link=shm can't be served to other processes: " + e.getMessage());
        }
    }

    /** Memory for the application that other processes can map. */
    static SharedPages allocate(long bytes, Arena arena) {
        try {
            return new SharedPages(bytes, arena);
        } catch (OsException e) {
            throw new OutOfMemoryError(e.getMessage());
        }
    }
}
