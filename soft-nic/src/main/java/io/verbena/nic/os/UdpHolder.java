package io.verbena.nic.os;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/**
 * Who has a UDP port of this network namespace, as far as /proc shows it.
 *
 * @param everywhere whether the port is held at all addresses, not at the one alone
 * @param uid the user who holds it
 * @param pid the process that holds it; 0 when it is not to be seen: another user's, another container's or the
 * kernel's
 * @param ofKernel whether no process has ever had it
 */
public record UdpHolder(boolean everywhere, int uid, long pid, boolean ofKernel) {
    private static final Path PROC = Path.of("/proc");
    private static final int LOCAL = 1;
    private static final int UID = 7;
    private static final int INODE = 9;
    private static final int IPV6_DIGITS = 32;
    /** Of what follows the name in /proc/PID/stat: the state, the flags of the kernel, pending signals. */
    private static final int STATE = 0;
    private static final int FLAGS = 6;
    private static final int PENDING = 28;
    private static final long EXITING = 4;
    private static final long KILLED = 1 << 8;
    private static final long IPV4_PREFIX = 0xFFFFL << 32;

    /**
     * Looks for the holder.
     *
     * @param name address and port
     * @return who holds it; null when nobody is to be seen
     */
    public static UdpHolder of(SocketAddresses.Name name) {
        for (String table : List.of("net/udp", "net/udp6")) {
            try {
                for (String line : Files.readAllLines(PROC.resolve(table))) {
                    String[] fields = line.strip().split("\\s+");
                    UdpHolder holder = fields.length > INODE ? of(name, fields) : null;
                    if (holder != null) {
                        return holder;
                    }
                }
            } catch (IOException e) {
                // Not shown, or not Linux.
            }
        }
        return null;
    }

    /**
     * Whether it will have the port for a moment only, since the process is ending. Of one that is not to be seen
     * nobody can tell: the descriptors of a process are gone from /proc before its sockets are closed.
     *
     * @return false when the process lives on, as far as one can tell
     */
    public boolean mayBeEnding() {
        if (pid == 0) {
            return !ofKernel;
        }
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return fields[STATE].equals("Z") || fields[STATE].equals("X")
                    || (Long.parseLong(fields[FLAGS]) & EXITING) != 0
                    || (Long.parseLong(fields[PENDING]) & KILLED) != 0;
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return true; // gone meanwhile
        }
    }

    private static UdpHolder of(SocketAddresses.Name name, String[] fields) throws IOException {
        int colon = fields[LOCAL].indexOf(':');
        if (colon < 0 || HexFormat.fromHexDigits(fields[LOCAL], colon + 1, fields[LOCAL].length()) != name.port()) {
            return null;
        }
        ByteBuffer words = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
        String digits = fields[LOCAL].substring(0, colon);
        if (digits.length() != IPV6_DIGITS) {
            words.putLong(0).putInt(8, 0).position(12);
            words.put(8, new byte[] {0, 0, -1, -1});
        }
        for (int i = 0; i < digits.length(); i += 8) {
            words.putInt(HexFormat.fromHexDigits(digits, i, i + 8));
        }
        words.order(ByteOrder.BIG_ENDIAN);
        long high = words.getLong(0);
        long low = words.getLong(8);
        boolean everywhere = high == 0 && (low == 0 || low == IPV4_PREFIX && name.isIpv4());
        if (!everywhere && (high != name.high() || low != name.low())) {
            return null;
        }
        return new UdpHolder(everywhere, Integer.parseInt(fields[UID]), process(fields[INODE]),
                fields[INODE].equals("0"));
    }

    private static long process(String inode) throws IOException {
        if (inode.equals("0")) {
            return 0;
        }
        String socket = "socket:[" + inode + "]";
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process.resolve("fd"), socket)) {
                    return Long.parseLong(process.getFileName().toString());
                }
            }
        }
        return 0;
    }

    private static boolean holds(Path descriptors, String socket) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : all) {
                if (isLinkTo(descriptor, socket)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // Another user's, or gone.
        }
        return false;
    }

    private static boolean isLinkTo(Path descriptor, String socket) {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals(socket);
        } catch (IOException e) {
            return false;
        }
    }
}
